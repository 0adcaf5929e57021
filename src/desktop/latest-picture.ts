import { type Clock, delay } from "./clock.ts";
import { RefusedError } from "./error.ts";
import type { Link } from "./link.ts";

/** How long an approved action waits for the target to say what it shows now. */
const LATEST_MS = 1000;

/**
 * What the target shows now is in the picture. Throws RefusedError stale_screen where it does not say so in time, and
 * the signal's reason.
 */
export async function latestPicture(link: Link | null, clock: Clock, signal: AbortSignal): Promise<void> {
  const limit = new AbortController();
  const known = (link?.latest() ?? Promise.reject(new Error("no link"))).then(
    () => true,
    () => false,
  );
  const isKnown = await Promise.race([
    known,
    delay(clock, LATEST_MS, AbortSignal.any([signal, limit.signal])).then(
      () => false,
      () => false,
    ),
  ]);
  limit.abort();
  signal.throwIfAborted();
  if (!isKnown) {
    throw new RefusedError(
      "stale_screen",
      `the target did not confirm its picture within ${LATEST_MS / 1000} s, so that what was approved may be gone: try again`,
    );
  }
}
