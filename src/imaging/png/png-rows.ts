import { BYTES_PER_PIXEL } from "../../framebuffer/framebuffer.ts";
import { clearedScratch, type KernelScratch } from "../../framebuffer/kernels/kernel-scratch.ts";
import type { Pixels } from "../../framebuffer/picture.ts";
import { wordsOf } from "../pixels.ts";
import { adler32 } from "./adler32.ts";

/** Rows as PNG compresses them: each its filter type and its bytes, filtered; one filter for all. */
export interface FilteredRows {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Adler-32 of the bytes. */
  readonly adler: number;
}

/** The first `count` rows, without alpha, filtered as suits them. */
export function filterPixels(from: Pixels, width: number, count: number): FilteredRows {
  const scratch = clearedScratch();
  const filtered = scratch === null ? null : filterOn(scratch, from, width, count);
  return filtered ?? filterPixelsScalar(from, width, count);
}

/** null where the scratch memory is too small for so many rows. */
function filterOn(scratch: KernelScratch, from: Pixels, width: number, count: number): FilteredRows | null {
  const { bytes, kernels } = scratch;
  const rowBytes = width * BYTES_PER_PIXEL;
  const source = scratch.take(rowBytes * count);
  const target = scratch.take(filteredBytes(width, count));
  if (source < 0 || target < 0) return null;
  putRows(bytes, source, from, rowBytes, count);
  const near = kernels.countNear(source, rowBytes, width, count, SAMPLED, NEAR);
  const filter = isMostlyNear(near, width, count) ? SUB : NONE;
  kernels.packRows(source, rowBytes, target, width, count, filter);
  const length = filteredBytes(width, count);
  const adler = kernels.adler32(target, length) >>> 0;
  return { bytes: bytes.slice(target, target + length), adler };
}

/** Puts rows one behind the other, from address `at` on. */
function putRows(bytes: Uint8Array, at: number, from: Pixels, rowBytes: number, count: number): void {
  const { offset, strideBytes } = from;
  if (strideBytes === rowBytes) {
    bytes.set(from.bytes.subarray(offset, offset + rowBytes * count), at);
    return;
  }
  for (let y = 0; y < count; y++) {
    const start = offset + y * strideBytes;
    bytes.set(from.bytes.subarray(start, start + rowBytes), at + y * rowBytes);
  }
}

/** `filterPixels` without kernels. */
export function filterPixelsScalar(from: Pixels, width: number, count: number): FilteredRows {
  const rows = new RgbRows(width, count);
  rows.pack(from, count);
  const bytes = new Uint8Array(filteredBytes(width, count));
  filterRows(rows, count, bytes);
  return { bytes, adler: adler32(bytes) };
}

/** PNG filter types, section 9.2, that we write. */
const NONE = 0;
const SUB = 1;

/** Every so many rows are looked at to choose the filter. */
const SAMPLED = 8;

/** The most that a channel of neighbours in a photograph usually differs by. */
const NEAR = 16;

/**
 * RGB rows as they wait for compression. A row starts every `strideBytes` (a multiple of 12), so that four pixels
 * are packed as three words wherever the row lies.
 */
class RgbRows {
  readonly width: number;
  readonly strideBytes: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #words: Uint32Array<ArrayBuffer>;

  constructor(width: number, height: number) {
    this.width = width;
    this.strideBytes = 12 * Math.ceil(width / 4);
    this.#words = new Uint32Array((this.strideBytes / 4) * height);
    this.bytes = new Uint8Array(this.#words.buffer);
  }

  /** Copies the first `count` rows, dropping alpha. */
  pack(from: Pixels, count: number): void {
    const source = wordsOf(from, this.width, count);
    const stride = source.stride;
    const target = this.#words;
    const rowWords = this.strideBytes / 4;
    const whole = this.width & ~3;
    for (let y = 0; y < count; y++) {
      packRow(source.words, source.start + y * stride, target, y * rowWords, whole);
      let at = y * this.strideBytes + 3 * whole;
      for (let x = whole; x < this.width; x++) {
        const word = source.words[source.start + y * stride + x]!;
        this.bytes[at++] = word & 255;
        this.bytes[at++] = (word >>> 8) & 255;
        this.bytes[at++] = (word >>> 16) & 255;
      }
    }
  }
}

/** R, G, B, x | R, G, B, x | … to R, G, B | R, G, B | …, four pixels a turn, little-endian. */
function packRow(source: Uint32Array, from: number, target: Uint32Array, to: number, pixels: number): void {
  let out = to;
  for (let i = from; i < from + pixels; i += 4) {
    const p1 = source[i + 1]!;
    const p2 = source[i + 2]!;
    target[out] = (source[i]! & 0xffffff) | (p1 << 24);
    target[out + 1] = ((p1 >>> 8) & 0xffff) | (p2 << 16);
    target[out + 2] = ((p2 >>> 16) & 0xff) | (source[i + 3]! << 8);
    out += 3;
  }
}

/** Each row has its filter type before it. */
function filteredBytes(width: number, rows: number): number {
  return (1 /* filter type */ + 3 * width) * rows;
}

/** Writes the first `count` rows, filtered, to `out`. */
function filterRows(rows: RgbRows, count: number, out: Uint8Array): void {
  const rowBytes = 3 * rows.width;
  const filter = isSmooth(rows, count) ? SUB : NONE;
  let at = 0;
  for (let y = 0; y < count; y++) {
    const from = y * rows.strideBytes;
    out[at++] = filter;
    if (filter === NONE) out.set(rows.bytes.subarray(from, from + rowBytes), at);
    else subtractLeft(rows.bytes, from, out, at, rowBytes);
    at += rowBytes;
  }
}

/** Sub, section 9.3: each byte less the same channel's of the pixel to the left. */
function subtractLeft(source: Uint8Array, from: number, out: Uint8Array, at: number, count: number): void {
  for (let i = 0; i < 3 && i < count; i++) out[at + i] = source[from + i]!;
  for (let i = 3; i < count; i++) out[at + i] = source[from + i]! - source[from + i - 3]!;
}

/**
 * Photographs and gradients shrink by Sub, text and flat areas grow (measured: -10% and +16%): a row of pixels that
 * mostly differ a little from their left neighbour is smooth.
 */
function isSmooth(rows: RgbRows, count: number): boolean {
  const { bytes, strideBytes } = rows;
  let near = 0;
  for (let y = 0; y < count; y += SAMPLED) {
    const end = y * strideBytes + 3 * rows.width;
    for (let i = y * strideBytes + 3; i < end; i += 3) {
      const red = Math.abs(bytes[i]! - bytes[i - 3]!);
      const green = Math.abs(bytes[i + 1]! - bytes[i - 2]!);
      const blue = Math.abs(bytes[i + 2]! - bytes[i - 1]!);
      const largest = Math.max(red, green, blue);
      if (largest > 0 && largest <= NEAR) near++;
    }
  }
  return isMostlyNear(near, rows.width, count);
}

/** Of all pixels that have a left neighbour in the rows looked at. */
function isMostlyNear(near: number, width: number, count: number): boolean {
  return 2 * near > Math.ceil(count / SAMPLED) * (width - 1);
}
