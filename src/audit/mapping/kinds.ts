import type { AuditType } from "../audit-event.ts";

/** What an event's first word is about, in the words of both schemas. */
type Noun = "authentication" | "account" | "network" | "api" | "iam" | "configuration";
/** What its second word says was done. */
type Verb = "create" | "read" | "update" | "delete" | "start" | "end" | "deny" | "fail" | "other";

const NOUNS: Readonly<Record<string, Noun>> = {
  ...{ auth: "authentication", authz: "iam", token: "account", ticket: "account" },
  ...{
    session: "network",
    rate_limit: "api",
    http: "api",
    connection: "configuration",
    change: "configuration",
  },
  ...{ target: "configuration", viewer: "api", overlay: "api", screenshot: "api", recording: "api" },
  files: "api",
  ...{ mcp: "api", input: "api", approval: "api", request: "api", push: "api", grant: "iam" },
  ...{ mode: "configuration", rules: "configuration", mask: "configuration", desktop: "api" },
  ...{ secret: "configuration", keep_awake: "configuration", browser: "api", backup: "api", audit: "api" },
};

const VERBS: Readonly<Record<string, Verb>> = {
  ...{ login: "start", logout: "end", failed: "fail", locked: "deny", denied: "deny", triggered: "deny" },
  ...{ added: "create", created: "create", issued: "create", given: "create", pairing_made: "create" },
  ...{
    changed: "update",
    kept: "update",
    identity_forgotten: "update",
    resumed: "update",
    extended: "update",
  },
  ...{ removed: "delete", revoked: "delete", unpaired: "delete", pruned: "delete" },
  ...{ shown: "read", viewed: "read", exported: "read", taken: "read", analyzed: "read", tested: "read" },
  ...{ opened: "start", started: "start", joined: "start", connected: "start", subscribed: "start" },
  ...{ closed: "end", lost: "end", stopped: "end", left: "end", disconnected: "end", unsubscribed: "end" },
  ...{ ended: "end", given_back: "end", returned: "end", done: "end", taken_over: "start", paired: "start" },
  ...{ refused: "deny", declined: "deny", expired: "deny", cancelled: "end", stale: "deny" },
  ...{ requested: "other", asked: "other", granted: "other", sent: "other", used: "other", acted: "other" },
  ...{ tool_call: "other", tool_result: "other", performed: "other", reconnect_requested: "other" },
  ...{
    jwt_validated: "other",
    request: "other",
    response: "other",
    restored: "other",
    archived: "other",
    archive_failed: "fail",
    gap: "fail",
    break: "fail",
    checkpoint: "other",
  },
};

/** Throws Error for a type that is in neither table: a test goes through all. */
export function kindOf(type: AuditType): { readonly noun: Noun; readonly verb: Verb } {
  const [first = "", second = ""] = type.split(".");
  const [noun, verb] = [NOUNS[first], VERBS[second]];
  if (noun === undefined || verb === undefined) {
    throw new Error(`${type} is in no table of src/audit/mapping/kinds.ts`);
  }
  return { noun, verb };
}
