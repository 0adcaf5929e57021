import type { PerformOptions } from "./action.ts";
import { type Clock, delay } from "./clock.ts";
import { LinkError, RefusedError } from "./error.ts";
import type { Input } from "./input.ts";

/** A target that does not answer a barrier within this time is acted on regardless. */
const BARRIER_MS = 1000;

/** How fast input goes down: as the target keeps up, and as hesitantly as the caller wants. */
export class Pace {
  readonly #input: Input;
  readonly #clock: Clock;
  readonly #random: () => number;

  constructor(input: Input, clock: Clock, random: () => number) {
    this.#input = input;
    this.#clock = clock;
    this.#random = random;
  }

  /** Until the target has taken all that was sent; throws RefusedError target_down, or the signal's reason. */
  async barrier(signal: AbortSignal | undefined): Promise<void> {
    const link = this.#input.link;
    if (link === null)
      throw new RefusedError("target_down", "the target was lost in the middle of the action");
    const limit = new AbortController();
    try {
      await Promise.race([link.barrier(), delay(this.#clock, BARRIER_MS, limit.signal)]);
    } catch (cause) {
      if (!(cause instanceof LinkError)) throw cause;
      const message = `the target was lost in the middle of the action: ${cause.message}`;
      throw new RefusedError("target_down", message, { cause });
    } finally {
      limit.abort();
    }
    signal?.throwIfAborted();
  }

  /** The random wait that a caller asked for before each stroke and click. */
  async hesitate({ timing, signal }: PerformOptions): Promise<void> {
    if (timing === undefined || timing.maxDelayMs === 0) return;
    const { minDelayMs, maxDelayMs } = timing;
    await delay(this.#clock, minDelayMs + (maxDelayMs - minDelayMs) * this.#random(), signal);
  }

  wait(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
    return delay(this.#clock, durationMs, signal);
  }
}
