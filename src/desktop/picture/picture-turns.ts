import { RefusedError } from "../error.ts";

export interface PictureTurnLimits {
  /** Pictures made at a time for one principal: each holds a copy of the pixels until it is encoded. */
  readonly mostAtOnce: number;
  /** Of one principal, that wait until one of those is done. */
  readonly mostWaiting: number;
}

const LIMITS: PictureTurnLimits = { mostAtOnce: 4, mostWaiting: 60 };

interface Line {
  inWork: number;
  readonly waiting: (() => void)[];
}

/** Has a few pictures made at a time for each principal: who asks for many at once waits for their own. */
export class PictureTurns {
  readonly #lines = new Map<string, Line>();
  readonly #limits: PictureTurnLimits;

  constructor(limits: PictureTurnLimits = LIMITS) {
    this.#limits = limits;
  }

  /** Principals that have or want pictures now. */
  get size(): number {
    return this.#lines.size;
  }

  /** Runs `make` when it is its turn; throws as `enter` does. */
  async run<Result>(principalId: string, signal: AbortSignal, make: () => Promise<Result>): Promise<Result> {
    const leave = await this.enter(principalId, signal);
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
  async enter(principalId: string, signal: AbortSignal): Promise<() => void> {
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
    if (line.inWork < mostAtOnce) line.inWork += 1;
    else await turnIn(line, signal);
    let isIn = true;
    const leave = (): void => {
      if (!isIn) return;
      isIn = false;
      // Whose turn it is next takes the place over.
      const next = line.waiting.shift();
      if (next === undefined) line.inWork -= 1;
      else next();
      if (line.inWork === 0) this.#lines.delete(principalId);
    };
    if (signal.aborted) leave();
    signal.throwIfAborted();
    return leave;
  }
}

/** Resolves when a place in the line is handed over; rejects at once, and leaves the line, where the caller goes away. */
function turnIn({ waiting }: Line, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const enter = (): void => {
      signal.removeEventListener("abort", leave);
      resolve();
    };
    const leave = (): void => {
      waiting.splice(waiting.indexOf(enter), 1);
      reject(signal.reason);
    };
    waiting.push(enter);
    signal.addEventListener("abort", leave, { once: true });
  });
}
