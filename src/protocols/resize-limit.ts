/** A size may change so often within a second; a real desktop's does not. */
const MAX_RESIZES = 5;
const WINDOW_MS = 1000;

/** Counts the sizes that a target gives its desktop, each of which costs memory of its own. */
export class ResizeLimit {
  #resizedAtMs: number[] = [];

  /** null where there may be another size at this time of a clock that only grows; else what is wrong, in words. */
  refusal(nowMs: number): string | null {
    this.#resizedAtMs = this.#resizedAtMs.filter((at) => nowMs - at < WINDOW_MS);
    this.#resizedAtMs.push(nowMs);
    if (this.#resizedAtMs.length <= MAX_RESIZES) return null;
    return `got ${MAX_RESIZES + 1} sizes within a second, expected at most ${MAX_RESIZES}`;
  }
}
