import type { Slice } from "../../platform/loop-turns.ts";

/** Numbers that are taken between two looks at the clock. */
export const NUMBERS_A_LOOK = 4096;

/** A set of units of an index, which are numbered from 0 without holes: a bit each. */
export class UnitSet {
  readonly #bits: Uint32Array;

  constructor(units: number) {
    this.#bits = new Uint32Array((units + 31) >>> 5);
  }

  add(unit: number): void {
    const at = unit >>> 5;
    this.#bits[at] = (this.#bits[at] ?? 0) | (1 << (unit & 31));
  }

  keepCommon(others: UnitSet): void {
    const bits = this.#bits;
    for (let i = 0; i < bits.length; i++) bits[i] = (bits[i] ?? 0) & (others.#bits[i] ?? 0);
  }

  /** Whether one of some units that follow each other is in it. */
  hasAny(from: number, to: number): boolean {
    for (let unit = from; unit < to; ) {
      const bits = this.#bits[unit >>> 5] ?? 0;
      if (bits === 0) unit = ((unit >>> 5) + 1) << 5;
      else if ((bits >>> (unit & 31)) & 1) return true;
      else unit++;
    }
    return false;
  }
}

/** What an index knows: its blocks in order, and which units have a word. */
export interface IndexedUnits {
  readonly units: number;
  /** Where each block begins in the recording. */
  readonly blocks: readonly number[];
  /** The first unit of each block. */
  readonly firsts: readonly number[];
  /** Adds the units with words that a word is a part of. */
  mark(word: string, found: UnitSet, slice: Slice): Promise<void>;
}

/** Where blocks begin of which a unit has all of some words, in order; no words: all blocks. */
export async function blocksWith(
  index: IndexedUnits,
  words: readonly string[],
  slice: Slice,
): Promise<readonly number[]> {
  let common: UnitSet | null = null;
  for (const word of words) {
    const found = new UnitSet(index.units);
    await index.mark(word, found, slice);
    if (common === null) common = found;
    else common.keepCommon(found);
    if (!common.hasAny(0, index.units)) return [];
  }
  const { blocks, firsts, units } = index;
  return blocks.filter((_, i) => common?.hasAny(firsts[i] ?? 0, firsts[i + 1] ?? units) ?? true);
}
