import type { Clock } from "../platform/clock.ts";

/** What happens again and again is one event in so long, which says how many there were since the one before. */
const WINDOW_MS = 60_000;
/** Keys watched at a time; the oldest is forgotten, and told of anew. */
const MAX_WINDOWS = 1000;

/** Decides what of a flood of like events is told: the first of each key, and then one a minute. */
export class RepeatLimit {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #windows = new Map<string, { readonly atMs: number; missed: number }>();

  constructor(clock: Pick<Clock, "nowMs">) {
    this.#clock = clock;
  }

  /** How many were not told of since the last that was; null where this one is not told of either. */
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
