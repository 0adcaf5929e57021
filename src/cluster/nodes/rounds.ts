import type { Clock } from "../../platform/clock.ts";

const SHORTEST_PAUSE_MS = 50;

/** What is done again and again until the signal aborts: every so often, and soon where that is asked for. */
export class Rounds {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #isAsked = false;
  #wake: () => void = () => undefined;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
  }

  /** `work` never rejects. */
  async run(everyMs: number, work: () => Promise<void>): Promise<void> {
    const clock = this.#clock;
    while (!this.#signal.aborted) {
      const startMs = clock.nowMs();
      this.#isAsked = false;
      await work();
      // However often it is asked for, the process has time for other things.
      await this.#pause(SHORTEST_PAUSE_MS);
      // A clock that went back has it wait no longer.
      const restMs = everyMs - Math.max(0, clock.nowMs() - startMs);
      if (!this.#isAsked && restMs > 0) await this.#pause(restMs, true);
    }
  }

  /** Does not wait for the next time; what is being done is done once more. */
  now(): void {
    this.#isAsked = true;
    this.#wake();
  }

  #pause(restMs: number, mayWake = false): Promise<void> {
    const signal = this.#signal;
    return new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const end = (): void => {
        cancel();
        signal.removeEventListener("abort", end);
        this.#wake = () => undefined;
        resolve();
      };
      const cancel = this.#clock.after(restMs, end);
      signal.addEventListener("abort", end, { once: true });
      if (mayWake) this.#wake = end;
    });
  }
}
