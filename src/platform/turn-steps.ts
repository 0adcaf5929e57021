import { loopTurns, type WorkKind } from "./loop-turns.ts";

/** Steps begin in so much of a turn; the last of them may take longer. */
const PART_MS = 1.5;

/**
 * Does work that yields between its steps in turns to come that have time for that kind. `isCancelled` is asked before
 * each turn: where it says so the rest is left. Rejects with what a step throws.
 */
export function overTurns(
  kind: WorkKind,
  steps: Iterator<unknown, void, undefined>,
  isCancelled: () => boolean,
  turns = loopTurns,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const part = (): void => {
      if (isCancelled()) {
        resolve();
        return;
      }
      const startedAtMs = performance.now();
      const spentMs = (): number => performance.now() - startedAtMs;
      try {
        do {
          if (steps.next().done !== true) continue;
          resolve();
          return;
        } while (spentMs() < PART_MS);
        turns.next(kind, PART_MS, part);
      } catch (error) {
        reject(error);
      } finally {
        turns.took(kind, spentMs());
      }
    };
    turns.next(kind, PART_MS, part);
  });
}
