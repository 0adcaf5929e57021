import type { Slice } from "../../platform/loop-turns.ts";
import { RecordingError } from "../library/error.ts";
import { type IndexedUnits, NUMBERS_A_LOOK, type UnitSet } from "./unit-set.ts";
import { VarintReader } from "./varints.ts";

const NEWLINE = 0x0a;
export const HEAD_NUMBERS = 6;
/** Words are skipped by so many at once. */
export const GROUP_WORDS = 64;

/**
 * Which words stand where in a part of one recording. What is found is a unit: a line of text that came, or another
 * entry of the tracks. All numbers are big-endian, varints as in varints.ts.
 *
 *      0  u32  length of the words
 *      4  u32  length of the blocks
 *      8  u32  length of the groups
 *     12  u32  length of the lengths
 *     16  u32  blocks
 *     20  u32  units
 *     24  …    the words: newline, word, newline, word, … newline; sorted, UTF-8
 *      …  …    the blocks: for each a varint where it begins after the one before, and one of its units
 *      …  …    the groups: for each 64 words varints of their bytes, of those of their lengths and of their places
 *      …  …    the lengths: a varint for each word, the bytes of its places
 *      …  …    the places: for each word its units, as varints of how many units are between
 */
export class WordIndex implements IndexedUnits {
  readonly units: number;
  readonly blocks: readonly number[];
  readonly firsts: readonly number[];
  readonly #words: Buffer;
  readonly #lengths: Buffer;
  readonly #places: Buffer;
  /** Of each group where its words, its lengths and its places begin. */
  readonly #groups: readonly { readonly words: number; readonly lengths: number; readonly places: number }[];

  /** Throws RecordingError damaged for what cannot be one. */
  constructor(bytes: Buffer) {
    const headBytes = 4 * HEAD_NUMBERS;
    const numbers = Array.from({ length: HEAD_NUMBERS }, (_, i) =>
      bytes.length < headBytes ? 0 : bytes.readUInt32BE(4 * i),
    );
    const [wordBytes = 0, blockBytes = 0, groupBytes = 0, lengthBytes = 0, blocks = 0, units = 0] = numbers;
    const blocksAt = headBytes + wordBytes;
    const groupsAt = blocksAt + blockBytes;
    const lengthsAt = groupsAt + groupBytes;
    const placesAt = lengthsAt + lengthBytes;
    // A block has at least two bytes, and at least one for a place of each unit.
    if (wordBytes === 0 || placesAt > bytes.length || 2 * blocks > blockBytes || units > bytes.length) {
      throw new RecordingError("damaged", `got ${bytes.length} bytes that are no index of words`);
    }
    this.units = units;
    this.#words = bytes.subarray(headBytes, blocksAt);
    this.#lengths = bytes.subarray(lengthsAt, placesAt);
    this.#places = bytes.subarray(placesAt);
    const ats: number[] = [];
    const firsts: number[] = [];
    const reader = new VarintReader(bytes, blocksAt);
    for (let i = 0, at = 0, first = 0; i < blocks; i++) {
      at += reader.next();
      ats.push(at);
      firsts.push(first);
      first += reader.next();
    }
    this.blocks = ats;
    this.firsts = firsts;
    const groups: { words: number; lengths: number; places: number }[] = [];
    reader.at = groupsAt;
    for (let words = 0, lengths = 0, places = 0; reader.at < lengthsAt; ) {
      groups.push({ words, lengths, places });
      words += reader.next();
      lengths += reader.next();
      places += reader.next();
    }
    this.#groups = groups;
  }

  get sizeBytes(): number {
    return this.#words.buffer.byteLength + 16 * this.blocks.length + 64 * this.#groups.length;
  }

  async mark(word: string, found: UnitSet, slice: Slice): Promise<void> {
    const words = this.#words;
    const sought = Buffer.from(word);
    let group = 0;
    for (let at = words.indexOf(sought); at >= 0; ) {
      if (slice.isOver) await slice.next();
      while ((this.#groups[group + 1]?.words ?? Number.POSITIVE_INFINITY) <= at) group++;
      const { words: from = 0, lengths: lengthsAt = 0, places: placesAt = 0 } = this.#groups[group] ?? {};
      const lengths = new VarintReader(this.#lengths, lengthsAt);
      const places = new VarintReader(this.#places, placesAt);
      // The newline before the first word of a group is its own.
      for (let i = from + 1; i < at; i++) if (words[i] === NEWLINE) places.at += lengths.next();
      const end = places.at + lengths.next();
      for (let unit = -1, looked = 0; places.at < end; looked++) {
        unit += places.next() + 1;
        if (unit < this.units) found.add(unit);
        if (looked % NUMBERS_A_LOOK === NUMBERS_A_LOOK - 1 && slice.isOver) await slice.next();
      }
      const next = words.indexOf(NEWLINE, at);
      at = next < 0 ? -1 : words.indexOf(sought, next);
    }
  }
}
