import { Framebuffer } from "../../framebuffer/framebuffer.ts";
import { CELL } from "../../framebuffer/publish.ts";
import { holdsPoint, intersectRects, type Rect } from "../../framebuffer/rect.ts";
import type { Region } from "../../framebuffer/region.ts";

interface Cell {
  readonly rect: Rect;
  readonly words: Uint32Array;
}

/** What differs between a picture as it was and as it is. */
export interface Difference {
  /** Of each cell the smallest rectangle that holds what differs in it, outside of what was left out. */
  readonly parts: readonly Rect[];
  /** Of what was left out, the rectangles in which something differs. */
  readonly leftOut: readonly Rect[];
}

/**
 * A picture as it was when this was made: the cells of it that were painted over since, copied before they were. It holds
 * one picture's memory at most, and nothing where nothing is painted.
 */
export class BeforePicture {
  readonly #frame: Framebuffer;
  readonly #columns: number;
  readonly #cells = new Map<number, Cell>();

  /** `frame`: as it is now, which whoever paints it announces to `keep` first. It keeps its size while this is used. */
  constructor(frame: Framebuffer) {
    this.#frame = frame;
    this.#columns = Math.ceil(frame.width / CELL);
  }

  /** This is about to be painted over. */
  keep(region: Region): void {
    const frame = this.#frame;
    for (const damaged of region.rects) {
      const r = intersectRects(damaged, frame.rect);
      for (let row = Math.floor(r.y / CELL); row * CELL < r.y + r.height; row++) {
        for (let column = Math.floor(r.x / CELL); column * CELL < r.x + r.width; column++) {
          const index = row * this.#columns + column;
          if (!this.#cells.has(index)) this.#cells.set(index, copyCell(frame, row, column));
        }
      }
    }
  }

  /** What differs by now. Of `leftOut` (few, small) it is only said where something does. */
  difference(leftOut: readonly Rect[]): Difference {
    const parts: Rect[] = [];
    const differing = new Set<Rect>();
    for (const cell of this.#cells.values()) {
      const part = partOf(cell, this.#frame, leftOut, differing);
      if (part !== null) parts.push(part);
    }
    return { parts, leftOut: leftOut.filter((r) => differing.has(r)) };
  }

  /** All of it, in memory of its own. */
  whole(): Framebuffer {
    const { width, height, words } = this.#frame;
    const picture = new Framebuffer(width, height);
    picture.words.set(words);
    for (const { rect, words: kept } of this.#cells.values()) {
      for (let row = 0; row < rect.height; row++) {
        const from = row * rect.width;
        picture.words.set(kept.subarray(from, from + rect.width), (rect.y + row) * width + rect.x);
      }
    }
    return picture;
  }
}

function copyCell(frame: Framebuffer, row: number, column: number): Cell {
  const rect = intersectRects({ x: column * CELL, y: row * CELL, width: CELL, height: CELL }, frame.rect);
  const words = new Uint32Array(rect.width * rect.height);
  for (let y = 0; y < rect.height; y++) {
    const from = (rect.y + y) * frame.width + rect.x;
    words.set(frame.words.subarray(from, from + rect.width), y * rect.width);
  }
  return { rect, words };
}

/** The smallest rectangle of all that differs outside of `leftOut`, to whose members `differing` is added. */
function partOf(
  { rect, words: kept }: Cell,
  frame: Framebuffer,
  leftOut: readonly Rect[],
  differing: Set<Rect>,
): Rect | null {
  const { words, width } = frame;
  const masks = leftOut.filter((r) => intersectRects(r, rect).width > 0);
  let left = rect.width;
  let right = -1;
  let top = -1;
  let bottom = -1;
  for (let row = 0; row < rect.height; row++) {
    const at = (rect.y + row) * width + rect.x;
    const from = row * rect.width;
    for (let i = 0; i < rect.width; i++) {
      if (words[at + i] === kept[from + i]) continue;
      const mask =
        masks.length === 0 ? undefined : masks.find((r) => holdsPoint(r, rect.x + i, rect.y + row));
      if (mask !== undefined) {
        differing.add(mask);
        continue;
      }
      if (top === -1) top = row;
      bottom = row;
      if (i < left) left = i;
      if (i > right) right = i;
    }
  }
  if (top === -1) return null;
  return { x: rect.x + left, y: rect.y + top, width: right - left + 1, height: bottom - top + 1 };
}
