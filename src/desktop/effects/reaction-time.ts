/** What was seen counts so much less with each further action that had a quicker effect, or none. */
const KEPT = 0.7;
/**
 * Of a desktop of which nothing is known yet: programs, and this one, may have to be loaded. One of 18 first clicks on a busy machine was
 * answered as without effect and had one later (2026-11-25).
 */
const UNKNOWN_MS = 250;
/** What changes later than this after an action is not taken for what it did. */
const MOST_MS = 1500;

/**
 * How long the programs of a desktop took lately to show what an action did, after the target itself had taken the input:
 * on a busy machine that is a second, where it is 20 ms at other times, and only the screen tells.
 */
export class ReactionTime {
  #ms = 0;
  /** How long what the first actions did is waited for; less with each action. */
  #unknownMs: number;
  /** When the target had taken the last action, to which nothing was seen to react yet; null: there is none. */
  #takenAtMs: number | null = null;

  /** `unknownMs`: how long what the first action did is waited for. */
  constructor(unknownMs = UNKNOWN_MS) {
    this.#unknownMs = unknownMs;
  }

  /** How long to wait for what an action did. */
  get waitMs(): number {
    return Math.max(this.#ms, this.#unknownMs);
  }

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
    if (this.isAwaited) {
      this.#ms *= KEPT;
      this.#unknownMs *= KEPT;
    }
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
    this.#unknownMs *= KEPT;
    this.#ms = Math.max(this.#ms * KEPT, ms <= MOST_MS ? ms : 0);
  }
}
