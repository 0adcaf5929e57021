import { type Clock, delay } from "../../platform/clock.ts";
import type { PerformOptions } from "../control/action.ts";
import { LinkError, type PartDone, RefusedError } from "../error.ts";
import type { Link } from "../link.ts";
import type { Input } from "./input.ts";

/** A target that does not answer a barrier within this time is acted on regardless. */
const BARRIER_MS = 1000;

/**
 * Where a target answers a fence later than it can, its programs wait for the processor as well, and several take part
 * in what one of them does with a move: so much longer they get, and so much at most.
 */
const LATENESS = 8;
const MOST_LATE_MS = 500;

/** As the gate wants an action performed: `report` hears after everything that was sent how far it got. */
export interface PacedOptions extends PerformOptions {
  readonly report?: (done: PartDone) => void;
}

/** How fast input goes down: as the target keeps up, and as hesitantly as the caller wants. */
export class Pace {
  readonly #input: Input;
  readonly #clock: Clock;
  readonly #random: () => number;
  /** The quickest answer to a fence of the link it was measured on: what the way there takes. */
  #quickest: { readonly link: Link; readonly ms: number } | null = null;

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

  /** True where the target answers when it has taken the input, and not when it looks for pixels next. */
  get hasFence(): boolean {
    return this.#input.link?.hasFence?.() === true;
  }

  /**
   * Until the target has taken all that was sent and its programs had `restMs` for it, or longer where it is slow: at
   * most `mostLateMs`. Says how much longer.
   */
  async rest(restMs: number, signal: AbortSignal | undefined, mostLateMs = MOST_LATE_MS): Promise<number> {
    const { link } = this.#input;
    const sinceMs = this.#clock.nowMs();
    await this.barrier(signal);
    const tookMs = this.#clock.nowMs() - sinceMs;
    let lateMs = 0;
    if (link !== null && this.hasFence) {
      const known = this.#quickest?.link === link ? this.#quickest.ms : tookMs;
      this.#quickest = { link, ms: Math.min(known, tookMs) };
      lateMs = Math.min(mostLateMs, MOST_LATE_MS, (tookMs - this.#quickest.ms) * LATENESS);
    }
    await this.wait(restMs + lateMs, signal);
    return lateMs;
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
