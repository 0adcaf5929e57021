import { targetsOf } from "./copy-move.ts";
import { BYTES_PER_PIXEL, type Framebuffer } from "./framebuffer.ts";
import { BAND_ROWS, type PictureMemory } from "./kernels/picture-memory.ts";
import type { CopyMove } from "./picture.ts";
import { intersectRects, isEmptyRect, type Rect } from "./rect.ts";
import { Region } from "./region.ts";

/** Rows up to so wide are copied word by word: a view of each would cost more, and is garbage besides. */
const NARROW_PIXELS = 64;

/** Damage is refined to cells of this many pixels a side. A line of cells fits the band of a picture's memory. */
export const CELL: typeof BAND_ROWS = BAND_ROWS;

/** A part of a line of cells fits a processor's cache. */
const LINE_PIXELS = 32 * CELL;

/** Of narrower lines each row costs more to bring to the kernel than to compare here. */
const LEAST_WIDTH = CELL;

/** Of damage up to this many pixels the parts that differ are found exactly: a caret is told as a caret, not as a cell. */
const EXACT_PIXELS = 2 * CELL * CELL;

/**
 * Copies the damaged part of `from` to `to` (same size) cell by cell and returns the cells that really differed, of
 * little damage the part of each that did: servers report more than changed, and a cell that is equal is neither copied
 * nor passed on.
 */
export function publishDamage(from: Framebuffer, to: Framebuffer, damage: Region): Region {
  const isSmall = damage.area <= EXACT_PIXELS;
  const kernelMemory = isSmall ? null : to.kernelMemory;
  const changed: Rect[] = [];
  for (const line of linesOf(damage, to.rect)) {
    if (kernelMemory === null || line.width < LEAST_WIDTH) publishLine(from, to, line, isSmall, changed);
    else differWithKernel(from, to, kernelMemory, "publish", line, changed);
  }
  return Region.from(changed);
}

/**
 * What `publishDamage` would tell of the same damage; nothing is copied. Yields after each line of cells, with where that
 * differs: neither picture may change meanwhile.
 */
export function* compareDamage(
  from: Framebuffer,
  to: Framebuffer,
  damage: Region,
): Generator<Region, Region, undefined> {
  const isSmall = damage.area <= EXACT_PIXELS;
  const changed: Rect[] = [];
  for (const line of linesOf(damage, to.rect)) {
    const before = changed.length;
    const kernelMemory = isSmall ? null : to.kernelMemory;
    if (kernelMemory === null) compareLine(from, to, line, isSmall, changed);
    else differWithKernel(from, to, kernelMemory, "compare", line, changed);
    yield Region.from(changed.slice(before));
  }
  return Region.from(changed);
}

/**
 * As `publishDamage`, of what moves wrote. Those that `from` has left to be made, resting on `to`, are made there: one pass
 * over the pixels where a copy and a comparison would be three. To be called before anything else of `from` is published.
 */
export function publishMoved(from: Framebuffer, to: Framebuffer, moved: Region): Region {
  const moves = from.leftMoves(to);
  const targets = targetsOf(moves);
  const { kernelMemory } = to;
  if (kernelMemory === null || targets.area <= EXACT_PIXELS) {
    from.complete(moved);
    return publishDamage(from, to, moved);
  }
  const changed: Rect[] = [];
  for (const move of moves) moveWithKernel(to, kernelMemory, move, changed);
  const others = moved.subtract(targets);
  from.complete(others);
  return Region.from(changed).union(publishDamage(from, to, others));
}

function moveWithKernel(
  picture: Framebuffer,
  { kernels, buffer, pixels, places }: PictureMemory,
  { fromX, fromY, to }: CopyMove,
  changed: Rect[],
): void {
  const { x, y, width, height } = to;
  kernels.moveCells(pixels, picture.strideBytes, fromX, fromY, x, y, width, height, CELL, places);
  const flags = new Uint8Array(buffer, places);
  const perLine = cellsAcross(x, width);
  let index = 0;
  for (let top = y; top < y + height; top = nextLine(top, y + height)) {
    const line = { x, y: top, width, height: nextLine(top, y + height) - top };
    addCells(line, flags.subarray(index, index + perLine), changed);
    index += perLine;
  }
}

function cellsAcross(x: number, width: number): number {
  return Math.floor((x + width - 1) / CELL) - Math.floor(x / CELL) + 1;
}

/** Damage within a picture by parts of lines of cells: at most CELL rows and LINE_PIXELS columns each. */
export function* linesOf(damage: Region, bounds: Rect): Generator<Rect, void, undefined> {
  for (const damaged of damage.rects) {
    const r = intersectRects(damaged, bounds);
    if (isEmptyRect(r)) continue;
    const bottom = r.y + r.height;
    const right = r.x + r.width;
    for (let top = r.y; top < bottom; top = nextLine(top, bottom)) {
      for (let left = r.x; left < right; left = nextLine(left, right, LINE_PIXELS)) {
        const width = nextLine(left, right, LINE_PIXELS) - left;
        yield { x: left, y: top, width, height: nextLine(top, bottom) - top };
      }
    }
  }
}

/** Compares one line of cells by the kernel, and publishes it where told so: brings the rows to where it works, asks which cells differed. */
function differWithKernel(
  from: Framebuffer,
  to: Framebuffer,
  kernelMemory: PictureMemory,
  act: "publish" | "compare",
  line: Rect,
  changed: Rect[],
): void {
  const { x, y, width, height } = line;
  const rowBytes = width * BYTES_PER_PIXEL;
  const stride = to.strideBytes;
  const { kernels, band, places } = kernelMemory;
  const target = kernelMemory.pixels + y * stride + x * BYTES_PER_PIXEL;
  const flags = new Uint8Array(kernelMemory.buffer, places, cellsAcross(x, width));
  if (act === "compare") {
    // What is another picture altogether is so in the first row: then the others need not be looked at.
    for (const rows of new Set([1, height])) {
      bringRows(from, line, rows, kernelMemory);
      kernels.differCells(band, rowBytes, target, stride, x, width, rows, CELL, places);
      if (flags.every((flag) => flag === 1)) break;
    }
  } else {
    bringRows(from, line, height, kernelMemory);
    if (kernels.publishCells(band, rowBytes, target, stride, x, width, height, CELL, places) === 0) return;
  }
  addCells(line, flags, changed);
}

/** Brings the first rows of a line to the band, without padding between them. */
function bringRows(
  from: Framebuffer,
  { x, y, width }: Rect,
  rows: number,
  { buffer, band }: PictureMemory,
): void {
  const memory = new Uint8Array(buffer);
  const source = from.bytes;
  const rowBytes = width * BYTES_PER_PIXEL;
  const stride = from.strideBytes;
  const start = y * stride + x * BYTES_PER_PIXEL;
  if (rowBytes === stride) memory.set(source.subarray(start, start + rows * stride), band);
  else {
    for (let row = 0; row < rows; row++) {
      const at = start + row * stride;
      memory.set(source.subarray(at, at + rowBytes), band + row * rowBytes);
    }
  }
}

/** Adds the cells of a line that have a flag; cells side by side are one rectangle, for unions cost by their number. */
function addCells({ x, y, width, height }: Rect, flags: Uint8Array, changed: Rect[]): void {
  const right = x + width;
  let runLeft: number | null = null;
  let index = 0;
  for (let left = x; left < right; left = nextLine(left, right)) {
    if (flags[index++] === 1) runLeft ??= left;
    else if (runLeft !== null) {
      addRun({ x: runLeft, y, width: left - runLeft, height }, changed);
      runLeft = null;
    }
  }
  if (runLeft !== null) addRun({ x: runLeft, y, width: right - runLeft, height }, changed);
}

function addRun(run: Rect, changed: Rect[]): void {
  const last = changed.at(-1);
  if (last?.y === run.y && last.height === run.height && last.x + last.width === run.x) {
    changed[changed.length - 1] = { ...last, width: last.width + run.width };
  } else changed.push(run);
}

function publishLine(
  from: Framebuffer,
  to: Framebuffer,
  line: Rect,
  isExact: boolean,
  changed: Rect[],
): void {
  for (const cell of cellsOf(line)) {
    const part = isExact ? differingPart(from, to, cell) : cell;
    if (part !== null && publishCell(from, to, part)) changed.push(part);
  }
}

/** The twin of the kernel that compares. */
function compareLine(
  from: Framebuffer,
  to: Framebuffer,
  line: Rect,
  isExact: boolean,
  changed: Rect[],
): void {
  for (const cell of cellsOf(line)) {
    const part = differingPart(from, to, cell);
    if (part !== null) changed.push(isExact ? part : cell);
  }
}

/** The cells of one line. */
export function* cellsOf({ x, y, width, height }: Rect): Generator<Rect, void, undefined> {
  const right = x + width;
  for (let left = x; left < right; left = nextLine(left, right)) {
    yield { x: left, y, width: nextLine(left, right) - left, height };
  }
}

/** Where the next cell begins, or the next part of a line. */
function nextLine(at: number, end: number, size: number = CELL): number {
  return Math.min(end, (Math.floor(at / size) + 1) * size);
}

/**
 * The smallest rectangle of a cell that holds all in which two pictures of one size differ; null where they do not.
 * `other`: where what is compared with it lies in the second.
 */
export function differingPart(
  a: Framebuffer,
  b: Framebuffer,
  cell: Rect,
  other: { readonly x: number; readonly y: number } = cell,
): Rect | null {
  const { width, words } = a;
  const others = b.words;
  let left = cell.width;
  let right = -1;
  let top = -1;
  let bottom = -1;
  for (let row = 0; row < cell.height; row++) {
    const start = (cell.y + row) * width + cell.x;
    const otherStart = (other.y + row) * width + other.x;
    for (let i = 0; i < cell.width; i++) {
      if (words[start + i] === others[otherStart + i]) continue;
      if (top === -1) top = row;
      bottom = row;
      if (i < left) left = i;
      if (i > right) right = i;
    }
  }
  if (top === -1) return null;
  return { x: cell.x + left, y: cell.y + top, width: right - left + 1, height: bottom - top + 1 };
}

/** Copies one cell from its first differing row on; false where no row differed. */
function publishCell(from: Framebuffer, to: Framebuffer, cell: Rect): boolean {
  const width = to.width;
  const source = from.words;
  const target = to.words;
  for (let row = 0; row < cell.height; row++) {
    const start = (cell.y + row) * width + cell.x;
    for (let i = start; i < start + cell.width; i++) {
      if (source[i] === target[i]) continue;
      copyRows(from, to, { x: cell.x, y: cell.y + row, width: cell.width, height: cell.height - row });
      return true;
    }
  }
  return false;
}

/** Copies a rectangle between pictures of one size. */
export function copyRows(from: Framebuffer, to: Framebuffer, r: Rect): void {
  if (r.width <= NARROW_PIXELS) {
    copyNarrow(from.words, to.words, to.width, r);
    return;
  }
  const source = from.bytes;
  const target = to.bytes;
  const rowBytes = r.width * BYTES_PER_PIXEL;
  for (let y = r.y; y < r.y + r.height; y++) {
    const start = (y * to.width + r.x) * BYTES_PER_PIXEL;
    target.set(source.subarray(start, start + rowBytes), start);
  }
}

function copyNarrow(source: Uint32Array, target: Uint32Array, stride: number, r: Rect): void {
  for (let y = r.y; y < r.y + r.height; y++) {
    const start = y * stride + r.x;
    for (let i = start; i < start + r.width; i++) target[i] = source[i] ?? 0;
  }
}
