import type { IndexedLine } from "./indexed-line.ts";

/** A gone line is some hundred bytes; who asks less often than so many go is told the whole. */
const MOST_GONE = 2000;

/** Lines that were shown once, and when they went. */
export class GoneLines {
  readonly #lines: { readonly entry: IndexedLine; readonly goneAt: number }[] = [];
  /** Since which generation all that went is known; null before the first one. */
  #knownFrom: number | null = null;

  add(entries: readonly IndexedLine[], generation: number): void {
    this.#knownFrom ??= generation;
    this.#lines.push(...entries.map((entry) => ({ entry, goneAt: generation })));
    const forgotten = this.#lines.splice(0, Math.max(0, this.#lines.length - MOST_GONE)).at(-1);
    if (forgotten !== undefined) this.#knownFrom = forgotten.goneAt;
  }

  /** Whether all that went after that generation is still known. */
  isKnown(generation: number): boolean {
    return this.#knownFrom !== null && generation >= this.#knownFrom;
  }

  /** What stood there at that generation and went later. */
  since(generation: number): IndexedLine[] {
    return this.#lines
      .filter(({ entry, goneAt }) => goneAt > generation && entry.cameAt <= generation)
      .map(({ entry }) => entry);
  }
}
