/** As many as readings that are kept. */
const MOST_LINES = 8000;

/**
 * Lines as they looked while no pointer was drawn into the picture: one that looks so has none on it. INVARIANT: what the
 * picture of one question showed counts only once it is known that it had no pointer, for that may be told a little late.
 */
export class ClearLines {
  /** By hash; what was seen last is last. */
  readonly #known = new Set<string>();
  #newest: readonly string[] = [];

  /**
   * The lines of the picture that is asked about. `isPointed`: a pointer may be drawn into it; `wasPointed`: it may have been
   * drawn already into the one that was asked about before.
   */
  take(hashes: readonly string[], isPointed: boolean, wasPointed: boolean): void {
    if (!wasPointed) for (const hash of this.#newest) this.#keep(hash);
    this.#newest = isPointed ? [] : hashes;
  }

  has(hash: string): boolean {
    return this.#known.has(hash);
  }

  #keep(hash: string): void {
    this.#known.delete(hash);
    this.#known.add(hash);
    if (this.#known.size <= MOST_LINES) return;
    for (const oldest of this.#known) {
      this.#known.delete(oldest);
      return;
    }
  }
}
