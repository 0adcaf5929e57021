import type { Rect, Size } from "./rect.ts";
import { Region } from "./region.ts";

/** The side of a cell in pixels. */
const CELL = 16;

/** What changed is told in at most so many rectangles; where there are more, in larger cells. */
const MAX_RECTS = 64;
/** Cells of this many cells a side are told however many they are. */
const MAX_FACTOR = 64;

/**
 * When each cell of a picture last changed, by numbers that only grow. Memory depends on the size alone, and what
 * changed after a number is known to a cell, however long ago that was.
 */
export class ChangeGrid {
  #size: Size = { width: 0, height: 0 };
  #columns = 0;
  #rows = 0;
  #cells = new Float64Array(0);
  #newestOfRow = new Float64Array(0);

  /** All of a picture of this size changes with `number`. */
  reset({ width, height }: Size, number: number): void {
    this.#size = { width, height };
    this.#columns = Math.ceil(width / CELL);
    this.#rows = Math.ceil(height / CELL);
    this.#cells = new Float64Array(this.#columns * this.#rows).fill(number);
    this.#newestOfRow = new Float64Array(this.#rows).fill(number);
  }

  mark(rects: readonly Rect[], number: number): void {
    for (const { x, y, width, height } of rects) {
      const left = Math.max(0, Math.floor(x / CELL));
      const right = Math.min(this.#columns, Math.ceil((x + width) / CELL));
      const bottom = Math.min(this.#rows, Math.ceil((y + height) / CELL));
      if (right <= left) continue;
      for (let row = Math.max(0, Math.floor(y / CELL)); row < bottom; row++) {
        this.#cells.fill(number, row * this.#columns + left, row * this.#columns + right);
        this.#newestOfRow[row] = number;
      }
    }
  }

  /** What changed after `number`. */
  since(number: number): Region {
    for (let factor = 1; factor < MAX_FACTOR; factor *= 2) {
      const region = this.#since(number, factor);
      if (region.rectCount <= MAX_RECTS) return region;
    }
    return this.#since(number, MAX_FACTOR);
  }

  /** In squares of `factor` cells a side. */
  #since(number: number, factor: number): Region {
    const { height } = this.#size;
    const bands: { top: number; bottom: number; spans: number[] }[] = [];
    for (let row = 0; row < this.#rows; row += factor) {
      const spans = this.#spans(row, Math.min(this.#rows, row + factor), number, factor);
      if (spans.length === 0) continue;
      const top = row * CELL;
      const bottom = Math.min(height, top + CELL * factor);
      const last = bands.at(-1);
      if (last?.bottom === top && isSame(last.spans, spans)) last.bottom = bottom;
      else bands.push({ top, bottom, spans });
    }
    return Region.fromBands(bands);
  }

  /** Where squares of these rows begin and end that hold a newer cell. */
  #spans(from: number, to: number, number: number, factor: number): number[] {
    const spans: number[] = [];
    if (!this.#newestOfRow.subarray(from, to).some((newest) => newest > number)) return spans;
    let wasIn = false;
    for (let column = 0; column < this.#columns; column += factor) {
      const isIn = this.#isNewer(from, to, column, Math.min(this.#columns, column + factor), number);
      if (isIn !== wasIn) spans.push(column * CELL);
      wasIn = isIn;
    }
    if (wasIn) spans.push(this.#size.width);
    return spans;
  }

  #isNewer(top: number, bottom: number, left: number, right: number, number: number): boolean {
    for (let row = top; row < bottom; row++) {
      const at = row * this.#columns;
      for (let i = at + left; i < at + right; i++) if ((this.#cells[i] ?? 0) > number) return true;
    }
    return false;
  }
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((x, i) => x === b[i]);
}
