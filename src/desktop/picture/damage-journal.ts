import { coverOf } from "../../framebuffer/cover.ts";
import { Region } from "../../framebuffer/region.ts";

/** Generations kept: half a minute of a screen that changes ten times a second. */
const MAX_ENTRIES = 256;

/** Beyond so many rectangles those that lie together become one. */
const MAX_RECTS = 64;

interface Entry {
  readonly generation: number;
  readonly damage: Region;
}

/** What changed in each of the last generations, so that "since when" can be answered without keeping pictures. */
export class DamageJournal {
  #entries: Entry[] = [];
  /** The oldest generation since which everything is known. */
  #knownSince = 0;

  add(generation: number, damage: Region): void {
    this.#entries.push({ generation, damage: boundedDamage(damage) });
    if (this.#entries.length <= MAX_ENTRIES) return;
    const dropped = this.#entries.shift();
    if (dropped !== undefined) this.#knownSince = dropped.generation;
  }

  /** From this generation on everything is another picture: another size. */
  reset(generation: number): void {
    this.#entries = [];
    this.#knownSince = generation;
  }

  /** All that changed after a generation, until another; null where that is longer ago than is known, or never was. */
  since(generation: number, until = Number.POSITIVE_INFINITY): Region | null {
    if (generation < this.#knownSince) return null;
    const later: Region[] = [];
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      const entry = this.#entries[i];
      if (entry === undefined || entry.generation <= generation) break;
      if (entry.generation <= until) later.push(entry.damage);
    }
    return Region.from(later.flatMap(({ rects }) => rects));
  }
}

function boundedDamage(damage: Region): Region {
  const { rects } = damage;
  return rects.length <= MAX_RECTS ? damage : Region.from(coverOf(rects, MAX_RECTS));
}
