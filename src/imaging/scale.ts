import { setImmediate as nextTurn } from "node:timers/promises";
import { BYTES_PER_PIXEL, isAcceptableSize, OPAQUE } from "../framebuffer/framebuffer.ts";
import type { Rect, Size } from "../framebuffer/rect.ts";
import type { RgbaImage } from "../protocols/platform.ts";
import type { Pixels } from "../protocols/rfb/encodings/encoding.ts";
import type { Picture } from "../protocols/rfb/screen.ts";
import { checkRect, copyPixels, type PixelWords, pictureOf, wordsOf } from "./pixels.ts";

/** The two channels at bits 0 and 16 of a word. */
const PAIR = 0x00ff00ff;

/** Lines made between two looks at the clock. */
const BAND_LINES = 16;

/** How long the event loop is held before others get a turn. */
const SLICE_MS = 4;

/**
 * One rectangle of a picture at another, not larger size, as a picture of its own. The pixels are copied before this
 * returns, then scaled with pauses for others. Throws a RangeError as `scalePixels` does.
 */
export async function scalePicture(picture: Picture, rect: Rect, to: Size): Promise<Picture> {
  checkRect(picture, rect);
  checkSizes(rect, to);
  const bytes = copyPixels(picture.pixels(rect), rect.width, rect.height);
  const scaling = begin({ bytes, offset: 0, strideBytes: rect.width * BYTES_PER_PIXEL }, rect, to);
  let sliceEndMs = performance.now() + SLICE_MS;
  for (let line = 0; line < to.height; line += BAND_LINES) {
    scaleLines(scaling, line, Math.min(line + BAND_LINES, to.height));
    if (performance.now() < sliceEndMs) continue;
    await nextTurn();
    sliceEndMs = performance.now() + SLICE_MS;
  }
  return pictureOf(imageOf(scaling));
}

/**
 * Opaque pixels at a size not larger in either direction: each new pixel is the mean of the area it covers, parts of
 * pixels by their share, rounded to nearest. Throws a RangeError for a larger or unacceptable size.
 */
export function scalePixels(from: Pixels, size: Size, to: Size): RgbaImage {
  checkSizes(size, to);
  const scaling = begin(from, size, to);
  scaleLines(scaling, 0, to.height);
  return imageOf(scaling);
}

function checkSizes(size: Size, to: Size): void {
  if (isAcceptableSize(to) && to.width <= size.width && to.height <= size.height) return;
  throw new RangeError(
    `scaling ${size.width}x${size.height} to ${to.width}x${to.height} pixels refused: expected 1x1 to the same size`,
  );
}

/** A picture being scaled, line by line. */
interface Scaling {
  readonly source: PixelWords;
  readonly target: Uint32Array<ArrayBuffer>;
  readonly columns: Spread;
  readonly lines: Spread;
  /** The mean for each weighted sum of a channel, where sums are so small that two share a word; else null. */
  readonly means: Uint8Array | null;
}

function begin(from: Pixels, size: Size, to: Size): Scaling {
  const columns = spread(size.width, to.width);
  const lines = spread(size.height, to.height);
  const area = columns.total * lines.total;
  return {
    source: wordsOf(from, size.width, size.height),
    target: new Uint32Array(to.width * to.height),
    columns,
    lines,
    means: 255 * area < 0x10000 ? meansOf(area) : null,
  };
}

function meansOf(area: number): Uint8Array {
  return Uint8Array.from({ length: 255 * area + 1 }, (_, sum) => Math.floor((2 * sum + area) / (2 * area)));
}

function scaleLines(scaling: Scaling, from: number, to: number): void {
  if (scaling.means === null) scaleInSums(scaling, from, to);
  else scaleInPairs(scaling, scaling.means, from, to);
}

function imageOf({ target, columns, lines }: Scaling): RgbaImage {
  return { width: columns.first.length, height: lines.first.length, rgba: new Uint8Array(target.buffer) };
}

/**
 * How new pixels cover old ones along one axis. With both lengths in units of their greatest common divisor, an old
 * pixel is `to` units long and a new one `total` = `from` units. New pixel i begins in old pixel `first[i]`, of which
 * it covers `head[i]` units, and ends in `last[i]`, of which it covers `tail[i]`; those between it covers whole.
 */
interface Spread {
  readonly total: number;
  readonly whole: number;
  readonly first: Int32Array;
  readonly head: Int32Array;
  readonly last: Int32Array;
  readonly tail: Int32Array;
}

function spread(from: number, to: number): Spread {
  const divisor = greatestCommonDivisor(from, to);
  const total = from / divisor;
  const whole = to / divisor;
  const first = new Int32Array(to);
  const head = new Int32Array(to);
  const last = new Int32Array(to);
  const tail = new Int32Array(to);
  for (let i = 0; i < to; i++) {
    const start = i * total;
    const end = start + total;
    const begins = Math.floor(start / whole);
    const ends = Math.ceil(end / whole) - 1;
    first[i] = begins;
    last[i] = ends;
    head[i] = Math.min(end, (begins + 1) * whole) - start;
    tail[i] = ends === begins ? 0 : end - ends * whole;
  }
  return { total, whole, first, head, last, tail };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** Units of old line `y` that new line `i` covers. */
function weightOf(axis: Spread, i: number, y: number): number {
  if (y === axis.first[i]) return axis.head[i]!;
  return y === axis.last[i] ? axis.tail[i]! : axis.whole;
}

/**
 * For weights so small that red and blue are summed in one word. `| 0` keeps sums that use the sign bit whole
 * numbers of 32 bits: without it they become doubles, at three times the cost.
 */
function scaleInPairs(scaling: Scaling, means: Uint8Array, from: number, to: number): void {
  const { target, lines } = scaling;
  const { words, start, stride } = scaling.source;
  const { first, head, last, tail, whole } = scaling.columns;
  const width = first.length;
  let at = from * width;
  for (let line = from; line < to; line++) {
    const top = lines.first[line]!;
    const bottom = lines.last[line]!;
    for (let x = 0; x < width; x++) {
      const left = first[x]!;
      const right = last[x]!;
      let rb = 0;
      let g = 0;
      for (let y = top; y <= bottom; y++) {
        const share = weightOf(lines, line, y);
        const row = start + y * stride;
        let weight = Math.imul(share, head[x]!);
        for (let i = left; i <= right; i++) {
          const word = words[row + i]!;
          rb = (rb + Math.imul(word & PAIR, weight)) | 0;
          g = (g + Math.imul((word >>> 8) & 255, weight)) | 0;
          weight = Math.imul(share, i + 1 === right ? tail[x]! : whole);
        }
      }
      target[at++] = means[rb & 0xffff]! | (means[g]! << 8) | (means[rb >>> 16]! << 16) | OPAQUE;
    }
  }
}

/** For any weights: sums reach 255 * 16384 * 16384, which a double holds exactly. */
function scaleInSums({ source, target, columns, lines }: Scaling, from: number, to: number): void {
  const width = columns.first.length;
  const area = columns.total * lines.total;
  const row = new Int32Array(3 * width);
  const sums = new Float64Array(3 * width);
  let summed = -1;
  for (let i = from; i < to; i++) {
    sums.fill(0);
    for (let y = lines.first[i]!; y <= lines.last[i]!; y++) {
      if (y !== summed) sumChannels(source, source.start + y * source.stride, columns, row);
      summed = y;
      const weight = weightOf(lines, i, y);
      for (let x = 0; x < sums.length; x++) sums[x] = sums[x]! + row[x]! * weight;
    }
    const at = i * width;
    for (let x = 0; x < width; x++) {
      const red = Math.floor(sums[3 * x]! / area + 0.5);
      const green = Math.floor(sums[3 * x + 1]! / area + 0.5);
      const blue = Math.floor(sums[3 * x + 2]! / area + 0.5);
      target[at + x] = red | (green << 8) | (blue << 16) | OPAQUE;
    }
  }
}

function sumChannels(source: PixelWords, at: number, columns: Spread, row: Int32Array): void {
  const { first, head, last, tail, whole } = columns;
  const words = source.words;
  for (let x = 0; x < first.length; x++) {
    const end = at + last[x]!;
    let red = 0;
    let green = 0;
    let blue = 0;
    let weight = head[x]!;
    for (let i = at + first[x]!; i <= end; i++) {
      const word = words[i]!;
      red = (red + Math.imul(word & 255, weight)) | 0;
      green = (green + Math.imul((word >>> 8) & 255, weight)) | 0;
      blue = (blue + Math.imul((word >>> 16) & 255, weight)) | 0;
      weight = i + 1 === end ? tail[x]! : whole;
    }
    row[3 * x] = red;
    row[3 * x + 1] = green;
    row[3 * x + 2] = blue;
  }
}
