import {
  EMPTY_RECT,
  holdsRect,
  intersectRects,
  isEmptyRect,
  type Rect,
  rectOfSize,
  type Size,
} from "./rect.ts";

const NOTHING = new Int32Array(0);

/**
 * Which pixels of a picture have not been painted yet, exactly, however many rectangles paint it. At first none are
 * missing. While a part of them is, it takes a bit a pixel (1 MiB for 3840 x 2160), else no memory.
 */
export class MissingPixels {
  #bounds: Rect = EMPTY_RECT;
  #count = 0;
  /** A bit a pixel, set once it was painted; each row begins with a new word, its leftmost pixel in the lowest bit. */
  #painted = NOTHING;

  /** How many are missing. */
  get count(): number {
    return this.#count;
  }

  /** From here on every pixel of a picture of this size is missing. */
  expect(size: Size): void {
    this.#bounds = rectOfSize(size);
    this.#count = size.width * size.height;
    this.#painted = NOTHING;
  }

  /** The pixels of this rectangle are there; what lies outside of the picture does not count. */
  paint(r: Rect): void {
    if (this.#count === 0) return;
    if (holdsRect(r, this.#bounds)) {
      this.#count = 0;
      this.#painted = NOTHING;
      return;
    }
    const within = intersectRects(r, this.#bounds);
    if (isEmptyRect(within)) return;
    const { x, y, width, height } = within;
    const stride = Math.ceil(this.#bounds.width / 32);
    if (this.#painted === NOTHING) this.#painted = new Int32Array(stride * this.#bounds.height);
    const first = x >>> 5;
    const last = (x + width - 1) >>> 5;
    const firstBits = -1 << (x & 31);
    const lastBits = -1 >>> (31 - ((x + width - 1) & 31));
    for (let row = y * stride; row < (y + height) * stride; row += stride) {
      if (first === last) {
        this.#set(row + first, firstBits & lastBits);
        continue;
      }
      this.#set(row + first, firstBits);
      for (let i = first + 1; i < last; i++) this.#set(row + i, -1);
      this.#set(row + last, lastBits);
    }
    if (this.#count === 0) this.#painted = NOTHING;
  }

  #set(index: number, bits: number): void {
    const painted = this.#painted[index]!;
    const fresh = bits & ~painted;
    if (fresh === 0) return;
    this.#painted[index] = painted | fresh;
    this.#count -= fresh === -1 ? 32 : bitCount(fresh);
  }
}

/** How many bits of a 32-bit word are set. */
function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
