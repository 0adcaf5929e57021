import type { AuditEventInfo, AuditTypeName } from "../../api/audit-api.ts";
import { t } from "../language/language.ts";

/** What happened, for the list. */
const WORDS: Readonly<Record<string, string>> = {
  "auth.login": t`Signed in`,
  "auth.logout": t`Signed out`,
  "auth.jwt_validated": t`Token validated`,
  "auth.failed": t`Sign-in failed`,
  "auth.locked": t`Address locked out`,
  "authz.denied": t`Permission denied`,
  "rate_limit.triggered": t`Too many requests`,
  "connection.added": t`Desktop added`,
  "connection.changed": t`Desktop changed`,
  "connection.removed": t`Desktop removed`,
  "connection.tested": t`Connection tested`,
  "keep_awake.started": t`Kept awake`,
  "keep_awake.ended": t`May sleep again`,
  "change.requested": t`Change asked for`,
  "change.refused": t`Change refused`,
  "change.failed": t`Change failed`,
  "token.shown": t`Agent's token shown`,
  "target.identity_forgotten": t`Known certificate forgotten`,
  "session.opened": t`Desktop connected`,
  "session.lost": t`Connection lost`,
  "session.closed": t`Desktop disconnected`,
  "session.reconnect_requested": t`Reconnect asked for`,
  "viewer.joined": t`Started watching`,
  "viewer.left": t`Stopped watching`,
  "overlay.created": t`Overlay drawn`,
  "overlay.removed": t`Overlay removed`,
  "screenshot.taken": t`Screenshot taken`,
  "screenshot.analyzed": t`Screenshot sent to a model`,
  "files.viewed": t`Files listed`,
  "files.sent": t`Files sent`,
  "files.taken": t`Files taken`,
  "recording.started": t`Recording started`,
  "recording.kept": t`Recording kept`,
  "recording.stopped": t`Recording stopped`,
  "recording.failed": t`Recording failed`,
  "recording.removed": t`Recording deleted`,
  "recording.viewed": t`Recording viewed`,
  "recording.exported": t`Recording exported`,
  "recording.archived": t`Recording archived`,
  "recording.archive_failed": t`Archiving failed`,
  "mcp.tool_call": t`Tool called`,
  "mcp.tool_result": t`Tool answered`,
  "input.performed": t`Input by an agent`,
  "input.taken_over": t`Input taken over`,
  "input.given_back": t`Input given back`,
  "approval.requested": t`Approval asked for`,
  "approval.viewed": t`Approval looked at`,
  "approval.granted": t`Approved`,
  "approval.denied": t`Denied`,
  "approval.expired": t`Approval expired`,
  "approval.cancelled": t`Approval withdrawn`,
  "approval.stale": t`Approval void`,
  "request.asked": t`A person asked for`,
  "request.taken": t`Request taken on`,
  "request.returned": t`Request given back`,
  "request.extended": t`Request given more time`,
  "request.done": t`Request done`,
  "request.declined": t`Request declined`,
  "request.expired": t`Request expired`,
  "request.cancelled": t`Request withdrawn`,
  "backup.created": t`Backup made`,
  "backup.restored": t`Backup restored`,
  "push.subscribed": t`Push turned on in a browser`,
  "push.unsubscribed": t`Push turned off in a browser`,
  "push.sent": t`Person told by push`,
  "push.lost": t`Push not delivered`,
  "grant.given": t`Allowed for a while`,
  "grant.used": t`Done as allowed before`,
  "grant.revoked": t`Allowance revoked`,
  "grant.ended": t`Allowance over`,
  "mode.changed": t`Mode changed`,
  "rules.changed": t`Rules changed`,
  "mask.added": t`Place hidden`,
  "mask.removed": t`Place shown again`,
  "desktop.stopped": t`Agents stopped`,
  "desktop.resumed": t`Agents resumed`,
  "secret.added": t`Secret added`,
  "secret.changed": t`Secret changed`,
  "secret.removed": t`Secret removed`,
  "secret.used": t`Secret typed`,
  "token.issued": t`Token made`,
  "token.revoked": t`Token revoked`,
  "ticket.issued": t`Guest invited`,
  "browser.pairing_made": t`Link to pair a browser made`,
  "browser.paired": t`Browser paired`,
  "browser.unpaired": t`Browser removed`,
  "browser.connected": t`Browser connected`,
  "browser.disconnected": t`Browser went away`,
  "browser.denied": t`Browser refused`,
  "browser.acted": t`Action in a browser`,
  "http.request": t`HTTP request`,
  "http.response": t`HTTP answer`,
  "audit.started": t`Server started`,
  "audit.gap": t`Events dropped`,
  "audit.break": t`Chain broken`,
  "audit.checkpoint": t`Checkpoint signed`,
  "audit.pruned": t`Old files deleted`,
  "audit.exported": t`Log exported`,
  "audit.viewed": t`Log viewed`,
  "audit.stopped": t`Server stopped`,
} satisfies Record<AuditTypeName, string>;

/** What belongs together for who looks for something: types by what stands before their dot. */
const GROUPS: readonly (readonly [name: string, ...prefixes: readonly string[]])[] = [
  [t`Signing in`, "auth", "authz", "rate_limit"],
  [t`Tokens and guests`, "token", "ticket"],
  [t`Secrets`, "secret"],
  [t`Desktops`, "connection", "session", "target", "desktop", "keep_awake"],
  [t`Rules and masks`, "mode", "rules", "mask"],
  [t`Approvals`, "approval", "grant"],
  [t`Requests to people`, "request"],
  [t`Agents' tools`, "mcp"],
  [t`Browsers`, "browser"],
  [t`Input`, "input"],
  [t`People who watch`, "viewer", "screenshot"],
  [t`Overlays`, "overlay"],
  [t`Recordings`, "recording"],
  [t`Changes`, "change"],
  [t`Server and log`, "audit", "backup", "http"],
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
  browser: t`in the app`,
  events: t`the app's events`,
  overlays: t`overlays`,
  vnc: t`in a VNC viewer`,
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
