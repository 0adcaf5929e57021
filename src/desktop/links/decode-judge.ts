const SECOND_MS = 1000;

/**
 * A turn so long is felt, however fairly a link lets others in between its turns: it is all that a key may take longer
 * on its way through us, in the slowest one of twenty.
 */
const LONG_TURN_MS = 10;

/** With a tenth of a second spent in long turns, every tenth event finds one in its way. */
const MOST_LONG_MS = 100;

/** However short the turns: three such desktops leave the thread to nobody. */
const MOST_SPENT_MS = 300;

/** So many of the last seconds have to be heavy: a window that opens, or a first picture, is no reason to move. */
const WINDOW_SECONDS = 4;
const HEAVY_SECONDS = 3;

/** Judges by how long a link's turns of decoding take whether the thread is too good for it. Times are a clock's. */
export class DecodeJudge {
  #second = Number.NEGATIVE_INFINITY;
  #spentMs = 0;
  #longMs = 0;
  /** Whether each of the last seconds was heavy, the newest last; without the present one. */
  #past: readonly boolean[] = [];

  /** One turn of decoding is over; true where the link should move. */
  took(startMs: number, tookMs: number): boolean {
    this.#enter(Math.floor(startMs / SECOND_MS));
    this.#spentMs += tookMs;
    if (tookMs >= LONG_TURN_MS) this.#longMs += tookMs;
    const heavy = this.#past.filter((isHeavy) => isHeavy).length + (this.#isHeavy ? 1 : 0);
    return heavy >= HEAVY_SECONDS;
  }

  get #isHeavy(): boolean {
    return this.#longMs >= MOST_LONG_MS || this.#spentMs >= MOST_SPENT_MS;
  }

  #enter(second: number): void {
    if (second === this.#second) return;
    const idle = Math.min(Math.max(0, second - this.#second - 1), WINDOW_SECONDS);
    const passed = [this.#isHeavy, ...new Array<boolean>(idle).fill(false)];
    this.#past = [...this.#past, ...passed].slice(-(WINDOW_SECONDS - 1));
    this.#second = second;
    this.#spentMs = 0;
    this.#longMs = 0;
  }
}
