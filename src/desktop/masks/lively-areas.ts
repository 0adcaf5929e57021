import { coverOf } from "../../framebuffer/cover.ts";
import { Region } from "../../framebuffer/region.ts";

/** What did not change faster than it was read for so long, or up to twice as long, is still. */
const LIVELY_MS = 1000;
/** More rectangles than this cost more than what lies between. */
const MOST_RECTS = 32;

/** Where a picture changed again before it was read, lately: a film, an animation, a line that is typed fast. */
export class LivelyAreas {
  #now = Region.empty;
  #before = Region.empty;
  #sinceMs = 0;

  /** It changed there before it was read. */
  add(region: Region, atMs: number): void {
    this.#turn(atMs);
    if (region.isEmpty) return;
    const all = this.#now.union(region);
    this.#now = all.rectCount <= MOST_RECTS ? all : Region.from(coverOf(all.rects, MOST_RECTS));
  }

  at(atMs: number): Region {
    this.#turn(atMs);
    return this.#now.union(this.#before);
  }

  clear(): void {
    this.#now = Region.empty;
    this.#before = Region.empty;
  }

  #turn(atMs: number): void {
    const ageMs = atMs - this.#sinceMs;
    if (ageMs < LIVELY_MS) return;
    this.#before = ageMs < 2 * LIVELY_MS ? this.#now : Region.empty;
    this.#now = Region.empty;
    this.#sinceMs = atMs;
  }
}
