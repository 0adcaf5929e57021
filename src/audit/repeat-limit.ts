import type { Clock } from "../platform/clock.ts";

/** Like events are recorded once in this time; the record says how many came since the one before. */
const WINDOW_MS = 60_000;
/** Keys remembered at a time; beyond it the oldest is forgotten, and its next event is recorded at once. */
const MAX_WINDOWS = 1000;

/**
 * Limits how often like events are recorded, so that a flood does not fill the log: the first of each key at once, then
 * one a minute.
 */
export class RepeatLimit {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #windows = new Map<string, { readonly atMs: number; missed: number }>();

  constructor(clock: Pick<Clock, "nowMs">) {
    this.#clock = clock;
  }

  /** How many events of this key were left out since the last record; null: leave this one out as well. */
  meet(key: string): number | null {
    const nowMs = this.#clock.nowMs();
    const window = this.#windows.get(key);
    if (window !== undefined && nowMs - window.atMs < WINDOW_MS) {
      window.missed++;
      return null;
    }
    this.#windows.delete(key);
    this.#windows.set(key, { atMs: nowMs, missed: 0 });
    for (const oldest of this.#windows.keys()) {
      if (this.#windows.size <= MAX_WINDOWS) break;
      this.#windows.delete(oldest);
    }
    return window?.missed ?? 0;
  }
}
