import { type Rect, rect } from "../../../framebuffer/rect.ts";
import type { Region } from "../../../framebuffer/region.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { LinkError } from "../../error.ts";
import { Barriers } from "../barriers.ts";

/**
 * RDP has no request that every host answers: one that never answered, and sends nothing for this long, has sent all.
 */
const SILENT_MS = 200;
/** How long a host that has answered before is waited for. */
const BUSY_MS = 1000;
/**
 * A host that copies its screen now and then has done so within this time: FreeRDP's shadow server does 16 times a
 * second.
 */
const SAMPLE_MS = 100;
/**
 * The pixels that are asked for when any answer will do: more than one, for FreeRDP 2.11's shadow server takes the
 * last column and row for the ones behind (2026-11-21).
 */
const PROBE = rect(0, 0, 2, 2);
/** Hosts round the pixels up to their tiles. */
const MOST_ANSWER_SIDE = 64;

/**
 * Finds out when an RDP host has sent all that it painted until now: some of its pixels are asked for again, and come
 * after the rest.
 */
export class RefreshBarrier {
  readonly #ask: (pixels: Rect) => void;
  readonly #clock: Clock;
  readonly #waiting = new Barriers();
  /** How to call off, and how to reject, each that waits for the host to copy its screen anew. */
  readonly #sampled = new Map<() => void, (error: LinkError) => void>();
  #hasAnswered = false;
  /** Of the last update: nothing was missing after it. */
  #isWhole = true;
  #cancel: (() => void) | null = null;

  /** `ask` sends a Refresh Rect. */
  constructor(ask: (pixels: Rect) => void, clock: Clock) {
    this.#ask = ask;
    this.#clock = clock;
  }

  /** The host has answered a question before, so its silence says something. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /**
   * Resolves when what had changed before is painted; rejects with the LinkError that ends the link. `isSampled`: the
   * host copies its screen now and then, so what is there now is in its answer only a while later.
   */
  ask(isSampled = false): Promise<void> {
    if (!isSampled) return this.#askNow();
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(SAMPLE_MS, () => {
        this.#sampled.delete(cancel);
        this.#askNow().then(resolve, reject);
      });
      this.#sampled.set(cancel, reject);
    });
  }

  /** Asks without anybody waiting for the answer. */
  probe(): void {
    this.#ask(PROBE);
  }

  /**
   * After an update is in the picture. `isWhole`: nothing is missing of what the host has to send, such as all of its
   * picture after it was told to be silent.
   */
  painted(painted: Region, isWhole: boolean): void {
    const wasWhole = this.#isWhole;
    this.#isWhole = isWhole;
    if (!this.#waiting.isWaiting) return;
    if (isWhole && painted.overlaps(PROBE)) {
      this.#hasAnswered ||= isAnswer(painted);
      this.#passAll();
      return;
    }
    // The answer may have come in the same pass over the screen, before the last of what was missing.
    if (!wasWhole && isWhole) this.#ask(PROBE);
    this.#awaitSilence();
  }

  fail(error: LinkError): void {
    this.#stop();
    for (const [cancel, reject] of this.#sampled) {
      cancel();
      reject(error);
    }
    this.#sampled.clear();
    this.#waiting.fail(error);
  }

  #askNow(): Promise<void> {
    const { passed } = this.#waiting.open();
    this.#ask(PROBE);
    this.#awaitSilence();
    return passed;
  }

  #awaitSilence(): void {
    this.#stop();
    this.#cancel = this.#clock.after(this.#hasAnswered ? BUSY_MS : SILENT_MS, () => this.#passAll());
  }

  #passAll(): void {
    this.#stop();
    this.#waiting.passAll();
  }

  #stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}

/** Only what was asked for was painted: an answer, and no change that happened to come. */
function isAnswer(painted: Region): boolean {
  const { width, height } = painted.bounds;
  return width <= MOST_ANSWER_SIDE && height <= MOST_ANSWER_SIDE;
}
