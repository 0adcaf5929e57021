import { OPAQUE } from "../framebuffer/framebuffer.ts";
import { type Kernels, openKernelMemory } from "../framebuffer/kernels/kernels.ts";
import type { Rect } from "../framebuffer/rect.ts";
import type { Raster } from "./raster.ts";

/** The two channels at bits 0 and 16 of a word. */
const PAIR = 0x00ff00ff;
/** Half of 255 in both of them, for rounding. */
const HALVES = 0x00800080;

/** Words beside a blend memory's own, where a kernel finds what it blends. */
const SIDE_WORDS = 4096;

/** Kernels may touch so many words past the end. */
const SLACK_WORDS = 16;

/** Shorter stretches are blended sooner than a kernel is called. */
const SHORTEST_KERNEL = 12;

/** A kernel and its whole memory; from word `sideAt` on there is room for what comes from elsewhere. */
interface Side {
  readonly kernels: Kernels;
  readonly words: Uint32Array<ArrayBuffer>;
  readonly sideAt: number;
}

const sides = new WeakMap<ArrayBufferLike, Side>();

/** Words that are blended into faster than others: where the host has kernels they work in it. */
export function blendMemory(count: number): Uint32Array<ArrayBuffer> {
  const memory = openKernelMemory(4 * (count + SLACK_WORDS + SIDE_WORDS + SLACK_WORDS));
  if (memory === null) return new Uint32Array(count);
  const words = new Uint32Array(memory.buffer);
  sides.set(memory.buffer, { kernels: memory.kernels, words, sideAt: count + SLACK_WORDS });
  return words.subarray(0, count);
}

/**
 * One pixel over an opaque one: each channel is (source * alpha + target * (255 - alpha)) / 255, rounded to nearest,
 * red and blue in one multiplication; the result is opaque. Words are 0xAABBGGRR with straight alpha.
 */
export function blendWord(source: number, target: number): number {
  const alpha = source >>> 24;
  const rest = 255 - alpha;
  // Exact for x <= 255 * 255: x / 255 rounded = (x + 128 + ((x + 128) >> 8)) >> 8.
  const rb = Math.imul(source & PAIR, alpha) + Math.imul(target & PAIR, rest) + HALVES;
  const g = Math.imul((source >>> 8) & 255, alpha) + Math.imul((target >>> 8) & 255, rest) + 128;
  return (((rb + ((rb >>> 8) & PAIR)) >>> 8) & PAIR) | ((g + (g >>> 8)) & 0xff00) | OPAQUE;
}

/**
 * Blends the part `r` (desktop pixels, within the raster's bounds) of a raster onto opaque words, of which
 * `target[start]` is the pixel at r's top left corner and `stride` the words a row.
 */
export function blendRaster(
  target: Uint32Array,
  start: number,
  stride: number,
  raster: Raster,
  r: Rect,
): void {
  const { bounds, rows, runs } = raster;
  const left = r.x - bounds.x;
  const right = left + r.width;
  const top = r.y - bounds.y;
  for (let row = 0; row < r.height; row++) {
    const origin = start + row * stride - left;
    let at = rows[top + row]!;
    let x = 0;
    while (x < right) {
      const header = runs[at++]!;
      const end = x + (header >>> 1);
      const from = x < left ? left : x;
      const to = end > right ? right : end;
      if ((header & 1) === 0) {
        const word = runs[at++]!;
        if (from < to) blendFill(target, origin + from, origin + to, word);
      } else {
        if (from < to) blendWords(target, origin + from, runs, at + from - x, to - from);
        at += end - x;
      }
      x = end;
    }
  }
}

function blendFill(target: Uint32Array, from: number, to: number, word: number): void {
  const alpha = word >>> 24;
  if (alpha === 0) return;
  if (alpha === 255) {
    target.fill(word, from, to);
    return;
  }
  const side = to - from < SHORTEST_KERNEL ? undefined : sides.get(target.buffer);
  if (side !== undefined) {
    side.kernels.blendFill(target.byteOffset + 4 * from, to - from, word);
    return;
  }
  const rest = 255 - alpha;
  const rb = Math.imul(word & PAIR, alpha) + HALVES;
  const g = Math.imul((word >>> 8) & 255, alpha) + 128;
  for (let i = from; i < to; i++) {
    const under = target[i]!;
    const rbSum = rb + Math.imul(under & PAIR, rest);
    const gSum = g + Math.imul((under >>> 8) & 255, rest);
    target[i] = (((rbSum + ((rbSum >>> 8) & PAIR)) >>> 8) & PAIR) | ((gSum + (gSum >>> 8)) & 0xff00) | OPAQUE;
  }
}

/** Blends `count` words of `source` from `from` on over those of `target` from `at` on. */
export function blendWords(
  target: Uint32Array,
  at: number,
  source: Uint32Array,
  from: number,
  count: number,
): void {
  const side = count < SHORTEST_KERNEL ? undefined : sides.get(target.buffer);
  if (side === undefined) blendWordsScalar(target, at, source, from, count);
  else {
    for (let done = 0; done < count; done += SIDE_WORDS) {
      const part = Math.min(SIDE_WORDS, count - done);
      side.words.set(source.subarray(from + done, from + done + part), side.sideAt);
      side.kernels.blendWords(target.byteOffset + 4 * (at + done), 4 * side.sideAt, part);
    }
  }
}

/** `blendWords` without kernels. */
export function blendWordsScalar(
  target: Uint32Array,
  at: number,
  source: Uint32Array,
  from: number,
  count: number,
): void {
  for (let i = 0; i < count; i++) {
    const word = source[from + i]!;
    const alpha = word >>> 24;
    if (alpha === 0) continue;
    target[at + i] = alpha === 255 ? word : blendWord(word, target[at + i]!);
  }
}
