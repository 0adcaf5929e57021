import { RefusedError } from "../error.ts";
import { PICTURE_URGENCIES, type PictureUrgency } from "../view.ts";

export interface PictureSchedulerLimits {
  /** Pictures made at a time for one principal: each holds a copy of the pixels until it is encoded. */
  readonly mostAtOnce: number;
  /** Of one principal, that wait until one of those is done. */
  readonly mostWaiting: number;
  /** Made at a time for all together; default any number. */
  readonly mostInAll?: number;
}

const LIMITS: PictureSchedulerLimits = { mostAtOnce: 4, mostWaiting: 60 };

interface Waiter {
  readonly urgency: PictureUrgency;
  begin(): void;
}

interface Line {
  inWork: number;
  readonly waiting: Waiter[];
}

/**
 * Has a few pictures made at a time: who asks for many at once waits for their own, principals take turns, and what is
 * more urgent goes first.
 */
export class PictureScheduler {
  /** In the order of their turns. */
  readonly #lines = new Map<string, Line>();
  readonly #limits: PictureSchedulerLimits;
  #inWork = 0;

  constructor(limits: PictureSchedulerLimits = LIMITS) {
    this.#limits = limits;
  }

  /** Principals that have or want pictures now. */
  get size(): number {
    return this.#lines.size;
  }

  /** Runs `make` when it is its turn; throws as `enter` does. */
  async run<Result>(
    principalId: string,
    signal: AbortSignal,
    make: () => Promise<Result>,
    urgency?: PictureUrgency,
  ): Promise<Result> {
    const leave = await this.enter(principalId, signal, urgency);
    try {
      return await make();
    } finally {
      leave();
    }
  }

  /**
   * Resolves when it is its turn, with what ends that; calling it again does nothing. Throws RefusedError rate_limited
   * where too many wait, and what `signal` says.
   */
  async enter(
    principalId: string,
    signal: AbortSignal,
    urgency: PictureUrgency = "look",
  ): Promise<() => void> {
    signal.throwIfAborted();
    const { mostAtOnce, mostWaiting } = this.#limits;
    const line = this.#lines.get(principalId) ?? { inWork: 0, waiting: [] };
    if (line.waiting.length >= mostWaiting) {
      throw new RefusedError(
        "rate_limited",
        `${mostAtOnce} of your pictures are being made and ${mostWaiting} wait: expected fewer at once`,
        { retryAfterMs: 1000 },
      );
    }
    this.#lines.set(principalId, line);
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => {
        line.waiting.splice(line.waiting.indexOf(waiter), 1);
        this.#tidy(principalId, line);
        reject(signal.reason);
      };
      const waiter = {
        urgency,
        begin: () => {
          signal.removeEventListener("abort", stop);
          resolve();
        },
      };
      signal.addEventListener("abort", stop, { once: true });
      line.waiting.push(waiter);
      this.#fill();
    });
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      line.inWork -= 1;
      this.#inWork -= 1;
      this.#tidy(principalId, line);
      this.#fill();
    };
  }

  #fill(): void {
    while (this.#inWork < (this.#limits.mostInAll ?? Number.POSITIVE_INFINITY) && this.#beginNext());
  }

  /** The most urgent of those who waited longest for a turn; false where nobody may begin. */
  #beginNext(): boolean {
    for (const urgency of PICTURE_URGENCIES) {
      for (const [principalId, line] of this.#lines) {
        if (line.inWork >= this.#limits.mostAtOnce) continue;
        const at = line.waiting.findIndex((waiter) => waiter.urgency === urgency);
        const [waiter] = at < 0 ? [] : line.waiting.splice(at, 1);
        if (waiter === undefined) continue;
        line.inWork += 1;
        this.#inWork += 1;
        // Behind all others from now on.
        this.#lines.delete(principalId);
        this.#lines.set(principalId, line);
        waiter.begin();
        return true;
      }
    }
    return false;
  }

  #tidy(principalId: string, line: Line): void {
    if (line.inWork === 0 && line.waiting.length === 0) this.#lines.delete(principalId);
  }
}

/**
 * The line of the process in which large pictures wait to be taken and encoded: so many hold a copy of their pixels at a
 * time. WebP is made by Node's own four threads, which files need as well. Faces limit how many wait before.
 */
export const pictureLine = new PictureScheduler({
  mostAtOnce: 2,
  mostInAll: 2,
  mostWaiting: Number.POSITIVE_INFINITY,
});

/**
 * The line in which frames of recordings wait to be read, before they wait in `pictureLine`: each is a picture of its own
 * until it is encoded, and reading one from a file holds up no picture of a desktop.
 */
export const frameLine = new PictureScheduler({
  mostAtOnce: 2,
  mostInAll: 2,
  mostWaiting: Number.POSITIVE_INFINITY,
});
