import { type Permission, type Principal, permissionsOf, ROLES, type Role } from "../src/auth/principal.ts";
import { TOOLS } from "../src/mcp/tools/list.ts";
import { type Access, permissionOf } from "../src/web/http/access.ts";
import { ROUTES } from "../test/web/http/route-table.ts";
import { GENERATED, table } from "./markdown.ts";

/** What the code itself cannot list: what each permission is for. The compiler sees that none is missing. */
const PERMISSION_WORDS: Readonly<Record<Permission, string>> = {
  view: "see desktops, overlays, masks, rules and actions",
  metrics: "numbers of all desktops",
  input: "mouse and keyboard, and taking the input over",
  overlay: "remove overlays; through MCP draw them",
  approve: "answer agents' questions, and take back what was allowed",
  control: "stop, resume, reconnect, recordings, giving the input back",
  modes: "the mode of a desktop, as far as rules allow",
  connections: "add, change, test and remove desktops",
  masks: "hide places",
  files: "send files to a desktop, and take files from it",
  invite: "guests by a link, to one desktop, for a while",
  mcp: "be an agent",
  admin: "rules, tokens, secrets, deleting recordings",
};

/** Who has a tool by what: `whole` is for roles with the permission `connections` or `control`, `agent` for agents, `granted` for credentials that are for certain desktops. */
interface ToolCells {
  readonly whole: string;
  readonly agent: string;
  readonly granted: string;
}

const YES = "yes";
const NO = "no";
const OWN_DESKTOPS = "its desktops";
const BY_MODE = "by mode and approval";

/** Tools whose right depends on more than `mcp`. A tool that manages and is not here fails the check. */
const SPECIAL: Readonly<Record<string, ToolCells>> = {
  set_mode: { whole: "lower its own", agent: "lower its own", granted: OWN_DESKTOPS },
  reset_input: { whole: YES, agent: YES, granted: OWN_DESKTOPS },
  session_stop: { whole: YES, agent: YES, granted: OWN_DESKTOPS },
  session_resume: { whole: "ask only", agent: "ask only", granted: OWN_DESKTOPS },
  start_recording: { whole: YES, agent: YES, granted: OWN_DESKTOPS },
  stop_recording: { whole: YES, agent: "no policy's, none that people keep", granted: OWN_DESKTOPS },
  set_active_connection: { whole: "for itself", agent: "for itself", granted: OWN_DESKTOPS },
  add_connection: { whole: YES, agent: "by asking a human", granted: NO },
  remove_connection: { whole: YES, agent: NO, granted: NO },
  list_recordings: { whole: YES, agent: "its own", granted: OWN_DESKTOPS },
  get_frame_at: { whole: YES, agent: "its own", granted: OWN_DESKTOPS },
  search_recording: { whole: YES, agent: "its own", granted: OWN_DESKTOPS },
};

/** docs/roles.md: every route and tool, each role, and credentials for certain desktops. */
export function renderRolesDoc(): string {
  const permissions = (Object.keys(PERMISSION_WORDS) as Permission[]).map((permission) => [
    `\`${permission}\``,
    PERMISSION_WORDS[permission],
    ...ROLES.map((role) => cell(has({ role }, permission))),
    cell(has({ role: "operator", desktops: [] }, permission)),
    guestCell(permission),
  ]);
  const routes = ROUTES.map(([method, url, access]) => [
    `\`${method} ${url}\``,
    accessWords(access),
    ...ROLES.map((role) => cell(isAllowed({ role }, access))),
    grantedRoute(url, access),
  ]);
  const tools = TOOLS.map(({ name, effect }) => {
    const { whole, agent, granted } = cellsOf(name, effect);
    return [`\`${name}\``, effect, whole, agent, granted];
  });
  return [
    "# Roles: who may what",
    GENERATED,
    "A credential has one role, the same on every face. What is not named is refused: a route without its access does not start, and a test",
    "tries each route with each role. How credentials are made and end: [tokens.md](operations/tokens.md), [sign-in.md](operations/sign-in.md). What agents may",
    "do with what they have is the policy's: [policy.md](policy.md).",
    "",
    "**Certain desktops**: a credential that is for certain desktops, whatever its role but administrator. **Guest**: who came by a link, as",
    "`operator`, `approver` or `viewer` of one desktop, and with input only where the link says so.",
    "",
    "## Permissions",
    table(["permission", "what", ...ROLES, "certain desktops", "guest"], permissions),
    "",
    "*Certain desktops* is an operator's: any other role has of it what the role has. *Guest* is an operator's who may only look.",
    "",
    "## Routes",
    "Viewers' sockets check `input` again for each message, and the VNC port is `view` and `input` as well.",
    "",
    table(["route", "access", ...ROLES, "certain desktops"], routes),
    "",
    `*${OWN_DESKTOPS}*: any other is answered as one that does not exist, and lists have no others.`,
    "",
    "## Tools",
    "Through MCP everybody is an agent, whatever the role: policy, approvals and masks bind administrators there too. Approvers and viewers have",
    "no MCP.",
    "",
    table(["tool", "effect", "admin, operator", "agent", "certain desktops"], tools),
  ].join("\n");
}

function has(who: Pick<Principal, "role" | "desktops" | "guest">, permission: Permission): boolean {
  return permissionsOf({ id: "", name: "", ...who }).includes(permission);
}

function guestCell(permission: Permission): string {
  const guest = { hostId: "", endsAtMs: 0, isViewOnly: true };
  return cell(has({ role: "operator", desktops: [], guest }, permission));
}

function cell(isYes: boolean): string {
  return isYes ? YES : NO;
}

function isAllowed(who: { role: Role; desktops?: readonly string[] }, access: Access): boolean {
  const permission = permissionOf(access);
  return permission === null || has(who, permission);
}

function accessWords(access: Access): string {
  switch (access) {
    case "open":
      return "everybody";
    case "entry":
      return "people by `page`, agents by `mcp`";
    case "page":
      return "who is signed in";
    case "signed-in":
      return "any credential";
    default:
      return `\`${access}\``;
  }
}

/** The words of whoever is for certain desktops, by the most that any role but administrator has. */
function grantedRoute(url: string, access: Access): string {
  const roles = ROLES.filter((role) => role !== "admin" && isAllowed({ role }, access));
  if (!roles.some((role) => isAllowed({ role, desktops: [] }, access))) return NO;
  const isAboutDesktops =
    access !== "open" &&
    /^\/(?:mcp$|sse$|message$|$|ws\/|websockify|api\/v1\/(?:desktops|recordings|approvals|grants))/.test(url);
  return isAboutDesktops ? OWN_DESKTOPS : YES;
}

function cellsOf(name: string, effect: string): ToolCells {
  const special = SPECIAL[name];
  if (special !== undefined) return special;
  if (effect === "admin") throw new Error(`scripts/docs-roles.ts does not say who may use ${name}`);
  const may = effect === "input" ? BY_MODE : YES;
  return { whole: may, agent: may, granted: OWN_DESKTOPS };
}
