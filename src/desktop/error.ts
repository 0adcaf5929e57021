/** Why something was refused; each has a next step in its message. */
export type RefusalCode =
  | "invalid_parameters"
  | "not_found"
  | "permission_denied"
  | "denied_by_human"
  | "approval_expired"
  /** A yes to what was not shown for long enough. */
  | "too_early"
  | "stopped"
  | "human_in_control"
  /** A person has the desktop for themselves: nothing of it is shown to agents. */
  | "private_time"
  | "target_down"
  | "out_of_bounds"
  | "stale_screenshot"
  | "stale_screen"
  /** Names no secret that this agent may have typed on this desktop. */
  | "secret_unknown"
  /** What must be on the screen when a secret is typed is not there. */
  | "secret_unseen"
  | "not_supported"
  | "rate_limited"
  | "cancelled"
  | "too_many"
  /** What is done must be written down first, and cannot be. */
  | "audit_down"
  /** Of a fleet: this node cannot prove now that it has the desktop, so it sends nothing there. */
  | "not_held"
  /** Of a fleet: another node has the desktop. */
  | "held_elsewhere"
  /** Of a fleet: another node has the desktop, and does not answer this one. */
  | "node_unreachable";

/** A node of a fleet. */
export interface NodePlace {
  readonly node: string;
  /** Where it is reached. */
  readonly address: string;
}

/** How far an action got that ended early, a number a word: {typed: 57, of: 200}. `of`: all there was to do. */
export type PartDone = Readonly<Record<string, number>>;

/**
 * Policy, quota or input says no and the caller is told what to do next. Nothing was done where `done` is null.
 * `message`: lower case, no dot, what was got and what was expected, never a secret.
 */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly code: RefusalCode;
  /** After how long to try again, where that helps. */
  readonly retryAfterMs: number | null;
  /** What was done before it ended; null where nothing was sent. */
  readonly done: PartDone | null;
  /** The node that has the desktop; null where that is not known, or not why. */
  readonly heldBy: NodePlace | null;

  constructor(
    code: RefusalCode,
    message: string,
    options: { cause?: unknown; retryAfterMs?: number; done?: PartDone; heldBy?: NodePlace | null } = {},
  ) {
    super(message, options);
    this.code = code;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.done = options.done ?? null;
    this.heldBy = options.heldBy ?? null;
  }
}

/** Where something is to be sent to a target that is not there. */
export function notConnected(): RefusedError {
  return new RefusedError(
    "target_down",
    "the target is not connected: wait until it is live, then try again",
  );
}

/** Where somebody has no desktop at all. */
export function noDesktops(): RefusedError {
  return new RefusedError("not_found", "there is no connection: add one first");
}

/** What to do after an action that ended in its middle, whatever ended it. */
export const AFTER_PART =
  "part of it was done, as `done` says: look at the screen and do only what is missing, not all of it again";

/** The same refusal of an action that was begun: what it advises is not said, for that is to do it all again. */
export function refusedMidway(refused: RefusedError | null, done: PartDone | null): RefusedError | null {
  if (refused === null || done === null) return refused;
  const { code, message, cause } = refused;
  const advice = message.lastIndexOf(": ");
  const what = advice < 0 ? message : message.slice(0, advice);
  return new RefusedError(code, `${what}; by then ${partText(done)}`, { cause, done });
}

/** "57 of 200 characters were typed". */
function partText(done: PartDone): string {
  const { of = 0, typed, confirmed, clicks, chords, notches, points, x, y, steps = 0 } = done;
  if (typed !== undefined) {
    const sure = confirmed === undefined || confirmed >= typed ? "" : `, ${confirmed} of them surely taken`;
    return `${typed} of ${of} characters were typed${sure}`;
  }
  if (clicks !== undefined) return `${clicks} of ${of} clicks were done`;
  if (chords !== undefined) return `${chords} of ${of} key presses were done`;
  if (notches !== undefined) return `${notches} of ${of} notches were turned`;
  if (points !== undefined) return `the button was let go at ${x},${y}, after point ${points} of ${of}`;
  return `${steps} of ${of} steps were done`;
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
  | "no_view_permission"
  /** No Chromium is here, or it cannot run as it is asked to. */
  | "no_browser";

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
