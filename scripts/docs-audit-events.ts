import { AUDIT_TYPES, type AuditType } from "../src/audit/audit-event.ts";
import { FIXED_RESOURCES, RESOURCE_TEMPLATES } from "../src/mcp/resources/resources.ts";
import type { Tool } from "../src/mcp/tool/tool.ts";
import { BROWSER_TOOLS } from "../src/mcp/tools/browser/list.ts";
import { TOOLS } from "../src/mcp/tools/list.ts";
import { ROUTES } from "../test/web/http/route-table.ts";
import { WAYS_OUT } from "./docs-ways-out.ts";
import { GENERATED, table } from "./markdown.ts";

const FIRST = "change.requested";

/** By what a call that succeeds is told. test/e2e/audit/ makes each of these calls and compares with the log. */
export const ROUTE_EVENTS: Readonly<Record<string, readonly AuditType[]>> = {
  "POST /": ["mcp.tool_call", "mcp.tool_result"],
  "POST /mcp": ["mcp.tool_call", "mcp.tool_result"],
  "POST /sse": [],
  "POST /message": ["mcp.tool_call", "mcp.tool_result"],
  "DELETE /": [],
  "DELETE /mcp": [],
  "GET /connect": ["browser.pairing_made"],
  "POST /api/v1/answers/open": ["approval.viewed"],
  "POST /api/v1/answers": [FIRST, "approval.granted"],
  "POST /api/v1/session": ["auth.login"],
  "DELETE /api/v1/session": ["auth.logout"],
  "GET /signin/oidc/callback": ["auth.jwt_validated", "auth.login"],
  "POST /signin/oidc/logout": ["auth.logout"],
  "GET /config": ["token.shown"],
  "POST /api/v1/requests/:id": [
    FIRST,
    ...(["request.taken", "input.taken_over", "request.done", "input.given_back"] as const),
  ],
  "PUT /api/v1/push/subscription": [FIRST, "push.subscribed"],
  "DELETE /api/v1/push/subscription": [FIRST, "push.unsubscribed"],
  "POST /api/v1/desktops": [FIRST, "connection.added"],
  "POST /api/v1/desktops/test": [FIRST, "connection.tested"],
  "DELETE /api/v1/desktops/:id": [FIRST, "connection.removed"],
  "PUT /api/v1/desktops/:id/connection": [FIRST, "connection.changed"],
  "GET /api/v1/desktops/:id/actions/:actionId/before.png": ["screenshot.taken"],
  "GET /api/v1/desktops/:id/actions/:actionId/after.png": ["screenshot.taken"],
  "POST /api/v1/desktops/:id/masks": [FIRST, "mask.added"],
  "DELETE /api/v1/desktops/:id/masks/:maskId": [FIRST, "mask.removed"],
  "PUT /api/v1/desktops/:id/rules": [FIRST, "mode.changed", "rules.changed"],
  "POST /api/v1/desktops/:id/rules/try": [],
  "POST /api/v1/desktops/:id/mode": [FIRST, "mode.changed"],
  "POST /api/v1/desktops/:id/stop": ["desktop.stopped"],
  "POST /api/v1/desktops/:id/resume": [FIRST, "desktop.resumed"],
  "POST /api/v1/desktops/:id/reconnect": [FIRST, "session.reconnect_requested"],
  "POST /api/v1/desktops/:id/forget-identity": [FIRST, "target.identity_forgotten"],
  "POST /api/v1/desktops/:id/ask-input": [FIRST],
  "POST /api/v1/desktops/:id/answer-input": [FIRST, "input.given_back", "input.taken_over"],
  "POST /api/v1/desktops/:id/take-over": ["input.taken_over"],
  "POST /api/v1/desktops/:id/give-back": [FIRST, "input.given_back"],
  "POST /api/v1/desktops/:id/tickets": [FIRST, "ticket.issued"],
  "GET /api/v1/desktops/:id/screenshot.png": ["screenshot.taken"],
  "GET /api/v1/desktops/:id/screenshot.jpg": ["screenshot.taken"],
  "GET /api/v1/desktops/:id/screenshot.webp": ["screenshot.taken"],
  "GET /api/v1/desktops/:id/files": ["files.viewed"],
  // As on a desktop that has none, where it is refused; elsewhere without change.failed.
  "POST /api/v1/desktops/:id/files": [FIRST, "files.sent", "change.failed"],
  "DELETE /api/v1/desktops/:id/files/:sendingId": [FIRST],
  "GET /api/v1/desktops/:id/files/copied/:list/:index": ["files.taken"],
  "PUT /api/v1/desktops/:id/files/:sendingId/:index": [],
  "DELETE /api/v1/desktops/:id/overlays": [FIRST, "overlay.removed"],
  "DELETE /api/v1/desktops/:id/overlays/:overlayId": [FIRST, "overlay.removed"],
  "PATCH /api/v1/desktops/:id/replay": [],
  "POST /api/v1/recordings": [FIRST, "recording.started"],
  "DELETE /api/v1/recordings/:id": [FIRST, "recording.removed"],
  "PATCH /api/v1/recordings/:id": [FIRST],
  "POST /api/v1/recordings/:id/markers": [FIRST],
  "DELETE /api/v1/recordings/:id/markers/:markerId": [FIRST],
  "POST /api/v1/recordings/:id/stop": [FIRST, "recording.stopped"],
  "POST /api/v1/recordings/:id/verify": [],
  "POST /api/v1/recordings/:id/bookmarks": [FIRST],
  "POST /api/v1/recordings/:id/replay": [FIRST, "connection.added"],
  "GET /api/v1/recordings/:id/timeline": ["recording.viewed"],
  "GET /api/v1/recordings/:id/search": ["recording.viewed"],
  "GET /api/v1/recordings/:id/text": ["recording.viewed"],
  "GET /api/v1/recordings/search": ["recording.viewed"],
  "GET /api/v1/recordings/:id/chunks/:index": ["recording.viewed"],
  "GET /api/v1/recordings/:id/pointer": ["recording.viewed"],
  "GET /api/v1/recordings/:id/frame.png": ["recording.viewed"],
  "GET /api/v1/recordings/:id/frame.webp": ["recording.viewed"],
  "GET /api/v1/recordings/:id/run": ["recording.viewed"],
  "GET /api/v1/recordings/:id/export.txt": ["recording.exported"],
  "GET /api/v1/recordings/:id/export.png": ["recording.exported"],
  "GET /api/v1/recordings/:id/export.ndjson": ["recording.exported"],
  "GET /api/v1/recordings/:id/export.html": ["recording.exported"],
  "GET /api/v1/recordings/:id/export.gif": ["recording.exported"],
  "GET /api/v1/recordings/:id/export.mp4": ["recording.exported"],
  "GET /api/v1/recordings/:id/export.webm": ["recording.exported"],
  "GET /api/v1/recordings/:id/export.frames": ["recording.exported"],
  "GET /api/v1/approvals": ["approval.viewed"],
  "GET /api/v1/approvals/:approvalId/picture.png": ["approval.viewed"],
  "POST /api/v1/approvals/:approvalId": [FIRST, "approval.granted", "grant.given"],
  "DELETE /api/v1/grants/:grantId": [FIRST, "grant.revoked"],
  "POST /api/v1/tokens": [FIRST, "token.issued"],
  "DELETE /api/v1/tokens/:id": [FIRST, "token.revoked"],
  "POST /api/v1/fleet/recordings/:id": [],
  "POST /api/v1/fleet/nodes/:id/drain": [FIRST, "change.failed"],
  "PUT /api/v1/secrets/:id": [FIRST, "secret.added"],
  "DELETE /api/v1/secrets/:id": [FIRST, "secret.removed"],
  "GET /api/v1/audit": ["audit.viewed"],
  "POST /api/v1/browsers/pairings": [FIRST, "browser.pairing_made"],
  "DELETE /api/v1/browsers/:id": [FIRST, "browser.unpaired"],
  "GET /ws/events": ["viewer.joined", "viewer.left"],
  "GET /ws/overlays": ["viewer.joined", "viewer.left"],
  "GET /ws/desktops/:id": ["viewer.joined", "viewer.left"],
  "GET /ws/desktops/:id/sound": ["viewer.joined", "viewer.left"],
  "GET /websockify": ["viewer.joined", "viewer.left"],
  "GET /ws/browser": ["browser.paired", "browser.connected", "browser.disconnected"],
};

/** Which calls without an event change nothing, and read nothing of a screen. A call that is no GET needs a reason here. */
const UNTOLD: Readonly<Record<string, string>> = {
  "POST /sse": "the wrong method for this address: answered with 405",
  "DELETE /": "ends a session of MCP, which holds no right",
  "DELETE /mcp": "ends a session of MCP, which holds no right",
  "POST /api/v1/desktops/:id/rules/try": "says what rules would say, and keeps nothing",
  "PUT /api/v1/desktops/:id/files/:sendingId/:index":
    "bytes of files of which files.sent told before any came",
  "PATCH /api/v1/desktops/:id/replay": "where a recording that is shown stands; that it was opened is told",
  "POST /api/v1/fleet/recordings/:id":
    "nodes of the fleet alone ask so, and the one that asks tells what it shows or changes",
  "POST /api/v1/recordings/:id/verify": "reads whether the file is intact, and shows nothing of it",
};

/** What tools are told by, beside `mcp.tool_call` and `mcp.tool_result`, which all have. */
export const TOOL_EVENTS: Readonly<Record<string, readonly AuditType[]>> = {
  take_screenshot: ["screenshot.taken"],
  zoom: ["screenshot.taken"],
  annotate_screenshot: ["screenshot.taken"],
  auto_redact_pii: ["screenshot.taken"],
  analyze_screenshot: ["screenshot.analyzed"],
  click_at: ["input.performed"],
  type_text: ["input.performed"],
  press_keys: ["input.performed"],
  scroll: ["input.performed"],
  move_mouse: ["input.performed"],
  drag: ["input.performed"],
  mouse_down: ["input.performed"],
  mouse_up: ["input.performed"],
  paste_text: ["input.performed"],
  batch_actions: ["input.performed"],
  computer: ["input.performed"],
  click_text: ["input.performed"],
  click_element: ["input.performed"],
  reset_input: ["input.performed"],
  get_clipboard: ["input.performed"],
  set_clipboard: ["input.performed"],
  request_human: ["request.asked"],
  draw_overlay: ["overlay.created"],
  batch_overlay: ["overlay.created"],
  remove_overlay: ["overlay.removed"],
  clear_overlays: ["overlay.removed"],
  set_mode: ["mode.changed"],
  session_stop: ["desktop.stopped"],
  start_recording: ["recording.started"],
  stop_recording: ["recording.stopped"],
  get_frame_at: ["screenshot.taken"],
  test_connection: ["connection.tested"],
  add_connection: ["connection.added"],
  remove_connection: ["connection.removed"],
  browser_click: ["browser.acted"],
  browser_type: ["browser.acted"],
  browser_scroll: ["browser.acted"],
  browser_create_tab: ["browser.acted"],
  browser_close_tab: ["browser.acted"],
  browser_execute_js: ["browser.acted"],
  browser_inject_script: ["browser.acted"],
};

/** By what reading a resource is told, which is no call of a tool; or why it has no event. */
export const RESOURCE_EVENTS: Readonly<Record<string, readonly [AuditType] | string>> = {
  "screenshots://recent": "when the caller took its own screenshots, which was told",
  "settings://current": "settings, without secrets",
  "screenshots://{id}": ["screenshot.taken"],
  "screen://{id}": ["screenshot.taken"],
  "screenshots://{id}/ocr": ["screenshot.taken"],
  "text://{connection}": ["screenshot.taken"],
  "requests://{id}": "what became of the caller's own request, each step of which is told",
  "recordings://{id}": ["recording.viewed"],
};

/** Whether a route has to be told of: it changes something, shows something of a screen, or opens a connection. */
function needsEvent(route: string): boolean {
  return !route.startsWith("GET ") || WAYS_OUT.some(({ way }) => way === route);
}

interface Faces {
  /** Addresses and templates of addresses. */
  readonly resources: readonly string[];
  /** "POST /api/v1/…" */
  readonly routes: readonly string[];
  readonly tools: readonly Pick<Tool, "name" | "effect">[];
}

export const FACES: Faces = {
  resources: [
    ...FIXED_RESOURCES.map(({ uri }) => uri),
    ...RESOURCE_TEMPLATES.map(({ uriTemplate }) => uriTemplate),
  ],
  routes: ROUTES.map(([method, url]) => `${method} ${url}`),
  tools: [...TOOLS, ...BROWSER_TOOLS],
};

/** What is wrong with the tables above for these routes and tools; empty where nothing is. */
export function auditTableFaults(faces: Faces = FACES): string[] {
  const routes = new Set(faces.routes);
  const tools = new Set(faces.tools.map(({ name }) => name));
  const told = (route: string): boolean => (ROUTE_EVENTS[route] ?? []).length > 0;
  return [
    ...[...routes]
      .filter((route) => needsEvent(route) && !told(route) && !(route in UNTOLD))
      .map((route) => `${route} has no event`),
    ...Object.keys(ROUTE_EVENTS)
      .filter((route) => !routes.has(route))
      .map((route) => `${route} is no more`),
    ...Object.keys(UNTOLD)
      .filter((route) => !routes.has(route) || told(route))
      .map((route) => `${route} needs no reason for having no event`),
    ...faces.resources.filter((uri) => !(uri in RESOURCE_EVENTS)).map((uri) => `${uri} has no event`),
    ...Object.keys(RESOURCE_EVENTS)
      .filter((uri) => !faces.resources.includes(uri))
      .map((uri) => `${uri} is no more`),
    ...Object.keys(TOOL_EVENTS)
      .filter((tool) => !tools.has(tool))
      .map((tool) => `the tool ${tool} is no more`),
    ...faces.tools
      .filter(({ name, effect }) => effect === "input" && !(name in TOOL_EVENTS))
      .map(({ name }) => `the tool ${name} acts and has no event of its own`),
  ];
}

/** docs/audit-events.md: every type, and by what each route and tool is told. */
export function renderAuditEventsDoc(): string {
  const faults = auditTableFaults();
  if (faults.length > 0) throw new Error(`scripts/docs-audit-events.ts: ${faults.join("; ")}`);
  const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");
  const told = ROUTES.flatMap(([method, url]) => {
    const route = `${method} ${url}`;
    const events = ROUTE_EVENTS[route];
    if (events === undefined) return [];
    return [[`\`${route}\``, events.length === 0 ? (UNTOLD[route] ?? "") : code(events)]];
  });
  const tools = [...TOOLS, ...BROWSER_TOOLS].map(({ name }) => [
    `\`${name}\``,
    code(["mcp.tool_call", "mcp.tool_result", ...(TOOL_EVENTS[name] ?? [])]),
  ]);
  const silent = ROUTES.filter(([method, url]) => ROUTE_EVENTS[`${method} ${url}`] === undefined);
  return [
    "# Audit events",
    GENERATED,
    "By which events of the [audit log](operations/audit.md) each route, tool and resource is told when it succeeds. A route that changes something or shows something of a",
    "screen and has none fails the check, and so does an acting tool. The tests in `test/e2e/audit/` call every route and every tool of a running server and compare",
    "what is in its log then with these tables: nothing may be missing, and nothing else may be told of the caller.",
    "",
    "What is refused is told too: `authz.denied` for want of a permission and for pages of other sites, `auth.failed` and `auth.locked` for wrong secrets, `rate_limit.triggered`,",
    "`change.refused` while the log cannot be written; of a tool the error's code is in its `mcp.tool_result`. `audit.requests` tells HTTP requests one by one besides.",
    "",
    "`change.requested` is written before a change is begun, and so says nothing of how it ended. That is said by the events beside it in the table, or by `change.failed` with the error's code. Where",
    "the table names no other event, a change without `change.failed` was done, unless the server was killed (`audit.started` follows without `audit.stopped`) before it was.",
    "",
    "## Routes",
    table(["route", "events"], told),
    "",
    `Reading these has no event, for they show nothing of a screen and no secret: ${code(silent.map(([method, url]) => `${method} ${url}`))}.`,
    "",
    "## Tools",
    table(["tool", "events"], tools),
    "",
    "## Resources",
    "What agents read by `resources/read` is no call of a tool:",
    "",
    table(
      ["resource", "event"],
      Object.entries(RESOURCE_EVENTS).map(([uri, told]) => [
        `\`${uri}\``,
        typeof told === "string" ? `none: ${told}` : code(told),
      ]),
    ),
    "",
    "## Types",
    code(AUDIT_TYPES),
  ].join("\n");
}
