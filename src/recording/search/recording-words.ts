import type { Slice } from "../../platform/loop-turns.ts";
import type { OpenRecording } from "../read/open-recording.ts";
import { blocksWith } from "./unit-set.ts";
import { WordIndex } from "./word-index.ts";
import { WordIndexBuilder } from "./word-index-builder.ts";
import type { KeptIndex } from "./word-index-file.ts";
import { unitsOfEntry } from "./words.ts";

/** So many places of words a part of an index has, about: it is read whole, some hundred kilobytes. */
const MOST_PLACES = 1 << 18;

/** Where a recording may have words. */
export interface RecordingWords {
  /**
   * Where blocks of tracks begin that hold all of some words in one line or entry, in order; no further parts of the index
   * are looked into than it takes to find what is asked for. Throws where it cannot be read.
   */
  blocksWith(words: readonly string[], slice: Slice): AsyncGenerator<number, void, undefined>;
  /** Memory that it takes, about. */
  readonly sizeBytes: number;
}

/** The words of a recording whose index is kept: its parts stay in memory once they were read. */
export class KeptWords implements RecordingWords {
  readonly #kept: KeptIndex;
  readonly #parts = new Map<number, WordIndex>();
  #isBroken = false;

  constructor(kept: KeptIndex) {
    this.#kept = kept;
  }

  get sizeBytes(): number {
    return sizeOf(this.#parts.values());
  }

  /** A part was not what was written: all of it has to be made anew. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  async *blocksWith(words: readonly string[], slice: Slice): AsyncGenerator<number, void, undefined> {
    for (let number = 0; number < this.#kept.parts; number++) {
      yield* await blocksWith(await this.#part(number), words, slice);
    }
  }

  async #part(number: number): Promise<WordIndex> {
    const known = this.#parts.get(number);
    if (known !== undefined) return known;
    try {
      const read = new WordIndex(await this.#kept.read(number));
      this.#parts.set(number, read);
      return read;
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
  }
}

/** The words of a recording as it is read, which may still grow. */
export class ReadWords implements RecordingWords {
  readonly #closed: WordIndex[] = [];
  readonly #bytes: Buffer[] = [];
  #growing = new WordIndexBuilder();
  readonly #mostPlaces: number;
  /** Where the last block begins that was read; -1 before the first. */
  #lastAt = -1;

  /** `mostPlaces`: of words in a part of its index, which is closed then. */
  constructor(mostPlaces = MOST_PLACES) {
    this.#mostPlaces = mostPlaces;
  }

  get sizeBytes(): number {
    return sizeOf([...this.#closed, this.#growing]);
  }

  /** Reads on. `isWanted`: asked at each block. */
  async read(reader: Pick<OpenRecording, "trackBlocks">, isWanted: () => boolean): Promise<void> {
    for await (const { at, entries } of reader.trackBlocks(this.#lastAt)) {
      if (!isWanted()) return;
      this.#lastAt = at;
      this.#growing.add(at, entries.flatMap(unitsOfEntry));
      if (this.#growing.count >= this.#mostPlaces) await this.#close();
    }
  }

  async *blocksWith(words: readonly string[], slice: Slice): AsyncGenerator<number, void, undefined> {
    for (const part of [...this.#closed, this.#growing]) {
      yield* await blocksWith(part, words, slice);
    }
  }

  /** The parts of the index, where nothing more will come. */
  async parts(): Promise<readonly Buffer[]> {
    if (this.#growing.count > 0) await this.#close();
    return this.#bytes;
  }

  async #close(): Promise<void> {
    const full = this.#growing;
    const bytes = await full.bytes();
    this.#bytes.push(bytes);
    this.#closed.push(new WordIndex(bytes));
    this.#growing = new WordIndexBuilder();
  }
}

function sizeOf(parts: Iterable<{ readonly sizeBytes: number }>): number {
  let sum = 0;
  for (const { sizeBytes } of parts) sum += sizeBytes;
  return sum;
}
