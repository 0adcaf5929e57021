import { coverOf } from "../../framebuffer/cover.ts";
import { boundRects, type Rect, rect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";

/** What did not change so often for so long, or up to twice as long, is still. */
export const LIVELY_MS = 1000;
/** More rectangles than this cost more than what lies between. */
const MOST_RECTS = 32;

/** Of a film, pixels a side. */
const CELL = 32;
/** Cells in a row of the table: of wider displays than any. */
const STRIDE = 4096;
/** A cell that changes as often within LIVELY_MS may be one of a film: a busy target shows few pictures of it. */
const LEAST_CHANGES = 3;
/** Cells a side of a film: a line that is typed is lower. */
const LEAST_CELLS = 2;
/** Cells between two parts of one film. */
const MOST_APART = 2;

/** Where a picture changes all the time. */
export class LivelyAreas {
  #again = Region.empty;
  #againBefore = Region.empty;
  readonly #changes = new Map<number, number>();
  #busy = new Set<number>();
  #busyBefore = new Set<number>();
  #films: readonly Rect[] | null = null;
  #sinceMs = 0;

  /** It changed there; `again`: and had before, and was not read since. */
  add(changed: Region, again: Region, atMs: number): void {
    this.#turn(atMs);
    const all = this.#again.union(again);
    this.#again = all.rectCount <= MOST_RECTS ? all : Region.from(coverOf(all.rects, MOST_RECTS));
    for (const cell of cellsOf(changed)) {
      const count = (this.#changes.get(cell) ?? 0) + 1;
      this.#changes.set(cell, count);
      if (count !== LEAST_CHANGES) continue;
      this.#busy.add(cell);
      this.#films = null;
    }
  }

  /** Where it changed again before it was read, lately: a film, an animation, a line that is typed fast. */
  at(atMs: number): Region {
    this.#turn(atMs);
    return this.#again.union(this.#againBefore);
  }

  /** The bounds, and a little more, of what changes often and is higher than a line. */
  filmsAt(atMs: number): readonly Rect[] {
    this.#turn(atMs);
    this.#films ??= filmsOf(new Set([...this.#busy, ...this.#busyBefore]));
    return this.#films;
  }

  clear(): void {
    this.#again = Region.empty;
    this.#againBefore = Region.empty;
    this.#changes.clear();
    this.#busy = new Set();
    this.#busyBefore = new Set();
    this.#films = null;
  }

  #turn(atMs: number): void {
    const ageMs = atMs - this.#sinceMs;
    if (ageMs < LIVELY_MS) return;
    const isNext = ageMs < 2 * LIVELY_MS;
    this.#againBefore = isNext ? this.#again : Region.empty;
    this.#again = Region.empty;
    this.#busyBefore = isNext ? this.#busy : new Set();
    this.#busy = new Set();
    this.#changes.clear();
    this.#films = null;
    this.#sinceMs = atMs;
  }
}

function cellsOf(region: Region): ReadonlySet<number> {
  const cells = new Set<number>();
  for (const { x, y, width, height } of region.rects) {
    for (let row = Math.floor(y / CELL); row * CELL < y + height; row++) {
      for (let column = Math.floor(x / CELL); column * CELL < x + width; column++)
        cells.add(row * STRIDE + column);
    }
  }
  return cells;
}

/** Cells that are near to each other are one film. Takes them out of the set. */
function filmsOf(cells: Set<number>): readonly Rect[] {
  const films: Rect[] = [];
  for (const first of cells) {
    cells.delete(first);
    const reached = [first];
    let bounds = boundsOf(first);
    for (let next = reached.pop(); next !== undefined; next = reached.pop()) {
      bounds = boundRects(bounds, boundsOf(next));
      for (let down = -MOST_APART; down <= MOST_APART; down++) {
        for (let across = -MOST_APART; across <= MOST_APART; across++) {
          const near = next + down * STRIDE + across;
          if (cells.delete(near)) reached.push(near);
        }
      }
    }
    const { x, y, width, height } = bounds;
    if (Math.min(width, height) < LEAST_CELLS * CELL) continue;
    films.push(rect(x - CELL, y - CELL, width + 2 * CELL, height + 2 * CELL));
  }
  return films;
}

const boundsOf = (cell: number): Rect =>
  rect((cell % STRIDE) * CELL, Math.floor(cell / STRIDE) * CELL, CELL, CELL);
