import { BYTES_PER_PIXEL, type Framebuffer } from "../framebuffer.ts";
import type { PictureMemory } from "../kernels/picture-memory.ts";
import { areaOfRect, EMPTY_RECT, intersectRects, type Rect, translateRect } from "../rect.ts";
import { Region } from "../region.ts";
import { finish, type Steps } from "../steps.ts";
import { type Axis, guessShift } from "./line-votes.ts";

/** Pixels of a cell: as high as the grid to which viewers' damage is grown. */
const CELL_COLUMNS = 64;
const CELL_ROWS = 16;

const LEAST_SIDE = 48;

/** Areas below this are sent as pixels sooner than looked at. */
export const LEAST_PIXELS: number = 128 * 128;

/** Cells that a move must save, beyond those it spoils: 16,384 pixels. */
const LEAST_SAVED = LEAST_PIXELS / (CELL_COLUMNS * CELL_ROWS);

/** Places of a cell's two flags within a picture's memory for places. */
const FLAGS_APART = 1024;

/** A part of a picture that shows what stood elsewhere in the picture before. */
export interface Scroll {
  readonly move: { readonly fromX: number; readonly fromY: number; readonly to: Rect };
  /** Of where it moved to, what shows something else: it is to be painted after the move. */
  readonly rest: Region;
}

/**
 * Finds a part of the damage that only moved, up, down, left or right: targets without CopyRect send a scrolled page as
 * new pixels. null where none is worth a move. `before` and `after` have one size and are not changed; `damage` holds all
 * in which they differ.
 *
 * INVARIANT: whoever shows `before`, makes the move, then paints `rest` and all damage outside of where it went, shows
 * `after`: every pixel that the move brings and `rest` does not hold was compared.
 */
export function findScroll(before: Framebuffer, after: Framebuffer, damage: Region): Scroll | null {
  return finish(findingScroll(before, after, damage));
}

/** As findScroll; yields after each line of cells that it compared: neither picture may change meanwhile. */
export function* findingScroll(
  before: Framebuffer,
  after: Framebuffer,
  damage: Region,
): Steps<Scroll | null> {
  const area = intersectRects(mainPart(damage), before.rect);
  if (area.width < LEAST_SIDE || area.height < LEAST_SIDE || areaOfRect(area) < LEAST_PIXELS) return null;
  after.complete(Region.of(area));
  const found = yield* findAlong(before, after, area, "rows");
  return found ?? (yield* findAlong(before, after, area, "columns"));
}

/** The damage's bounds where they are mostly damage, else its largest rectangle. */
function mainPart(damage: Region): Rect {
  const { bounds, rects } = damage;
  if (2 * damage.area >= areaOfRect(bounds)) return bounds;
  return rects.reduce((most, r) => (areaOfRect(r) > areaOfRect(most) ? r : most), EMPTY_RECT);
}

function* findAlong(before: Framebuffer, after: Framebuffer, area: Rect, axis: Axis): Steps<Scroll | null> {
  const shift = yield* guessShift(before, after, area, axis);
  if (shift === 0) return null;
  const [dx, dy] = axis === "rows" ? [0, shift] : [shift, 0];
  const moved = intersectRects(area, translateRect(area, dx, dy));
  const grid = new CellGrid(moved);
  yield* grid.compare(before, after, dx, dy);
  const box = grid.bestBox();
  if (box === null) return null;
  const { to, rest } = box;
  return { move: { fromX: to.x - dx, fromY: to.y - dy, to }, rest };
}

/** An area cut into cells at multiples of their size, and what a move would do to each. */
class CellGrid {
  readonly #area: Rect;
  readonly #firstColumn: number;
  readonly #firstRow: number;
  readonly #columns: number;
  readonly #rows: number;
  /** 1 where the move does not leave the new pixels. */
  readonly #wrong: Uint8Array;
  /** 1 where the new pixels are not the old ones. */
  readonly #changed: Uint8Array;

  constructor(area: Rect) {
    this.#area = area;
    this.#firstColumn = Math.floor(area.x / CELL_COLUMNS);
    this.#firstRow = Math.floor(area.y / CELL_ROWS);
    this.#columns = Math.ceil((area.x + area.width) / CELL_COLUMNS) - this.#firstColumn;
    this.#rows = Math.ceil((area.y + area.height) / CELL_ROWS) - this.#firstRow;
    this.#wrong = new Uint8Array(this.#columns * this.#rows);
    this.#changed = new Uint8Array(this.#columns * this.#rows);
  }

  /** Fills in what a move by (dx, dy) would do, reading each new pixel once and two old ones; yields after each line. */
  *compare(before: Framebuffer, after: Framebuffer, dx: number, dy: number): Steps<void> {
    const { kernelMemory } = before;
    for (let row = 0; row < this.#rows; row++) {
      const line = this.#lineAt(row);
      const source = translateRect(line, -dx, -dy);
      const start = row * this.#columns;
      const end = start + this.#columns;
      const wrong = this.#wrong.subarray(start, end);
      const changed = this.#changed.subarray(start, end);
      if (kernelMemory === null) {
        differLine(before, source, after, line, wrong);
        differLine(before, line, after, line, changed);
      } else {
        differWithKernel(before, kernelMemory, after, line, source, wrong, changed);
      }
      yield;
    }
  }

  /** The rectangle of cells that gains most by the move; null where that is too little. */
  bestBox(): { readonly to: Rect; readonly rest: Region } | null {
    const columns = this.#columns;
    const gains = Int8Array.from(this.#changed, (isChanged, i) => isChanged - this.#wrong[i]!);
    const byColumn = new Int32Array(columns);
    for (let i = 0; i < gains.length; i++) byColumn[i % columns]! += gains[i]!;
    const across = bestRun(byColumn);
    const byRow = new Int32Array(this.#rows);
    for (let row = 0; row < this.#rows; row++) {
      for (let x = across.start; x < across.end; x++) byRow[row]! += gains[row * columns + x]!;
    }
    const down = bestRun(byRow);
    if (down.sum < LEAST_SAVED) return null;
    const rest: Rect[] = [];
    for (let row = down.start; row < down.end; row++) {
      for (let x = across.start; x < across.end; x++) {
        if (this.#wrong[row * columns + x] === 1) rest.push(this.#cells(x, x + 1, row, row + 1));
      }
    }
    const to = this.#cells(across.start, across.end, down.start, down.end);
    return { to, rest: Region.from(rest) };
  }

  #lineAt(row: number): Rect {
    return this.#cells(0, this.#columns, row, row + 1);
  }

  #cells(left: number, right: number, top: number, bottom: number): Rect {
    const cells = {
      x: (this.#firstColumn + left) * CELL_COLUMNS,
      y: (this.#firstRow + top) * CELL_ROWS,
      width: (right - left) * CELL_COLUMNS,
      height: (bottom - top) * CELL_ROWS,
    };
    return intersectRects(cells, this.#area);
  }
}

/** Compares a line of cells of `after` with the same and with the moved part of `before`, in that one's memory. */
function differWithKernel(
  before: Framebuffer,
  { buffer, kernels, pixels, band, places }: PictureMemory,
  after: Framebuffer,
  line: Rect,
  source: Rect,
  wrong: Uint8Array,
  changed: Uint8Array,
): void {
  const { x, width, height } = line;
  const stride = before.strideBytes;
  const rowBytes = width * BYTES_PER_PIXEL;
  const memory = new Uint8Array(buffer);
  const at = line.y * stride + x * BYTES_PER_PIXEL;
  for (let row = 0; row < height; row++) {
    const from = at + row * stride;
    memory.set(after.bytes.subarray(from, from + rowBytes), band + row * rowBytes);
  }
  const moved = pixels + source.y * stride + source.x * BYTES_PER_PIXEL;
  const flags = places + FLAGS_APART;
  kernels.differCells(band, rowBytes, moved, stride, x, width, height, CELL_COLUMNS, places);
  kernels.differCells(band, rowBytes, pixels + at, stride, x, width, height, CELL_COLUMNS, flags);
  wrong.set(memory.subarray(places, places + wrong.length));
  changed.set(memory.subarray(flags, flags + changed.length));
}

/** The twin of the kernel: `from` of `before` beside `line` of `after`, cell by cell of the line. */
function differLine(
  before: Framebuffer,
  from: Rect,
  after: Framebuffer,
  line: Rect,
  flags: Uint8Array,
): void {
  const right = line.x + line.width;
  let index = 0;
  for (let x = line.x; x < right; index++) {
    const end = Math.min(right, (Math.floor(x / CELL_COLUMNS) + 1) * CELL_COLUMNS);
    flags[index] = differs(before, from.x + x - line.x, from.y, after, x, line.y, end - x, line.height);
    x = end;
  }
}

function differs(
  before: Framebuffer,
  fromX: number,
  fromY: number,
  after: Framebuffer,
  x: number,
  y: number,
  width: number,
  height: number,
): 0 | 1 {
  const old = before.words;
  const now = after.words;
  for (let row = 0; row < height; row++) {
    const a = (fromY + row) * before.width + fromX;
    const b = (y + row) * after.width + x;
    for (let i = 0; i < width; i++) if (old[a + i] !== now[b + i]) return 1;
  }
  return 0;
}

/** The part of a line of numbers with the largest sum; empty where none is above 0. */
function bestRun(numbers: Int32Array): {
  readonly start: number;
  readonly end: number;
  readonly sum: number;
} {
  let best = { start: 0, end: 0, sum: 0 };
  let start = 0;
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) {
    sum += numbers[i]!;
    if (sum <= 0) {
      start = i + 1;
      sum = 0;
    } else if (sum > best.sum) {
      best = { start, end: i + 1, sum };
    }
  }
  return best;
}
