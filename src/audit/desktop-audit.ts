import type { SceneEvent } from "../compositor/scene.ts";
import type { Actor } from "../desktop/action.ts";
import { intentOf } from "../desktop/action-summary.ts";
import type { Approval } from "../desktop/approvals.ts";
import type { Connection } from "../desktop/connection.ts";
import type { DesktopEvent, DesktopState } from "../desktop/desktop.ts";
import type { AuditEntry, AuditType } from "./audit-event.ts";

/** What the audit needs to know of a desktop and of their registry. */
interface AuditedDesktop {
  readonly id: string;
  readonly connection: Pick<Connection, "protocol">;
  /** What is drawn over it. */
  readonly scene?: { on(listener: (event: SceneEvent) => void): () => void };
  on(listener: (event: DesktopEvent) => void): () => void;
}
interface AuditedDesktops {
  readonly all: readonly AuditedDesktop[];
  /** Those about no desktop yet are audited from here, the others from their desktop. */
  readonly questions?: { on(listener: (approval: Approval) => void): () => void };
  on(
    listener: (event: {
      readonly type: "added" | "removed";
      readonly desktop: AuditedDesktop;
      readonly by: Actor | null;
    }) => void,
  ): () => void;
}

/** What was recorded last of a desktop's session. */
type SessionTold = "nothing" | "opened" | "lost";

/** Records what happens on all desktops, those of now and those added later, until the returned function is called. */
export function auditDesktops(desktops: AuditedDesktops, record: (entry: AuditEntry) => void): () => void {
  const followed = new Map<string, () => void>();
  const follow = (desktop: AuditedDesktop): void => {
    let told: SessionTold = "nothing";
    const stop = desktop.on((event) => {
      const entry = entryOf(event, told);
      if (event.type === "state") told = toldAfter(event.state.kind, told);
      if (entry !== null) record({ resource: { kind: "desktop", id: desktop.id }, ...entry });
    });
    const stopScene = desktop.scene?.on((event) => {
      for (const entry of sceneEntries(event))
        record({ resource: { kind: "desktop", id: desktop.id }, ...entry });
    });
    followed.set(desktop.id, () => {
      stop();
      stopScene?.();
    });
  };
  for (const desktop of desktops.all) follow(desktop);
  const stop = desktops.on((event) => {
    const { desktop, by: actor } = event;
    const resource = { kind: "connection", id: desktop.id };
    record({ type: event.type === "added" ? "connection.added" : "connection.removed", actor, resource });
    followed.get(desktop.id)?.();
    followed.delete(desktop.id);
    if (event.type === "added") follow(desktop);
  });
  const stopQuestions = desktops.questions?.on((approval) => {
    if (approval.desktopId === "") record(approvalEntry(approval));
  });
  return () => {
    stop();
    stopQuestions?.();
    for (const unfollow of followed.values()) unfollow();
    followed.clear();
  };
}

/** The pointer and the keys of people are not told one by one; a recording is for that. */
function entryOf(event: DesktopEvent, told: SessionTold): AuditEntry | null {
  switch (event.type) {
    case "state":
      return stateEntry(event.state, told);
    case "mode":
      return { type: "mode.changed", severity: "notice", actor: event.by, action: event.mode };
    case "stopped":
      return {
        type: event.isStopped ? "desktop.stopped" : "desktop.resumed",
        severity: "notice",
        actor: event.by,
      };
    case "approval":
      return approvalEntry(event.approval);
    case "action":
      return {
        type: "input.performed",
        actor: event.record.actor,
        action: event.record.kind,
        intent: event.record.intent,
        errorCode: event.record.outcome === "done" ? null : (event.record.code ?? event.record.outcome),
        durationMs: event.record.durationMs,
      };
    default:
      return null;
  }
}

/** Overlays that follow what they are anchored to are drawn anew at each move: told as the scene tells it. */
function sceneEntries(event: SceneEvent): readonly AuditEntry[] {
  switch (event.type) {
    case "created": {
      const { ownerId, kind } = event.overlay;
      return [
        { type: "overlay.created", actor: { id: ownerId, name: ownerId, kind: "agent" }, action: kind },
      ];
    }
    case "removed":
      return [{ type: "overlay.removed", action: event.overlay.kind, counts: { overlays: 1 } }];
    case "cleared":
      return [{ type: "overlay.removed", counts: { overlays: event.overlays.length } }];
  }
}

/** A target that stays away is connecting and reconnecting by turns: that is told once. */
function stateEntry(state: DesktopState, told: SessionTold): AuditEntry | null {
  switch (state.kind) {
    case "live":
      return told === "opened" ? null : { type: "session.opened" };
    case "reconnecting":
      return told === "lost" ? null : { type: "session.lost", errorCode: state.error.code };
    case "failed":
      return { type: "session.lost", errorCode: state.error.code };
    case "closed":
      return { type: "session.closed" };
    default:
      return null;
  }
}

function toldAfter(kind: DesktopState["kind"], told: SessionTold): SessionTold {
  if (kind === "live") return "opened";
  if (kind === "reconnecting" || kind === "failed") return "lost";
  // Of one that was not lost: somebody asked for a new session.
  return kind === "connecting" && told === "opened" ? "nothing" : told;
}

const APPROVAL_TYPE = {
  pending: "approval.requested",
  granted: "approval.granted",
  denied: "approval.denied",
  expired: "approval.expired",
  cancelled: "approval.cancelled",
} as const satisfies Record<Approval["state"], AuditType>;

function approvalEntry(approval: Approval): AuditEntry {
  return {
    type: APPROVAL_TYPE[approval.state],
    severity: "notice",
    actor: approval.decidedBy ?? approval.actor,
    action: approval.action.kind,
    intent: intentOf(approval.action, approval.intent),
    counts: approval.action.kind === "type" ? { characters: approval.action.text.length } : {},
  };
}
