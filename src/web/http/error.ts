import type { LinkErrorCode, RefusalCode } from "../../desktop/error.ts";
import { AFTER_PART, LinkError, type NodePlace, type PartDone, RefusedError } from "../../desktop/error.ts";

export type WebErrorCode =
  | "unauthenticated"
  | "insufficient_scope"
  | "provider_unreachable"
  | "locked_out"
  | "bad_host"
  | "bad_origin"
  | "cross_site"
  | "bad_url"
  | "invalid_json"
  | "invalid_request"
  | "body_too_large"
  | "unsupported_media_type"
  | "upgrade_required"
  | "not_built"
  | "internal";

/** A request that the web face refuses. `message`: lower case, no dot, never a secret. */
export class WebError extends Error {
  override readonly name = "WebError";
  readonly code: WebErrorCode;
  readonly retryAfterMs: number | null;

  constructor(code: WebErrorCode, message: string, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(message, options);
    this.code = code;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

type Code = WebErrorCode | RefusalCode | LinkErrorCode;

/** Every code that an answer may carry, its HTTP status, and the next step. */
export const ANSWERS = {
  unauthenticated: [401, "send Authorization: Bearer TOKEN, or sign in at /signin"],
  insufficient_scope: [403, "sign in again and ask for the scopes that WWW-Authenticate names"],
  provider_unreachable: [
    503,
    "try again when the sign-in provider can be reached, or use a token of this server",
  ],
  locked_out: [429, "wait, then try again with the right token"],
  bad_host: [403, "use localhost, or add the name to OC_ALLOWED_HOSTS"],
  bad_origin: [403, "open the web app at its own address, or add that name to OC_ALLOWED_HOSTS"],
  cross_site: [403, "send the request from the web app itself, or with a Bearer token"],
  bad_url: [400, "correct the address"],
  invalid_json: [400, "send one JSON value"],
  invalid_request: [400, "correct the request as its message says"],
  body_too_large: [413, "send at most 1 MiB"],
  unsupported_media_type: [415, "send content-type: application/json"],
  upgrade_required: [426, "open it as a WebSocket"],
  not_built: [503, "run npm run build"],
  internal: [500, "try again; if it stays, look into the server's log"],

  invalid_parameters: [400, null],
  not_found: [404, null],
  permission_denied: [403, "ask someone whose role allows it"],
  denied_by_human: [403, null],
  approval_expired: [409, null],
  too_early: [409, null],
  stopped: [409, "resume the desktop first"],
  human_in_control: [409, "wait until they give it back"],
  private_time: [409, "wait until they are done"],
  target_down: [503, "wait until the desktop is connected again"],
  out_of_bounds: [400, "stay within the desktop's size"],
  stale_screenshot: [409, "take a new screenshot"],
  stale_screen: [409, "look again and decide again"],
  secret_unknown: [404, null],
  secret_unseen: [409, null],
  not_supported: [422, null],
  rate_limited: [429, "wait, then try again"],
  cancelled: [409, null],
  too_many: [429, "remove some first"],
  audit_down: [503, "free the disk or mend the audit sink, then try again: Stop works meanwhile"],
  not_held: [503, "try again when the nodes' etcd answers: its picture goes on meanwhile"],
  held_elsewhere: [421, "ask the node that held_by names"],
  node_unreachable: [
    502,
    "try again in a few seconds, after an action look first what was done, or ask the node that held_by names",
  ],

  unreachable: [502, "check the host and the port"],
  handshake_timeout: [504, "check that a VNC or RDP server listens there"],
  stalled: [504, "reconnect"],
  target_closed: [502, "reconnect"],
  auth_failed: [502, "check the desktop's password"],
  password_required: [502, "enter the desktop's password"],
  no_common_auth: [502, "let the server offer VNC authentication or none"],
  refused: [502, null],
  cert_mismatch: [502, "trust it again only if the target was set up anew"],
  protocol_error: [502, "check that a VNC or RDP server listens there"],
  target_forbidden: [403, "choose another address"],
  no_view_permission: [502, "give the user the right to look on the target, then connect again"],
  no_browser: [502, "install Chromium where the appliance runs, or allow it its sandbox there"],
} as const satisfies Record<Code, readonly [number, string | null]>;

/** An error as the outside sees it. `retryAfterMs` becomes the Retry-After header. */
export interface ErrorAnswer {
  readonly status: number;
  readonly code: Code;
  readonly message: string;
  readonly hint: string | null;
  readonly retryAfterMs: number | null;
  /** How far an action got that ended early; absent where nothing was done. */
  readonly done?: PartDone;
  /** The node of a fleet that has the desktop; absent where it is not known, or not why. */
  readonly heldBy?: NodePlace;
}

/** Fastify's own refusals, by their codes. */
const FRAMEWORK_CODES = new Map<string, readonly [WebErrorCode, string]>([
  ["FST_ERR_CTP_BODY_TOO_LARGE", ["body_too_large", "the body is larger than 1 MiB"]],
  ["FST_ERR_CTP_INVALID_MEDIA_TYPE", ["unsupported_media_type", "the body's content type is not JSON"]],
  ["FST_ERR_CTP_EMPTY_JSON_BODY", ["invalid_json", "the body is empty, expected JSON"]],
  ["FST_ERR_CTP_INVALID_JSON_BODY", ["invalid_json", "the body is not JSON"]],
  [
    "FST_ERR_CTP_INVALID_CONTENT_LENGTH",
    ["invalid_request", "the body is not as long as content-length says"],
  ],
  ["FST_ERR_BAD_URL", ["bad_url", "the URL is not well-formed"]],
  ["FST_ERR_MAX_LIMIT_FOR_PARAM_LENGTH", ["bad_url", "the URL's identifier is too long"]],
  ["FST_ERR_ASYNC_CONSTRAINT", ["bad_url", "the URL cannot be routed"]],
]);

/** Any thrown thing as an answer; what is not one of ours is a bug and tells nothing. */
export function errorAnswer(error: unknown): ErrorAnswer {
  if (error instanceof WebError) return answer(error.code, error.message, error.retryAfterMs);
  if (error instanceof RefusedError) {
    const { heldBy } = error;
    const place = heldBy === null ? {} : { heldBy };
    const told = { ...answer(error.code, error.message, error.retryAfterMs), ...place };
    return error.done === null ? told : { ...told, hint: AFTER_PART, done: error.done };
  }
  if (error instanceof LinkError) return answer(error.code, error.message, null);
  const known = FRAMEWORK_CODES.get(codeOf(error));
  if (known !== undefined) return answer(known[0], known[1], null);
  if (error instanceof SyntaxError) return answer("invalid_json", "the body is not JSON", null);
  const status = statusOf(error);
  if (status >= 400 && status < 500) return answer("invalid_request", "the request is not well-formed", null);
  return answer("internal", "something went wrong in the server", null);
}

function answer(code: Code, message: string, retryAfterMs: number | null): ErrorAnswer {
  const [status, hint] = ANSWERS[code];
  return { status, code, message, hint, retryAfterMs };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

function statusOf(error: unknown): number {
  return error instanceof Error && "statusCode" in error && typeof error.statusCode === "number"
    ? error.statusCode
    : 500;
}
