import { RefusedError } from "../desktop/error.ts";

/** Pictures made at a time for one principal: each holds a copy of the pixels until it is encoded. */
const MOST_AT_ONCE = 4;
/** Of one principal, that wait until one of those is done. */
const MOST_WAITING = 60;

interface Line {
  inWork: number;
  readonly waiting: (() => void)[];
}

/** Has a few pictures made at a time for each principal: who asks for many at once waits for their own. */
export class PictureTurns {
  readonly #lines = new Map<string, Line>();

  /** Principals that have or want pictures now. */
  get size(): number {
    return this.#lines.size;
  }

  /** Runs `make` when it is its turn. Throws RefusedError rate_limited where too many wait, and what `signal` says. */
  async run<Result>(principalId: string, signal: AbortSignal, make: () => Promise<Result>): Promise<Result> {
    const line = this.#lines.get(principalId) ?? { inWork: 0, waiting: [] };
    if (line.waiting.length >= MOST_WAITING) {
      throw new RefusedError(
        "rate_limited",
        `${MOST_AT_ONCE} of your pictures are being made and ${MOST_WAITING} wait: expected fewer at once`,
        { retryAfterMs: 1000 },
      );
    }
    this.#lines.set(principalId, line);
    if (line.inWork < MOST_AT_ONCE) line.inWork += 1;
    else await new Promise<void>((resolve) => line.waiting.push(resolve));
    try {
      signal.throwIfAborted();
      return await make();
    } finally {
      // Whose turn it is next takes the place over.
      const next = line.waiting.shift();
      if (next === undefined) line.inWork -= 1;
      else next();
      if (line.inWork === 0) this.#lines.delete(principalId);
    }
  }
}
