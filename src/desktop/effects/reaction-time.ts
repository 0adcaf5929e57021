/** What was seen counts so much less with each further action that had a quicker effect, or none. */
const KEPT = 0.7;
/** What changes later than this after an action is not taken for what it did. */
const MOST_MS = 1500;

/**
 * How long the programs of a desktop took lately to show what an action did, after the target itself had taken the input:
 * on a busy machine that is a second, where it is 20 ms at other times, and only the screen tells.
 */
export class ReactionTime {
  #ms = 0;
  /** When the target had taken the last action; "sent": not yet; null: something has changed since. */
  #takenAtMs: number | "sent" | null = null;

  /** Of the slowest lately; 0 while nothing is known. */
  get ms(): number {
    return this.#ms;
  }

  /** Input was sent. */
  acted(): void {
    if (this.#takenAtMs !== null) this.#ms *= KEPT;
    this.#takenAtMs = "sent";
  }

  /** The target has taken it, and nothing has changed. */
  taken(atMs: number): void {
    this.#takenAtMs = atMs;
  }

  /** Something changed that does not change by itself. */
  changed(atMs: number): void {
    if (this.#takenAtMs === null) return;
    const ms = this.#takenAtMs === "sent" ? 0 : atMs - this.#takenAtMs;
    this.#takenAtMs = null;
    this.#ms = Math.max(this.#ms * KEPT, ms <= MOST_MS ? ms : 0);
  }
}
