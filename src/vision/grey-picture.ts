import type { Rect, Size } from "../framebuffer/rect.ts";

/** One byte a pixel, without padding between rows; 255 is white. */
export interface GreyPicture extends Size {
  readonly grey: Uint8Array;
}

/** A part of an RGBA picture as luminance, in whole 256ths of Rec. 601. */
export function greyOf(rgba: Uint8ClampedArray, width: number, part: Rect): GreyPicture {
  const grey = new Uint8Array(part.width * part.height);
  let to = 0;
  for (let y = 0; y < part.height; y++) {
    let from = ((part.y + y) * width + part.x) * 4;
    for (let x = 0; x < part.width; x++, from += 4) {
      const sum = 77 * (rgba[from] ?? 0) + 150 * (rgba[from + 1] ?? 0) + 29 * (rgba[from + 2] ?? 0);
      grey[to++] = sum >> 8;
    }
  }
  return { width: part.width, height: part.height, grey };
}

/** Catmull-Rom weights of the four pixels around a point a quarter of a pixel before one, and after it. */
const BEFORE = [-0.0234375, 0.2265625, 0.8671875, -0.0703125] as const;
const AFTER = [-0.0703125, 0.8671875, 0.2265625, -0.0234375] as const;

/** Twice as wide and high: letters of screens are half as high as those the engine was taught with. */
export function doubled({ width, height, grey }: GreyPicture): GreyPicture {
  const wide = width * 2;
  const rows = new Float32Array(wide * height);
  for (let y = 0; y < height; y++) {
    const from = y * width;
    const at = (x: number): number => grey[from + (x < 0 ? 0 : x >= width ? width - 1 : x)] ?? 0;
    for (let x = 0; x < width; x++) {
      const to = y * wide + x * 2;
      rows[to] = BEFORE[0] * at(x - 2) + BEFORE[1] * at(x - 1) + BEFORE[2] * at(x) + BEFORE[3] * at(x + 1);
      rows[to + 1] = AFTER[0] * at(x - 1) + AFTER[1] * at(x) + AFTER[2] * at(x + 1) + AFTER[3] * at(x + 2);
    }
  }
  const made = new Uint8Array(wide * height * 2);
  const rowAt = (y: number): number => (y < 0 ? 0 : y >= height ? height - 1 : y) * wide;
  for (let y = 0; y < height * 2; y++) {
    const weights = y % 2 === 0 ? BEFORE : AFTER;
    const first = (y >> 1) - 2 + (y % 2);
    const [a, b, c, d] = [rowAt(first), rowAt(first + 1), rowAt(first + 2), rowAt(first + 3)];
    const to = y * wide;
    for (let x = 0; x < wide; x++) {
      const value =
        weights[0] * (rows[a + x] ?? 0) +
        weights[1] * (rows[b + x] ?? 0) +
        weights[2] * (rows[c + x] ?? 0) +
        weights[3] * (rows[d + x] ?? 0);
      made[to + x] = value < 0 ? 0 : value > 255 ? 255 : value;
    }
  }
  return { width: wide, height: height * 2, grey: made };
}

/** So many pixels of one grey beside each other, or below each other, are ground or a rule: strokes of letters are shorter. */
const GROUND_WIDTH = 20;
const GROUND_HEIGHT = 32;
/** Greys of one ground: gradients and what lossy encodings add to it. */
const NEARLY = 4;

/**
 * The same with white ground everywhere and text the darker the more it differs from its ground, whether it is light on
 * dark or dark on light. A letter's ground is the nearest in its row, to the left or the right.
 */
export function levelled({ width, height, grey }: GreyPicture): GreyPicture {
  const isGround = groundOf({ width, height, grey });
  const made = new Uint8Array(width * height).fill(255);
  for (let row = 0; row < width * height; row += width) {
    const end = row + width;
    let left = -1;
    for (let from = row; from < end; ) {
      if (isGround[from] === 1) {
        left = from++;
        continue;
      }
      let right = from;
      while (right < end && isGround[right] === 0) right++;
      const hasRight = right < end;
      for (let at = from; at < right; at++) {
        const isLeftNearer = left >= 0 && (!hasRight || at - left <= right - at);
        const ground = isLeftNearer ? grey[left]! : hasRight ? grey[right]! : grey[row]!;
        made[at] = 255 - Math.abs(grey[at]! - ground);
      }
      from = right;
    }
  }
  return { width, height, grey: made };
}

/** 1 for each pixel of a long run of one grey. */
function groundOf({ width, height, grey }: GreyPicture): Uint8Array {
  const isGround = new Uint8Array(width * height);
  for (let row = 0; row < width * height; row += width) {
    let start = row;
    for (let at = row + 1; at <= row + width; at++) {
      if (at < row + width && Math.abs(grey[at]! - grey[at - 1]!) <= NEARLY) continue;
      if (at - start >= GROUND_WIDTH) isGround.fill(1, start, at);
      start = at;
    }
  }
  const starts = new Uint32Array(width);
  for (let y = 1; y <= height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      if (y < height && Math.abs(grey[at]! - grey[at - width]!) <= NEARLY) continue;
      const start = starts[x]!;
      if (y - start >= GROUND_HEIGHT) for (let k = start; k < y; k++) isGround[k * width + x] = 1;
      starts[x] = y;
    }
  }
  return isGround;
}
