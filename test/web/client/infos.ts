import type { ActionInfo, ApprovalInfo, DesktopInfo } from "../../../src/web/api/api.ts";

/** A live desktop as `/ws/events` tells it; a test names what matters to it. */
export function desktopInfo(over: Partial<DesktopInfo> = {}): DesktopInfo {
  return {
    id: "d1",
    name: "build-vm",
    protocol: "vnc",
    host: "10.0.0.5",
    port: 5901,
    link: "RFB 3.8, VncAuth",
    is_exact: true,
    has_sound: false,
    has_files: false,
    state: {
      kind: "live",
      text: "Live",
      received_percent: null,
      since: "2026-11-21T10:00:00.000Z",
      code: null,
      retry_at: null,
    },
    width: 1280,
    height: 800,
    displays: [],
    mode: "assist",
    is_stopped: false,
    holder: null,
    generation: 7,
    viewers: 1,
    agents: [],
    last_connected: null,
    identities: [],
    recording_id: null,
    ...over,
  };
}

/** A question that waits. */
export function approvalInfo(over: Partial<ApprovalInfo> = {}): ApprovalInfo {
  return {
    id: "a1",
    desktop_id: "d1",
    kind: "click",
    summary: "Click left at 640, 300",
    text: null,
    actor: { kind: "agent", name: "claude-code" },
    intent: null,
    details: [],
    point: { x: 640, y: 300 },
    path: [],
    picture_url: "/api/v1/approvals/a1/picture.png",
    crop: { x: 480, y: 200, width: 320, height: 200 },
    bound: { x: 480, y: 200, width: 320, height: 200 },
    is_exact: true,
    editable: "point",
    scope: "Click left here",
    asked_at: "2026-11-21T10:00:00.000Z",
    expires_at: "2026-11-21T10:00:45.000Z",
    arming_ms: 500,
    state: "pending",
    decided_by: null,
    ...over,
  };
}

/** A click that changed the screen. */
export function actionInfo(over: Partial<ActionInfo> = {}): ActionInfo {
  return {
    id: "x1",
    desktop_id: "d1",
    at: "2026-11-21T10:00:00.000Z",
    actor: { kind: "agent", name: "claude-code" },
    kind: "click",
    summary: "Click left at 1, 2",
    intent: null,
    outcome: "done",
    code: null,
    was_confirmed: false,
    changed: true,
    settle_ms: 41,
    duration_ms: 44,
    pictures: null,
    ...over,
  };
}
