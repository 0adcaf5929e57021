/** So many times within a window of time, and no more. Time is what the caller says it is and only grows. */
export class BurstLimit {
  readonly #most: number;
  readonly #windowMs: number;
  #startMs = Number.NEGATIVE_INFINITY;
  #count = 0;
  #countBefore = 0;

  constructor(most: number, windowMs: number) {
    this.#most = most;
    this.#windowMs = windowMs;
  }

  /** Counts one; false where it is one too many. Two windows are kept, so that no burst hides on their border. */
  admits(nowMs: number): boolean {
    const sinceMs = nowMs - this.#startMs;
    if (sinceMs >= this.#windowMs) {
      this.#countBefore = sinceMs < 2 * this.#windowMs ? this.#count : 0;
      this.#count = 0;
      this.#startMs = sinceMs < 2 * this.#windowMs ? this.#startMs + this.#windowMs : nowMs;
    }
    this.#count++;
    const remains = 1 - (nowMs - this.#startMs) / this.#windowMs;
    return this.#count + this.#countBefore * remains <= this.#most;
  }
}
