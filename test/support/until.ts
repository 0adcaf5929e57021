import { setTimeout as pause } from "node:timers/promises";

const PAUSE_MS = 20;

/**
 * Asks again and again until `look` gives neither null nor false, and gives that. For what another process does and
 * does not announce. Throws with `what` and the last error after `mostMs`.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | false> | T | null | false,
  mostMs = 15_000,
): Promise<T> {
  const endMs = performance.now() + mostMs;
  let cause: unknown;
  for (;;) {
    try {
      const found = await look();
      if (found !== null && found !== false) return found;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > endMs) throw new Error(`${what} did not happen within ${mostMs} ms`, { cause });
    await pause(PAUSE_MS);
  }
}
