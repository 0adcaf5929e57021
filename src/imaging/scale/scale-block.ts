import { OPAQUE } from "../../framebuffer/framebuffer.ts";
import { clearedScratch, type KernelScratch } from "../../framebuffer/kernels/kernel-scratch.ts";
import type { Rect, Size } from "../../framebuffer/rect.ts";
import type { PixelWords } from "../pixels.ts";
import { type Spread, spread, weightOf } from "./spread.ts";

/** The two channels at bits 0 and 16 of a word. */
const PAIR = 0x00ff00ff;

/** Sums of a channel, times 255, stay below this in the kernel's 32 bits. */
const MOST_KERNEL_AREA = Math.floor((2 ** 31 - 1) / 256);

/** A picture being scaled, part by part. */
export interface Scaling {
  readonly target: Uint32Array<ArrayBuffer>;
  readonly columns: Spread;
  readonly lines: Spread;
  /** The mean for each weighted sum of a channel, where sums are so small that two share a word; else null. */
  readonly means: Uint8Array | null;
}

export function beginScaling(size: Size, to: Size): Scaling {
  const columns = spread(size.width, to.width);
  const lines = spread(size.height, to.height);
  const area = columns.total * lines.total;
  return {
    target: new Uint32Array(to.width * to.height),
    columns,
    lines,
    means: 255 * area < 0x10000 ? meansOf(area) : null,
  };
}

/**
 * Scales one block of the new picture: each new pixel is the mean of the area it covers, parts of pixels by their share,
 * rounded to nearest. `source.start` is where the old picture's pixel (0, 0) would lie; only what the block covers is
 * read.
 */
export function scaleBlock(scaling: Scaling, source: PixelWords, block: Rect): void {
  const scratch = clearedScratch();
  if (scratch === null || !scaleOn(scratch, scaling, source, block)) scaleBlockScalar(scaling, source, block);
}

/** `scaleBlock` without kernels. */
export function scaleBlockScalar(scaling: Scaling, source: PixelWords, block: Rect): void {
  if (scaling.means === null) scaleInSums(scaling, source, block);
  else scaleInPairs(scaling, scaling.means, source, block);
}

/** The old pixels that a block of new ones covers. */
export function coveredBy({ columns, lines }: Scaling, { x, y, width, height }: Rect): Rect {
  const left = columns.first[x]!;
  const top = lines.first[y]!;
  const right = columns.last[x + width - 1]! + 1;
  const bottom = lines.last[y + height - 1]! + 1;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** False where sums need more than 32 bits or the scratch memory has no room. */
function scaleOn(scratch: KernelScratch, scaling: Scaling, source: PixelWords, block: Rect): boolean {
  const { columns, lines, target } = scaling;
  const area = columns.total * lines.total;
  if (area > MOST_KERNEL_AREA) return false;
  const { kernels, words } = scratch;
  const covered = coveredBy(scaling, block);
  const newWidth = columns.first.length;
  const row = scratch.take(4 * covered.width);
  const sums = scratch.take(16 * covered.width);
  const out = scratch.take(4 * block.width);
  const [first, head, last, tail] = [columns.first, columns.head, columns.last, columns.tail].map((table) => {
    const at = scratch.take(4 * block.width);
    if (at >= 0) words.set(table.subarray(block.x, block.x + block.width), at / 4);
    return at;
  });
  if (first === undefined || head === undefined || last === undefined || tail === undefined) return false;
  if (Math.min(row, sums, out, first, head, last, tail) < 0) return false;
  for (let line = block.y; line < block.y + block.height; line++) {
    const top = lines.first[line]!;
    const bottom = lines.last[line]!;
    for (let y = top; y <= bottom; y++) {
      const start = source.start + y * source.stride + covered.x;
      words.set(source.words.subarray(start, start + covered.width), row / 4);
      kernels.sumRow(row, sums, covered.width, weightOf(lines, line, y), y === top ? 1 : 0);
    }
    const { whole } = columns;
    kernels.meanLine(sums, covered.x, out, first, head, last, tail, 0, block.width, whole, area);
    target.set(words.subarray(out / 4, out / 4 + block.width), line * newWidth + block.x);
  }
  return true;
}

function meansOf(area: number): Uint8Array {
  return Uint8Array.from({ length: 255 * area + 1 }, (_, sum) => Math.floor((2 * sum + area) / (2 * area)));
}

/**
 * For weights so small that red and blue are summed in one word. `| 0` keeps sums that use the sign bit whole
 * numbers of 32 bits: without it they become doubles, at three times the cost.
 */
function scaleInPairs(scaling: Scaling, means: Uint8Array, source: PixelWords, block: Rect): void {
  const { target, lines } = scaling;
  const { words, start, stride } = source;
  const { first, head, last, tail, whole } = scaling.columns;
  const width = first.length;
  const end = block.x + block.width;
  for (let line = block.y; line < block.y + block.height; line++) {
    let at = line * width + block.x;
    const top = lines.first[line]!;
    const bottom = lines.last[line]!;
    for (let x = block.x; x < end; x++) {
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
function scaleInSums({ target, columns, lines }: Scaling, source: PixelWords, block: Rect): void {
  const width = columns.first.length;
  const area = columns.total * lines.total;
  const row = new Int32Array(3 * block.width);
  const sums = new Float64Array(3 * block.width);
  let summed = -1;
  for (let i = block.y; i < block.y + block.height; i++) {
    sums.fill(0);
    for (let y = lines.first[i]!; y <= lines.last[i]!; y++) {
      if (y !== summed) sumChannels(source, source.start + y * source.stride, columns, block.x, row);
      summed = y;
      const weight = weightOf(lines, i, y);
      for (let x = 0; x < sums.length; x++) sums[x] = sums[x]! + row[x]! * weight;
    }
    const at = i * width + block.x;
    for (let x = 0; x < block.width; x++) {
      const red = Math.floor(sums[3 * x]! / area + 0.5);
      const green = Math.floor(sums[3 * x + 1]! / area + 0.5);
      const blue = Math.floor(sums[3 * x + 2]! / area + 0.5);
      target[at + x] = red | (green << 8) | (blue << 16) | OPAQUE;
    }
  }
}

function sumChannels(source: PixelWords, at: number, columns: Spread, from: number, row: Int32Array): void {
  const { first, head, last, tail, whole } = columns;
  const words = source.words;
  for (let out = 0; out < row.length; out += 3) {
    const x = from + out / 3;
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
    row[out] = red;
    row[out + 1] = green;
    row[out + 2] = blue;
  }
}
