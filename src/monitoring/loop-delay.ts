import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { Clock } from "../platform/clock.ts";

/** How finely delays are told; each is measured by a timer of this interval. */
const RESOLUTION_MS = 20;
/** Nobody who watches waits longer between two looks; then nothing is measured any more. */
const WATCHED_MS = 150_000;

/** Delays of the event loop since they were last asked for, in seconds. */
export interface LoopDelays {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/**
 * How late the event loop is. It is measured from the first question on, and no longer when nobody asks: a timer that
 * goes off fifty times a second is nothing to keep for nobody.
 */
export class LoopDelay {
  readonly #clock: Clock;
  #histogram: IntervalHistogram | null = null;
  #cancel = (): void => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isMeasured(): boolean {
    return this.#histogram !== null;
  }

  /** null at the first question: nothing was measured yet. */
  take(): LoopDelays | null {
    this.#cancel();
    this.#cancel = this.#clock.after(WATCHED_MS, () => this.close(), { isIdle: true });
    const histogram = this.#histogram;
    if (histogram === null) {
      this.#histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      this.#histogram.enable();
      return null;
    }
    if (histogram.count === 0) return null;
    // The timer's own interval is in each value.
    const seconds = (ns: number): number => Math.max(0, ns / 1e9 - RESOLUTION_MS / 1000);
    const delays = {
      p50: seconds(histogram.percentile(50)),
      p99: seconds(histogram.percentile(99)),
      max: seconds(histogram.max),
    };
    histogram.reset();
    return delays;
  }

  close(): void {
    this.#cancel();
    this.#histogram?.disable();
    this.#histogram = null;
  }
}
