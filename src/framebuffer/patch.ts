import type { Framebuffer } from "./framebuffer.ts";
import { MAX_PATCH_PIXELS } from "./kernels/picture-memory.ts";
import { holdsRect, type Rect, type Size } from "./rect.ts";

/** Greys that a tolerant search compares at each place before it looks at all pixels. */
const SAMPLES = 24;

/** A pixel this far in grey from the patch's ground is ink: what makes the patch recognisable. */
const INK_DISTANCE = 32;

/** Fewer ink pixels are noise or a line: a tolerant search would find them everywhere. */
const LEAST_INK = 12;

/** Rows that a tolerant search's samples reach over at most, so that its rows of greys fit its memory. */
const SAMPLED_ROWS = 128;

/** A pixel of a patch, in its own coordinates. */
interface Sample {
  readonly x: number;
  readonly y: number;
  /** 0 to 255. */
  readonly grey: number;
}

/** A piece of a picture to be found again. */
export interface Patch extends Size {
  /** Its pixels, 0xAABBGGRR, width to a row. */
  readonly words: Uint32Array<ArrayBuffer>;
  /** The pixel whose colour is rarest within the patch: what an exact search looks for first. */
  readonly rarest: { readonly x: number; readonly y: number };
  /** What a tolerant search looks for first; empty where the patch has too little ink. */
  readonly samples: readonly Sample[];
  /** Pixels that stand out from the ground. */
  readonly ink: number;
}

/** Remembers a rectangle's pixels. Throws a RangeError where it is empty, outside or over MAX_PATCH_PIXELS. */
export function takePatch(frame: Framebuffer, rect: Rect): Patch {
  const { x, y, width, height } = rect;
  if (width < 1 || height < 1 || !holdsRect(frame.rect, rect)) {
    throw new RangeError(`patch ${width}x${height} at ${x},${y} refused: expected one within the picture`);
  }
  if (width * height > MAX_PATCH_PIXELS) {
    throw new RangeError(
      `patch of ${width}x${height} pixels refused: expected at most ${MAX_PATCH_PIXELS} pixels`,
    );
  }
  const words = new Uint32Array(width * height);
  for (let row = 0; row < height; row++) {
    const start = (y + row) * frame.width + x;
    words.set(frame.words.subarray(start, start + width), row * width);
  }
  const greys = Uint8Array.from(words, greyOf);
  const ground = commonest(greys);
  const ink: number[] = [];
  greys.forEach((grey, i) => {
    if (Math.abs(grey - ground) >= INK_DISTANCE) ink.push(i);
  });
  const samples = ink.length < LEAST_INK ? [] : samplesOf(greys, width, ink);
  return { width, height, words, rarest: rarestOf(words, width), samples, ink: ink.length };
}

/** (R + 2G + B) / 4, cut off. */
export function greyOf(word: number): number {
  return ((word & 255) + ((word >>> 7) & 510) + ((word >>> 16) & 255)) >>> 2;
}

function commonest(greys: Uint8Array): number {
  const counts = new Int32Array(256);
  for (const grey of greys) counts[grey] = (counts[grey] ?? 0) + 1;
  return counts.indexOf(Math.max(...counts));
}

function rarestOf(words: Uint32Array, width: number): { x: number; y: number } {
  const counts = new Map<number, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  let rarest = words[0] ?? 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [word, count] of counts) {
    if (count >= least) continue;
    rarest = word;
    least = count;
  }
  const at = words.indexOf(rarest);
  return { x: at % width, y: Math.floor(at / width) };
}

/**
 * Ink spread over the busiest SAMPLED_ROWS rows, each other with the ground beside it: both must be where they were.
 * In an order that jumps about, so that the first few already tell most places apart.
 */
function samplesOf(greys: Uint8Array, width: number, ink: readonly number[]): Sample[] {
  const window = busiestRows(ink, width, greys.length / width);
  const near = ink.filter((i) => {
    const row = Math.floor(i / width);
    return row >= window && row < window + SAMPLED_ROWS;
  });
  const chosen = new Set<number>();
  const pairs = SAMPLES / 2;
  for (let k = 0; k < pairs; k++) {
    // 5 has no factor in common with the number of pairs: every one has its turn.
    const at = near[Math.floor((((k * 5) % pairs) * near.length) / pairs)];
    if (at === undefined) continue;
    chosen.add(at);
    chosen.add(contrasting(greys, width, at, window));
  }
  return [...chosen].map((i) => ({ x: i % width, y: Math.floor(i / width), grey: greys[i] ?? 0 }));
}

/** The first of the rows with the most ink; all rows where there are no more than SAMPLED_ROWS. */
function busiestRows(ink: readonly number[], width: number, height: number): number {
  const inks = new Int32Array(height);
  for (const i of ink) inks[Math.floor(i / width)] = (inks[Math.floor(i / width)] ?? 0) + 1;
  let best = 0;
  let bestSum = -1;
  let sum = 0;
  for (let row = 0; row < height; row++) {
    sum += inks[row] ?? 0;
    if (row >= SAMPLED_ROWS) sum -= inks[row - SAMPLED_ROWS] ?? 0;
    if (sum <= bestSum) continue;
    bestSum = sum;
    best = Math.max(0, row - SAMPLED_ROWS + 1);
  }
  return best;
}

/** Of the pixels a few steps left, right, above and below, the one that differs most. */
function contrasting(greys: Uint8Array, width: number, at: number, firstRow: number): number {
  const x = at % width;
  const y = Math.floor(at / width);
  const rows = Math.min(greys.length / width, firstRow + SAMPLED_ROWS);
  let best = at;
  let most = -1;
  for (const [dx, dy] of [
    [-2, 0],
    [2, 0],
    [0, -2],
    [0, 2],
    [-4, 0],
    [4, 0],
  ] as const) {
    const toX = x + dx;
    const toY = y + dy;
    if (toX < 0 || toX >= width || toY < firstRow || toY >= rows) continue;
    const i = toY * width + toX;
    const difference = Math.abs((greys[i] ?? 0) - (greys[at] ?? 0));
    if (difference <= most) continue;
    most = difference;
    best = i;
  }
  return best;
}
