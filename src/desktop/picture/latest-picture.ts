import type { Rect } from "../../framebuffer/rect.ts";
import { type Clock, delay } from "../../platform/clock.ts";
import { RefusedError } from "../error.ts";
import type { Link } from "../link.ts";

/** How long an action that is bound to what was seen waits for the target to say what it shows now. */
const LATEST_MS = 1000;

/**
 * Resolves when what the target shows now is in the picture. `area`: the part that matters; null: no part in
 * particular. Rejects with RefusedError stale_screen where the target does not say so in time, and with the signal's
 * reason.
 */
export async function latestPicture(
  link: Link | null,
  clock: Clock,
  signal: AbortSignal,
  area: Rect | null,
): Promise<void> {
  const limit = new AbortController();
  const known = (link?.latest(area) ?? Promise.reject(new Error("no link"))).then(
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
      `the target did not confirm its picture within ${LATEST_MS / 1000} s, so that what this is meant for may be gone: try again`,
    );
  }
}
