import { Slice } from "../../platform/loop-turns.ts";
import { type IndexedUnits, NUMBERS_A_LOOK, type UnitSet } from "./unit-set.ts";
import { VarintWriter } from "./varints.ts";
import { GROUP_WORDS, HEAD_NUMBERS } from "./word-index.ts";

/** What a word takes in memory beside its letters and places, about. */
const WORD_BYTES = 100;
/** Words whose first letters are the same are sorted at once: so many begin alike at most in text that people read. */
const SORTED_BY_LETTERS = 2;

/** The words of a part of a recording that is being read, or that still grows. */
export class WordIndexBuilder implements IndexedUnits {
  readonly blocks: number[] = [];
  readonly firsts: number[] = [];
  readonly #places = new Map<string, number[]>();
  #units = 0;
  #count = 0;

  get units(): number {
    return this.#units;
  }

  /** How many places of words it has. */
  get count(): number {
    return this.#count;
  }

  get sizeBytes(): number {
    return this.#places.size * WORD_BYTES + this.#count * 8;
  }

  /** The words of each unit of a block; blocks come in order. */
  add(at: number, units: readonly (readonly string[])[]): void {
    const said = units.filter(({ length }) => length > 0);
    if (said.length === 0) return;
    this.blocks.push(at);
    this.firsts.push(this.#units);
    for (const words of said) {
      const unit = this.#units++;
      for (const word of new Set(words)) {
        this.#count++;
        const places = this.#places.get(word);
        if (places === undefined) this.#places.set(word, [unit]);
        else places.push(unit);
      }
    }
  }

  async mark(word: string, found: UnitSet, slice: Slice): Promise<void> {
    let looked = 0;
    for (const [known, units] of this.#places) {
      if (looked++ % NUMBERS_A_LOOK === 0 && slice.isOver) await slice.next();
      if (!known.includes(word)) continue;
      for (const unit of units) found.add(unit);
      looked += units.length;
    }
  }

  /** For a WordIndex. */
  async bytes(): Promise<Buffer> {
    const slice = new Slice("free");
    const words: Buffer[] = [Buffer.from("\n")];
    const groups = new VarintWriter();
    const lengths = new VarintWriter();
    const places = new VarintWriter();
    let written = 0;
    let wordBytes = 1;
    let group = { words: 0, lengths: 0, places: 0 };
    const endGroup = (): void => {
      groups.write(wordBytes - 1 - group.words);
      groups.write(lengths.length - group.lengths);
      groups.write(places.length - group.places);
      group = { words: wordBytes - 1, lengths: lengths.length, places: places.length };
    };
    for (const word of await this.#sorted(slice)) {
      if (slice.isOver) await slice.next();
      const bytes = Buffer.from(`${word}\n`);
      words.push(bytes);
      wordBytes += bytes.length;
      const from = places.length;
      let before = -1;
      for (const unit of this.#places.get(word) ?? []) {
        places.write(unit - before - 1);
        before = unit;
      }
      lengths.write(places.length - from);
      if (++written % GROUP_WORDS === 0) endGroup();
    }
    if (written % GROUP_WORDS > 0) endGroup();
    const blocks = new VarintWriter();
    for (const [i, at] of this.blocks.entries()) {
      blocks.write(at - (this.blocks[i - 1] ?? 0));
      blocks.write((this.firsts[i + 1] ?? this.#units) - (this.firsts[i] ?? 0));
    }
    const head = Buffer.alloc(4 * HEAD_NUMBERS);
    [wordBytes, blocks.length, groups.length, lengths.length, this.blocks.length, this.#units].forEach(
      (value, i) => {
        head.writeUInt32BE(value, 4 * i);
      },
    );
    return Buffer.concat([head, ...words, ...[blocks, groups, lengths, places].map((part) => part.bytes())]);
  }

  async #sorted(slice: Slice): Promise<readonly string[]> {
    const alike = new Map<string, string[]>();
    let looked = 0;
    for (const word of this.#places.keys()) {
      if (looked++ % NUMBERS_A_LOOK === 0 && slice.isOver) await slice.next();
      const first = word.slice(0, SORTED_BY_LETTERS);
      const others = alike.get(first);
      if (others === undefined) alike.set(first, [word]);
      else others.push(word);
    }
    const sorted: string[] = [];
    for (const first of [...alike.keys()].sort()) {
      if (slice.isOver) await slice.next();
      for (const word of alike.get(first)?.sort() ?? []) sorted.push(word);
    }
    return sorted;
  }
}
