import { coverOf } from "../../framebuffer/cover.ts";
import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import { areaOfRect, boundRects, type Rect, rect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";

/** What did not change so often for so long, or up to twice as long, is still. */
export const LIVELY_MS = 1000;
/** More rectangles than this cost more than what lies between. */
const MOST_RECTS = 32;

/** Of a film, pixels a side. */
const CELL = 32;
/** Cells in a row of the table: of wider displays than any. */
const STRIDE = 4096;
/** A cell that changes as often within LIVELY_MS, or up to twice as long, may be one of a film: a busy target shows few pictures of it. */
const LEAST_CHANGES = 2;
/** Of a cell as much has to change that it tells what it is by itself. */
const LEAST_TOLD = 0.5;
/** Cells a side of a film: a line that is typed is lower. */
const LEAST_CELLS = 2;
/** Cells between two parts of one film. */
const MOST_APART = 2;

/** Colours that are most of a cell of text: of the ground and the letters, and of a second ground. */
const MOST_COLOURS = 4;
/** Of a cell of text so many pixels, at least, are of these. Measured: terminals 0.6 and more, of a film some cells always less. */
const LEAST_PLAIN = 0.5;
/**
 * A ground may change from top to bottom, as that of titles and buttons: most of each row is of one colour. Measured: of the titles
 * of openbox 0.65 and more, of FFmpeg's testsrc, testsrc2, mandelbrot and gradients less than LEAST_PLAIN in as many cells as have many
 * colours. Shorter rows tell something where all of them is of one colour, and the shortest never.
 */
const LEAST_ROW = 16;
const SHORTEST_ROW = 4;

/** Where a picture changes all the time. */
export class LivelyAreas {
  #again = Region.empty;
  #againBefore = Region.empty;
  #changes = new Map<number, number>();
  #changesBefore = new Map<number, number>();
  #busy = new Set<number>();
  #busyBefore = new Set<number>();
  /** Cells whose new pixels are no letters on a plain ground, also such as changed once: of a slow film few cells change as often. */
  #pictures = new Set<number>();
  #picturesBefore = new Set<number>();
  #films: readonly Rect[] | null = null;
  #sinceMs = 0;

  /**
   * It changed there; `again`: and had before, and was not read since. `isPicture`: whether what a part shows now, within
   * the picture, is no text on a plain ground.
   */
  add(changed: Region, again: Region, atMs: number, isPicture: (part: Region) => boolean): void {
    this.#turn(atMs);
    const all = this.#again.union(again);
    this.#again = all.rectCount <= MOST_RECTS ? all : Region.from(coverOf(all.rects, MOST_RECTS));
    for (const cell of cellsOf(changed)) {
      const now = (this.#changes.get(cell) ?? 0) + 1;
      if (now > LEAST_CHANGES) continue;
      this.#changes.set(cell, now);
      const count = now + (this.#changesBefore.get(cell) ?? 0);
      // One is enough for a film: beside it none is looked for.
      if (!this.#isNearPicture(cell) && isPicture(told(changed, boundsOf(cell)))) this.#pictures.add(cell);
      if (count >= LEAST_CHANGES) this.#busy.add(cell);
      this.#films = null;
    }
  }

  /** Where it changed again before it was read, lately: a film, an animation, a line that is typed fast. */
  at(atMs: number): Region {
    this.#turn(atMs);
    return this.#again.union(this.#againBefore);
  }

  /**
   * The bounds, and a little more, of what changes often, is higher than a line and is a picture somewhere. Text that is painted
   * anew as often is none: it is read as well as any other.
   */
  filmsAt(atMs: number): readonly Rect[] {
    this.#turn(atMs);
    this.#films ??= filmsOf(
      new Set([...this.#busy, ...this.#busyBefore]),
      new Set([...this.#pictures, ...this.#picturesBefore]),
    );
    return this.#films;
  }

  #isNearPicture(cell: number): boolean {
    return nearTo(cell).some((near) => this.#pictures.has(near));
  }

  clear(): void {
    this.#again = Region.empty;
    this.#againBefore = Region.empty;
    this.#changes.clear();
    this.#changesBefore.clear();
    this.#busy = new Set();
    this.#busyBefore = new Set();
    this.#pictures = new Set();
    this.#picturesBefore = new Set();
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
    this.#picturesBefore = isNext ? this.#pictures : new Set();
    this.#pictures = new Set();
    this.#changesBefore = isNext ? this.#changes : new Map();
    this.#changes = new Map();
    this.#films = null;
    this.#sinceMs = atMs;
  }
}

/** What tells of a cell: what changed in it, and all of it where that is little, such as some softened letters and no ground. */
function told(changed: Region, cell: Rect): Region {
  const part = changed.clip(cell);
  return part.area < LEAST_TOLD * areaOfRect(cell) ? Region.of(cell) : part;
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

/** Cells that are near to each other are one film if a picture is among or beside them. Takes them out of the set. */
function filmsOf(cells: Set<number>, pictures: ReadonlySet<number>): readonly Rect[] {
  const films: Rect[] = [];
  for (const first of cells) {
    cells.delete(first);
    const reached = [first];
    let bounds = boundsOf(first);
    let hasPicture = false;
    for (let next = reached.pop(); next !== undefined; next = reached.pop()) {
      bounds = boundRects(bounds, boundsOf(next));
      for (const near of nearTo(next)) {
        hasPicture ||= pictures.has(near);
        if (cells.delete(near)) reached.push(near);
      }
    }
    const { x, y, width, height } = bounds;
    if (!hasPicture || Math.min(width, height) < LEAST_CELLS * CELL) continue;
    films.push(rect(x - CELL, y - CELL, width + 2 * CELL, height + 2 * CELL));
  }
  return films;
}

const boundsOf = (cell: number): Rect =>
  rect((cell % STRIDE) * CELL, Math.floor(cell / STRIDE) * CELL, CELL, CELL);

function nearTo(cell: number): readonly number[] {
  const near: number[] = [];
  for (let down = -MOST_APART; down <= MOST_APART; down++) {
    for (let across = -MOST_APART; across <= MOST_APART; across++) near.push(cell + down * STRIDE + across);
  }
  return near;
}

/** Whether more than half of the pixels is of other colours than the few that are most of them, and than most of their row. */
export function isPicture({ words, width, rect: bounds }: Framebuffer, part: Region): boolean {
  const region = part.clip(bounds);
  const colours = new Uint32Array(MOST_COLOURS);
  const counts = new Uint32Array(MOST_COLOURS);
  let pixels = 0;
  // Misra and Gries (1982): what is kept in the end has all colours that are more than a fifth.
  forEachPixel(words, width, region, (word) => {
    pixels++;
    let at = slotOf(colours, counts, word);
    if (at < 0) at = counts.indexOf(0);
    if (at < 0) {
      for (let one = 0; one < MOST_COLOURS; one++) counts[one]!--;
      return;
    }
    colours[at] = word;
    counts[at]!++;
  });
  let plain = 0;
  forEachPixel(words, width, region, (word) => {
    if (slotOf(colours, counts, word) >= 0) plain++;
  });
  if (plain >= LEAST_PLAIN * pixels) return false;
  return evenPixels(words, width, region) < LEAST_PLAIN * pixels;
}

/** How many pixels are of the colour that is most of their row. */
function evenPixels(words: Uint32Array, stride: number, region: Region): number {
  const counts = new Map<number, number>();
  let even = 0;
  for (const { x, y, width, height } of region.rects) {
    for (let row = y; row < y + height; row++) {
      counts.clear();
      let most = 0;
      for (let at = row * stride + x; at < row * stride + x + width; at++) {
        const count = (counts.get(words[at]!) ?? 0) + 1;
        counts.set(words[at]!, count);
        most = Math.max(most, count);
      }
      if (width >= (most === width ? SHORTEST_ROW : LEAST_ROW)) even += most;
    }
  }
  return even;
}

function slotOf(colours: Uint32Array, counts: Uint32Array, word: number): number {
  for (let at = 0; at < MOST_COLOURS; at++) if (counts[at]! > 0 && colours[at] === word) return at;
  return -1;
}

function forEachPixel(
  words: Uint32Array,
  stride: number,
  region: Region,
  call: (word: number) => void,
): void {
  for (const { x, y, width, height } of region.rects) {
    for (let row = y; row < y + height; row++) {
      for (let at = row * stride + x; at < row * stride + x + width; at++) call(words[at]!);
    }
  }
}
