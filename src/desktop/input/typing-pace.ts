import type { Point } from "../../framebuffer/rect.ts";
import { type Clock, delay } from "../../platform/clock.ts";
import type { PerformOptions } from "../control/action.ts";
import type { FoundPlace } from "../control/found-place.ts";
import { LinkError, type PartDone, RefusedError } from "../error.ts";
import type { Link } from "../link.ts";
import type { EchoPort } from "./echo-port.ts";
import type { Input } from "./input.ts";
import type { TypedPart } from "./placeholders.ts";

/** A target that does not answer a barrier within this time is acted on regardless. */
const BARRIER_MS = 1000;

/**
 * Where a target answers a fence later than it can, its programs wait for the processor as well, and several take part
 * in what one of them does with a move: so much longer they get, and so much at most.
 */
const LATENESS = 8;
const MOST_LATE_MS = 500;
/**
 * A window manager that holds every press until it has looked at it (openbox, to move the focus) loses the release and
 * the next press where both come before it let go of the first: they are so far apart at least (docs/performance.md).
 * Presses at one place are meant to be quick; one elsewhere is another matter, and gets more.
 */
const APART_MS = 30;
const ELSEWHERE_MS = 120;
/** No program takes presses nearer to each other than this for two places. */
const ONE_PLACE_PIXELS = 4;

export interface RestLimits {
  /** So much longer its programs have at least. */
  readonly leastLateMs?: number;
  /** So much longer a slow target has at most. */
  readonly mostLateMs?: number;
  /** So long it may take to say that it took what was sent. */
  readonly fenceMs?: number;
}

/** What a rest was. */
export interface Rest {
  /** How much longer than asked for, because the target is slow. */
  readonly lateMs: number;
  /** False where the target did not say in time that it took what was sent. */
  readonly isTaken: boolean;
  /** How long it was until it said so. */
  readonly tookMs: number;
}

/** A button came up. */
interface Release extends Point {
  readonly atMs: number;
  /** False while the target has not said that it took that, although it can. */
  isTaken: boolean;
}

/** As the gate wants an action performed: `report` hears after everything that was sent how far it got. */
export interface PacedOptions extends PerformOptions {
  readonly report?: (done: PartDone) => void;
  /** What is typed in place of the action's text, secrets opened. INVARIANT: never told, kept or logged. */
  readonly typed?: readonly TypedPart[];
  /** Hears of the keys of secrets. */
  readonly echo?: EchoPort;
  /** `found`, as it is known. */
  readonly place?: FoundPlace | null;
  /** Resolves when what the target shows now is known, where something depends on it: for what waits before it presses. */
  readonly newest?: () => Promise<void>;
  /** Of a click; null: nothing says what is under the pointer. */
  readonly prove?: Proving | null;
}

/** Whether what is meant is under the pointer. Both reject where the click must not be. */
export interface Proving {
  /** Before the pointer comes. */
  ready(): Promise<void>;
  /** When it is there. `wheel` puts a notch to the left down, or lets it go. */
  under(wheel: (isDown: boolean) => void): Promise<void>;
}

/** How fast input goes down: as the target keeps up, and as hesitantly as the caller wants. */
export class Pace {
  readonly #input: Input;
  readonly #clock: Clock;
  readonly #random: () => number;
  /** The quickest answer to a fence of the link it was measured on: what the way there takes. */
  #quickest: { readonly link: Link; readonly ms: number } | null = null;
  #released: Release = { x: 0, y: 0, atMs: Number.NEGATIVE_INFINITY, isTaken: true };

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

  /** What the way to the target and back takes at least; 0 while that is not known. */
  get quickestMs(): number {
    return this.#quickest?.link === this.#input.link ? (this.#quickest?.ms ?? 0) : 0;
  }

  /**
   * Until the target has taken all that was sent and its programs had `restMs` for it, or longer where it is slow.
   * Throws as `barrier`.
   */
  async rest(restMs: number, signal: AbortSignal | undefined, limits: RestLimits = {}): Promise<Rest> {
    const { leastLateMs = 0, mostLateMs = MOST_LATE_MS, fenceMs = BARRIER_MS } = limits;
    const { link } = this.#input;
    const sinceMs = this.#clock.nowMs();
    const isTaken = await this.barrier(signal, fenceMs);
    const tookMs = this.#clock.nowMs() - sinceMs;
    let lateMs = leastLateMs;
    if (link !== null && this.hasFence) {
      const known = this.#quickest?.link === link ? this.#quickest.ms : tookMs;
      this.#quickest = { link, ms: Math.min(known, tookMs) };
      const slowMs = (tookMs - this.#quickest.ms) * LATENESS;
      lateMs = Math.max(leastLateMs, Math.min(mostLateMs, MOST_LATE_MS, slowMs));
    }
    await this.wait(restMs + lateMs, signal);
    return { lateMs, isTaken, tookMs };
  }

  /** A button came up now, where the pointer is. This does not wait for the target's answer; the next press does. */
  released(): void {
    const release = { ...this.#input.position, atMs: this.#clock.nowMs(), isTaken: !this.hasFence };
    this.#released = release;
    if (release.isTaken) return;
    const taken = (): void => {
      release.isTaken = true;
    };
    // A target that is lost has let go of it.
    this.#input.link?.barrier().then(taken, taken);
  }

  /**
   * Before a press: until what came up last is over for the programs there; at once where it is long ago and was taken.
   * False where the target did not say in time that it took that.
   */
  async apart({ x, y }: Point, signal: AbortSignal | undefined): Promise<boolean> {
    const last = this.#released;
    const isElsewhere = Math.max(Math.abs(x - last.x), Math.abs(y - last.y)) > ONE_PLACE_PIXELS;
    const leastMs = isElsewhere ? ELSEWHERE_MS : APART_MS;
    const upMs = this.#clock.nowMs() - last.atMs;
    if (last.isTaken && upMs >= leastMs + MOST_LATE_MS) return true;
    return (await this.rest(Math.max(0, leastMs - upMs), signal)).isTaken;
  }

  /** The random wait that a caller asked for before each stroke and click. */
  async hesitate({ timing, signal }: PerformOptions): Promise<void> {
    if (timing === undefined || timing.maxDelayMs === 0) return;
    const { minDelayMs, maxDelayMs } = timing;
    await delay(this.#clock, minDelayMs + (maxDelayMs - minDelayMs) * this.#random(), signal);
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  wait(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
    return delay(this.#clock, durationMs, signal);
  }
}
