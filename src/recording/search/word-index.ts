import { RecordingError } from "../library/error.ts";
import { VarintReader, writeVarints } from "./varints.ts";

/** Where blocks of tracks begin that may hold all of some words, in order; null: it says nothing of these words. */
export interface WordPlaces {
  blocksWith(words: readonly string[]): readonly number[];
  /** Memory that it takes, about. */
  readonly sizeBytes: number;
}

const NEWLINE = 0x0a;
const HEAD_BYTES = 4 * 4;

/**
 * Which words stand in which blocks of tracks of one recording. All numbers are big-endian.
 *
 *      0  u32  length of the words
 *      4  u32  length of the places
 *      8  u32  length of the lengths
 *     12  u32  blocks
 *     16  …    the words: newline, word, newline, word, … newline; sorted, UTF-8
 *      …  …    the blocks: varints, where each begins after the one before
 *      …  …    the lengths: a varint for each word, the bytes of its places
 *      …  …    the places: for each word the blocks that have it, as varints of how many blocks are between
 */
export class WordIndex implements WordPlaces {
  readonly #words: Buffer;
  readonly #blocks: readonly number[];
  readonly #lengths: Buffer;
  readonly #places: Buffer;

  /** Throws RecordingError damaged for what cannot be one. */
  constructor(bytes: Buffer) {
    const [wordBytes = 0, placeBytes = 0, lengthBytes = 0, blocks = 0] =
      bytes.length < HEAD_BYTES ? [] : [0, 4, 8, 12].map((at) => bytes.readUInt32BE(at));
    const blocksAt = HEAD_BYTES + wordBytes;
    const placesAt = bytes.length - placeBytes;
    const lengthsAt = placesAt - lengthBytes;
    if (wordBytes === 0 || lengthsAt < blocksAt || blocks > lengthsAt - blocksAt) {
      throw new RecordingError("damaged", `got ${bytes.length} bytes that are no index of words`);
    }
    this.#words = bytes.subarray(HEAD_BYTES, blocksAt);
    this.#lengths = bytes.subarray(lengthsAt, placesAt);
    this.#places = bytes.subarray(placesAt);
    const reader = new VarintReader(bytes, blocksAt);
    let at = 0;
    this.#blocks = Array.from({ length: blocks }, () => {
      at += reader.next();
      return at;
    });
  }

  get sizeBytes(): number {
    const { buffer } = this.#words;
    return buffer.byteLength + 8 * this.#blocks.length;
  }

  blocksWith(words: readonly string[]): readonly number[] {
    let found: Set<number> | null = null;
    for (const word of words) {
      const matches = this.#matching(word);
      if (matches.length === 0) return [];
      const places = this.#placesOf(matches);
      found = common(found, places);
      if (found.size === 0) return [];
    }
    const numbers = found === null ? [...this.#blocks.keys()] : [...found].sort((a, b) => a - b);
    return numbers.flatMap((number) => this.#blocks[number] ?? []);
  }

  /** The numbers of the words that a word is a part of, in order. */
  #matching(word: string): number[] {
    const words = this.#words;
    const sought = Buffer.from(word);
    const numbers: number[] = [];
    let number = -1;
    let counted = 0;
    for (let at = words.indexOf(sought); at >= 0; ) {
      for (; counted < at; counted++) if (words[counted] === NEWLINE) number++;
      numbers.push(number);
      const next = words.indexOf(NEWLINE, at);
      at = next < 0 ? -1 : words.indexOf(sought, next);
    }
    return numbers;
  }

  #placesOf(numbers: readonly number[]): Set<number> {
    const lengths = new VarintReader(this.#lengths, 0);
    const found = new Set<number>();
    let at = 0;
    let number = 0;
    for (const wanted of numbers) {
      for (; number < wanted; number++) at += lengths.next();
      const length = lengths.next();
      number++;
      const places = new VarintReader(this.#places, at);
      for (let place = -1; places.at < at + length; ) {
        place += places.next() + 1;
        found.add(place);
      }
      at += length;
    }
    return found;
  }
}

/** Of null all are meant. */
function common(some: ReadonlySet<number> | null, others: Set<number>): Set<number> {
  return some === null ? others : new Set([...others].filter((place) => some.has(place)));
}

/** What a word takes in memory beside its letters and places, about. */
const WORD_BYTES = 100;

/** The same of a recording that is being read, or that still grows. */
export class WordIndexBuilder implements WordPlaces {
  readonly #blocks: number[] = [];
  readonly #places = new Map<string, number[]>();
  #count = 0;

  /** Where the last block begins that it has; -1 before the first. */
  lastAt = -1;

  get sizeBytes(): number {
    return this.#places.size * WORD_BYTES + this.#count * 8;
  }

  /** The words of a block; blocks come in order. */
  add(at: number, words: Iterable<string>): void {
    this.lastAt = at;
    const unique = new Set(words);
    if (unique.size === 0) return;
    const number = this.#blocks.push(at) - 1;
    this.#count += unique.size;
    for (const word of unique) {
      const places = this.#places.get(word);
      if (places === undefined) this.#places.set(word, [number]);
      else places.push(number);
    }
  }

  blocksWith(words: readonly string[]): readonly number[] {
    let found: Set<number> | null = null;
    for (const word of words) {
      const places = new Set<number>();
      for (const [known, at] of this.#places)
        if (known.includes(word)) for (const place of at) places.add(place);
      found = common(found, places);
    }
    const numbers = found === null ? [...this.#blocks.keys()] : [...found].sort((a, b) => a - b);
    return numbers.flatMap((number) => this.#blocks[number] ?? []);
  }

  /** For a WordIndex. */
  bytes(): Buffer {
    const sorted = [...this.#places].sort(([a], [b]) => (a < b ? -1 : 1));
    const words = Buffer.from(`\n${sorted.map(([word]) => `${word}\n`).join("")}`);
    const blocks = writeVarints(this.#blocks.map((at, i) => at - (this.#blocks[i - 1] ?? 0)));
    const places = sorted.map(([, numbers]) =>
      writeVarints(numbers.map((number, i) => number - (numbers[i - 1] ?? -1) - 1)),
    );
    const lengths = writeVarints(places.map(({ length }) => length));
    const all = Buffer.concat(places);
    const head = Buffer.alloc(HEAD_BYTES);
    [words.length, all.length, lengths.length, this.#blocks.length].forEach((value, i) => {
      head.writeUInt32BE(value, 4 * i);
    });
    return Buffer.concat([head, words, blocks, lengths, all]);
  }
}
