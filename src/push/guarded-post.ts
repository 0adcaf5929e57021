import type { TargetReach } from "../desktop/connections/target-guard.ts";
import { GuardError, guardedRequest } from "../desktop/links/guarded-request.ts";
import { PushError } from "./receiver.ts";

/** Statuses that may be others the next time. */
const PASSING = new Set([408, 409, 425, 429]);

export interface GuardedPost {
  readonly url: string;
  readonly method?: "POST" | "HEAD";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/**
 * Sends a body to where it may be sent: addresses are judged as those of desktops are, and the one that was judged is
 * connected to. A redirect is no yes, for it would take the message to who knows where. Throws PushError with the status
 * where there was one; never the address, which may be a secret.
 */
export async function guardedPost(post: GuardedPost, reach: TargetReach): Promise<void> {
  const status = await statusOf(post, reach);
  if (status.code >= 200 && status.code < 300) return;
  throw new PushError(`answered ${status.code}, expected 200 to 299`, {
    isFinal: status.code < 500 && !PASSING.has(status.code),
    ...{ pauseMs: status.pauseMs, status: status.code },
  });
}

/** Resolves where something answers, whatever it says. Throws PushError. */
export async function guardedLook(url: string, reach: TargetReach): Promise<void> {
  await statusOf({ url, method: "HEAD", headers: {}, body: "" }, reach);
}

async function statusOf(
  request: GuardedPost,
  reach: TargetReach,
): Promise<{ readonly code: number; readonly pauseMs: number }> {
  try {
    const { status, pauseMs } = await guardedRequest({ method: "POST", ...request }, reach);
    return { code: status, pauseMs };
  } catch (cause) {
    if (!(cause instanceof GuardError)) throw cause;
    throw new PushError(cause.message, { isFinal: cause.isForbidden, cause });
  }
}
