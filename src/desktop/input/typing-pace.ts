import { type Clock, delay } from "../../platform/clock.ts";
import type { PerformOptions } from "../control/action.ts";
import { LinkError, type PartDone, RefusedError } from "../error.ts";
import type { Input } from "./input.ts";

/** A target that does not answer a barrier within this time is acted on regardless. */
const BARRIER_MS = 1000;

/** As the gate wants an action performed: `report` hears after everything that was sent how far it got. */
export interface PacedOptions extends PerformOptions {
  readonly report?: (done: PartDone) => void;
}

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

  /**
   * Until the target has taken all that was sent; false where it has not said so within `limitMs`. Throws RefusedError
   * target_down, or the signal's reason.
   */
  async barrier(signal: AbortSignal | undefined, limitMs = BARRIER_MS): Promise<boolean> {
    const link = this.#input.link;
    if (link === null)
      throw new RefusedError("target_down", "the target was lost in the middle of the action");
    signal?.throwIfAborted();
    const limit = new AbortController();
    const onAbort = (): void => limit.abort(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([
        link.barrier().then(() => true),
        delay(this.#clock, limitMs, limit.signal).then(() => false),
      ]);
    } catch (cause) {
      signal?.throwIfAborted();
      if (!(cause instanceof LinkError)) throw cause;
      throw new RefusedError("target_down", "the target was lost in the middle of the action", { cause });
    } finally {
      signal?.removeEventListener("abort", onAbort);
      limit.abort();
    }
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
