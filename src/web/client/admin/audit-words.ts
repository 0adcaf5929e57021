import type { AuditEventInfo, AuditTypeName } from "../../api/audit-api.ts";

/** What happened, for the list. */
const WORDS: Readonly<Record<string, string>> = {
  "auth.login": "Signed in",
  "auth.logout": "Signed out",
  "auth.failed": "Sign-in failed",
  "auth.locked": "Address locked out",
  "authz.denied": "Permission denied",
  "rate_limit.triggered": "Too many requests",
  "connection.added": "Desktop added",
  "connection.changed": "Desktop changed",
  "connection.removed": "Desktop removed",
  "connection.tested": "Connection tested",
  "change.requested": "Change asked for",
  "change.refused": "Change refused",
  "token.shown": "Agent's token shown",
  "target.identity_forgotten": "Known certificate forgotten",
  "session.opened": "Desktop connected",
  "session.lost": "Connection lost",
  "session.closed": "Desktop disconnected",
  "session.reconnect_requested": "Reconnect asked for",
  "viewer.joined": "Viewer came",
  "viewer.left": "Viewer left",
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
  ["Desktops", "connection", "session", "target", "desktop"],
  ["Rules and masks", "mode", "rules", "mask"],
  ["Approvals", "approval", "grant"],
  ["Requests to people", "request"],
  ["Agents' tools", "mcp"],
  ["Input", "input"],
  ["People who watch", "viewer", "screenshot"],
  ["Overlays", "overlay"],
  ["Recordings", "recording"],
  ["Changes", "change"],
  ["Server and log", "audit", "backup"],
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

/** Another version's types go by their own name. */
export function typeWords({ event_type }: Pick<AuditEventInfo, "event_type">): string {
  return WORDS[event_type] ?? event_type;
}
