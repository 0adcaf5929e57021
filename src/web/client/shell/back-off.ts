const FIRST_MS = 400;
const LONGEST_MS = 10_000;

/**
 * How long to wait before try number `attempt` (from 0): doubling from 0.4 s to 10 s. `random` (0 to 1) takes away
 * up to a quarter, so that the viewers of a restarted server do not come back in one wave.
 */
export function backOffMs(attempt: number, random: number): number {
  const fullMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 16));
  return Math.round(fullMs * (1 - random / 4));
}
