import type { Clock } from "../platform/clock.ts";

/** A desktop stays watched for so long after an agent last looked or acted. */
const WATCHED_AFTER_USE_MS = 30_000;

/** Whether an agent used a desktop a moment ago. */
export class RecentUse {
  readonly #clock: Clock;
  readonly #changed: () => void;
  #cancel: (() => void) | null = null;

  /** `changed` is called at each use, and when the last one is long ago. */
  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  get isRecent(): boolean {
    return this.#cancel !== null;
  }

  touch(): void {
    this.#cancel?.();
    this.#cancel = this.#clock.after(WATCHED_AFTER_USE_MS, () => {
      this.#cancel = null;
      this.#changed();
    });
    this.#changed();
  }

  close(): void {
    this.#cancel?.();
  }
}
