import { type Rect, rectOfSize, type Size } from "./rect.ts";

/** Bytes a pixel takes in a picture: R, G, B, A. */
export const BYTES_PER_PIXEL = 4;

/** Alpha of every pixel in a word read little-endian: 0xAABBGGRR. */
export const OPAQUE = 0xff000000;

/** The largest side and area accepted for a picture. */
export const MAX_SIDE = 16_384;
export const MAX_AREA = 33_200_000;

/** What is expected of a size, for messages. */
export const ACCEPTABLE_SIZES = `1x1 to ${MAX_SIDE} pixels a side, and at most ${MAX_AREA} pixels in all`;

/** True where a picture of this size is one we hold: whole numbers, at least 1x1, at most MAX_SIDE and MAX_AREA. */
export function isAcceptableSize({ width, height }: Size): boolean {
  return (
    Number.isInteger(width) &&
    Number.isInteger(height) &&
    width >= 1 &&
    height >= 1 &&
    width <= MAX_SIDE &&
    height <= MAX_SIDE &&
    width * height <= MAX_AREA
  );
}

/** Throws a RangeError for a size outside isAcceptableSize. */
export function checkSize(width: number, height: number): void {
  if (!isAcceptableSize({ width, height }))
    throw new RangeError(`picture of ${width}x${height} pixels refused`);
}

/** What pictures are painted into, whoever has the memory. One 0xAABBGGRR word a pixel, rows top down, no padding. */
export interface PaintedPicture extends Size {
  readonly rect: Rect;
  readonly words: Uint32Array;
  fill(r: Rect, word: number): void;
  copy(fromX: number, fromY: number, to: Rect): void;
}

/** Fills a rectangle within a picture of `width` with one word; OPAQUE is set. */
export function fillWords(words: Uint32Array, width: number, r: Rect, word: number): void {
  const colour = (word | OPAQUE) >>> 0;
  let offset = r.y * width + r.x;
  for (let row = 0; row < r.height; row++, offset += width) {
    if (r.width < 16) for (let i = offset; i < offset + r.width; i++) words[i] = colour;
    else words.fill(colour, offset, offset + r.width);
  }
}

/** Copies `to.width` x `to.height` pixels within a picture of `width`; source and target may overlap. */
export function copyWords(words: Uint32Array, width: number, fromX: number, fromY: number, to: Rect): void {
  const isDown = to.y > fromY;
  for (let i = 0; i < to.height; i++) {
    const row = isDown ? to.height - 1 - i : i;
    const from = (fromY + row) * width + fromX;
    words.copyWithin((to.y + row) * width + to.x, from, from + to.width);
  }
}

/**
 * A picture whose memory is its own from its beginning on and whose size stays: all that a player needs. Without
 * kernels, threads and pictures at rest, which browsers would load for nothing.
 */
export class PlainPicture implements PaintedPicture {
  readonly width: number;
  readonly height: number;
  readonly words: Uint32Array<ArrayBuffer>;
  /** R, G, B, A, … of all pixels: the memory of `words`. */
  readonly bytes: Uint8Array<ArrayBuffer>;

  /** Black. Throws a RangeError for a size outside isAcceptableSize. */
  constructor(width: number, height: number) {
    checkSize(width, height);
    this.width = width;
    this.height = height;
    this.bytes = new Uint8Array(width * height * BYTES_PER_PIXEL);
    this.words = new Uint32Array(this.bytes.buffer).fill(OPAQUE);
  }

  get rect(): Rect {
    return rectOfSize(this);
  }

  fill(r: Rect, word: number): void {
    fillWords(this.words, this.width, r, word);
  }

  copy(fromX: number, fromY: number, to: Rect): void {
    copyWords(this.words, this.width, fromX, fromY, to);
  }
}
