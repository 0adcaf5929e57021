/** Why something was refused; each has a next step in its message. */
export type RefusalCode =
  | "invalid_parameters"
  | "not_found"
  | "permission_denied"
  | "denied_by_human"
  | "approval_expired"
  | "stopped"
  | "human_in_control"
  | "target_down"
  | "out_of_bounds"
  | "stale_screenshot"
  | "stale_screen"
  | "not_supported"
  | "rate_limited"
  | "cancelled"
  | "too_many";

/**
 * Policy, quota or input says no: nothing was done and the caller is told what to do next.
 * `message`: lower case, no dot, what was got and what was expected, never a secret.
 */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly code: RefusalCode;
  /** After how long to try again, where that helps. */
  readonly retryAfterMs: number | null;

  constructor(code: RefusalCode, message: string, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(message, options);
    this.code = code;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

export type LinkErrorCode =
  | "unreachable"
  | "handshake_timeout"
  | "stalled"
  | "target_closed"
  | "auth_failed"
  | "password_required"
  | "no_common_auth"
  | "refused"
  /** The target is not the one it was, or does not prove that it is. */
  | "cert_mismatch"
  | "protocol_error"
  | "target_forbidden"
  /** The target lets us in and shows us nothing. */
  | "no_view_permission";

/** A target could not be reached or was lost. `isFinal`: trying again with the same settings cannot help. */
export class LinkError extends Error {
  override readonly name = "LinkError";
  readonly code: LinkErrorCode;
  readonly isFinal: boolean;

  constructor(code: LinkErrorCode, message: string, options: { cause?: unknown; isFinal?: boolean } = {}) {
    super(message, options);
    this.code = code;
    this.isFinal = options.isFinal ?? false;
  }
}
