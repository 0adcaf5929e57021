import type { AuditEventInfo, AuditTypeName } from "../../api/audit-api.ts";

/** What happened, for the list. */
const WORDS: Readonly<Record<string, string>> = {
  "auth.login": "Signed in",
  "auth.logout": "Signed out",
  "auth.jwt_validated": "Token validated",
  "auth.failed": "Sign-in failed",
  "auth.locked": "Address locked out",
  "authz.denied": "Permission denied",
  "rate_limit.triggered": "Too many requests",
  "connection.added": "Desktop added",
  "connection.changed": "Desktop changed",
  "connection.removed": "Desktop removed",
  "connection.tested": "Connection tested",
  "keep_awake.started": "Kept awake",
  "keep_awake.ended": "May sleep again",
  "change.requested": "Change asked for",
  "change.refused": "Change refused",
  "change.failed": "Change failed",
  "token.shown": "Agent's token shown",
  "target.identity_forgotten": "Known certificate forgotten",
  "session.opened": "Desktop connected",
  "session.lost": "Connection lost",
  "session.closed": "Desktop disconnected",
  "session.reconnect_requested": "Reconnect asked for",
  "viewer.joined": "Started watching",
  "viewer.left": "Stopped watching",
  "overlay.created": "Overlay drawn",
  "overlay.removed": "Overlay removed",
  "screenshot.taken": "Screenshot taken",
  "screenshot.analyzed": "Screenshot sent to a model",
  "recording.started": "Recording started",
  "recording.kept": "Recording kept",
  "recording.stopped": "Recording stopped",
  "recording.failed": "Recording failed",
  "recording.removed": "Recording deleted",
  "recording.viewed": "Recording viewed",
  "recording.exported": "Recording exported",
  "recording.archived": "Recording archived",
  "recording.archive_failed": "Archiving failed",
  "mcp.tool_call": "Tool called",
  "mcp.tool_result": "Tool answered",
  "input.performed": "Input by an agent",
  "input.taken_over": "Input taken over",
  "input.given_back": "Input given back",
  "approval.requested": "Approval asked for",
  "approval.viewed": "Approval looked at",
  "approval.granted": "Approved",
  "approval.denied": "Denied",
  "approval.expired": "Approval expired",
  "approval.cancelled": "Approval withdrawn",
  "approval.stale": "Approval void",
  "request.asked": "A person asked for",
  "request.taken": "Request taken on",
  "request.returned": "Request given back",
  "request.extended": "Request given more time",
  "request.done": "Request done",
  "request.declined": "Request declined",
  "request.expired": "Request expired",
  "request.cancelled": "Request withdrawn",
  "backup.created": "Backup made",
  "backup.restored": "Backup restored",
  "push.subscribed": "Push turned on in a browser",
  "push.unsubscribed": "Push turned off in a browser",
  "push.sent": "Person told by push",
  "push.lost": "Push not delivered",
  "grant.given": "Allowed for a while",
  "grant.used": "Done as allowed before",
  "grant.revoked": "Allowance revoked",
  "grant.ended": "Allowance over",
  "mode.changed": "Mode changed",
  "rules.changed": "Rules changed",
  "mask.added": "Place hidden",
  "mask.removed": "Place shown again",
  "desktop.stopped": "Agents stopped",
  "desktop.resumed": "Agents resumed",
  "secret.added": "Secret added",
  "secret.changed": "Secret changed",
  "secret.removed": "Secret removed",
  "secret.used": "Secret typed",
  "token.issued": "Token made",
  "token.revoked": "Token revoked",
  "ticket.issued": "Guest invited",
  "browser.pairing_made": "Link to pair a browser made",
  "browser.paired": "Browser paired",
  "browser.unpaired": "Browser removed",
  "browser.connected": "Browser connected",
  "browser.disconnected": "Browser went away",
  "browser.denied": "Browser refused",
  "browser.acted": "Action in a browser",
  "http.request": "HTTP request",
  "http.response": "HTTP answer",
  "audit.started": "Server started",
  "audit.gap": "Events dropped",
  "audit.break": "Chain broken",
  "audit.checkpoint": "Checkpoint signed",
  "audit.pruned": "Old files deleted",
  "audit.exported": "Log exported",
  "audit.viewed": "Log viewed",
  "audit.stopped": "Server stopped",
} satisfies Record<AuditTypeName, string>;

/** What belongs together for who looks for something: types by what stands before their dot. */
const GROUPS: readonly (readonly [name: string, ...prefixes: readonly string[]])[] = [
  ["Signing in", "auth", "authz", "rate_limit"],
  ["Tokens and guests", "token", "ticket"],
  ["Secrets", "secret"],
  ["Desktops", "connection", "session", "target", "desktop", "keep_awake"],
  ["Rules and masks", "mode", "rules", "mask"],
  ["Approvals", "approval", "grant"],
  ["Requests to people", "request"],
  ["Agents' tools", "mcp"],
  ["Browsers", "browser"],
  ["Input", "input"],
  ["People who watch", "viewer", "screenshot"],
  ["Overlays", "overlay"],
  ["Recordings", "recording"],
  ["Changes", "change"],
  ["Server and log", "audit", "backup", "http"],
];

export interface TypeGroup {
  readonly name: string;
  /** As the API takes it: "auth.*,authz.*". */
  readonly value: string;
  readonly types: readonly (readonly [type: string, words: string])[];
}

/** For the filter. */
export const TYPE_GROUPS: readonly TypeGroup[] = GROUPS.map(([name, ...prefixes]) => ({
  name,
  value: prefixes.map((prefix) => `${prefix}.*`).join(","),
  types: Object.entries(WORDS).filter(([type]) => prefixes.includes(type.split(".")[0] ?? "")),
}));

/** What was watched, or by what: the action of `viewer.*`. */
const WATCHED: Readonly<Record<string, string>> = {
  browser: "in the app",
  events: "the app's events",
  overlays: "overlays",
  vnc: "in a VNC viewer",
};

/** What was done: a tool, a mode, a key of words; null: nothing that is told in a line. */
export function actionWords({
  action,
  event_type,
  mcp,
}: Pick<AuditEventInfo, "action" | "event_type" | "mcp">): string | null {
  const text = mcp?.tool ?? action;
  if (text === null || text === "" || text.length > 40) return null;
  const watched = event_type.startsWith("viewer.") ? WATCHED[text] : undefined;
  return watched ?? text.replaceAll("_", " ");
}

/** Another version's types go by their own name. */
export function typeWords({ event_type }: Pick<AuditEventInfo, "event_type">): string {
  return WORDS[event_type] ?? event_type;
}
