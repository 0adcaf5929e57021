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
  /** When the target had taken the last action, to which nothing was seen to react yet; null: there is none. */
  #takenAtMs: number | null = null;

  /** Of the slowest lately; 0 while nothing is known. */
  get ms(): number {
    return this.#ms;
  }

  /** True while nothing was seen to react to the last action. */
  get isAwaited(): boolean {
    return this.#takenAtMs !== null;
  }

  /** An action begins: what changes from now on is not what the one before it did. */
  began(): void {
    if (this.isAwaited) this.#ms *= KEPT;
    this.#takenAtMs = null;
  }

  /** The target has taken all of it; `hasChanged`: something has changed since it was sent. */
  taken(atMs: number, hasChanged: boolean): void {
    this.#takenAtMs = atMs;
    if (hasChanged) this.changed(atMs);
  }

  /** Something changed that does not change by itself. */
  changed(atMs: number): void {
    if (this.#takenAtMs === null) return;
    const ms = atMs - this.#takenAtMs;
    this.#takenAtMs = null;
    this.#ms = Math.max(this.#ms * KEPT, ms <= MOST_MS ? ms : 0);
  }
}
