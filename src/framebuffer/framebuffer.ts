import { openPictureMemory, type PictureMemory } from "./kernels/picture-memory.ts";
import { holdsRect, type Rect, rectOfSize, type Size } from "./rect.ts";

/** Bytes a pixel takes in a Framebuffer: R, G, B, A. */
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

/** Where the pixels lie. */
interface Place {
  /** In WebAssembly memory of their own, where the host has any; default false. */
  readonly hasKernels?: boolean;
  /** In memory that other threads may hold; default false. */
  readonly isShared?: boolean;
}

interface Memory {
  readonly words: Uint32Array;
  readonly kernelMemory: PictureMemory | null;
}

/**
 * Pixels as data: RGBA, 8 bits each, rows top down, no padding between rows, alpha always 255.
 *
 * INVARIANT: `bytes` and `words` look at the same memory; a word is 0xAABBGGRR (hosts are little-endian).
 * INVARIANT: every word has OPAQUE set.
 */
export class Framebuffer implements Size {
  #width: number;
  #height: number;
  readonly #place: Place;
  #words: Uint32Array;
  #bytes: Uint8Array;
  #kernelMemory: PictureMemory | null;

  /**
   * Black, width x height pixels; with kernels it lies in WebAssembly memory of its own, where the host has any.
   * Throws a RangeError for a size outside isAcceptableSize.
   */
  constructor(width: number, height: number, place: Place & { readonly memory?: SharedArrayBuffer } = {}) {
    const { memory } = place;
    const { words, kernelMemory } =
      memory === undefined ? allocate(width, height, place) : adopt(width, height, memory);
    this.#width = width;
    this.#height = height;
    this.#place = { hasKernels: place.hasKernels ?? false, isShared: place.isShared ?? memory !== undefined };
    this.#words = words;
    this.#kernelMemory = kernelMemory;
    this.#bytes = bytesOf(words);
  }

  /** One whose `memory` can be handed to another thread. Throws as the constructor does. */
  static shared(width: number, height: number): Framebuffer {
    return new Framebuffer(width, height, { isShared: true });
  }

  /** The pixels of another thread, as they are: who reads them while that one writes sees them torn. */
  static over(memory: SharedArrayBuffer, width: number, height: number): Framebuffer {
    return new Framebuffer(width, height, { memory });
  }

  /** What other threads may be handed; null where the pixels are this one's alone. Replaced by `resize`. */
  get memory(): SharedArrayBuffer | null {
    const { buffer } = this.#words;
    return buffer instanceof ArrayBuffer ? null : buffer;
  }

  get width(): number {
    return this.#width;
  }

  get height(): number {
    return this.#height;
  }

  get rect(): Rect {
    return rectOfSize(this);
  }

  get strideBytes(): number {
    return this.#width * BYTES_PER_PIXEL;
  }

  /** R, G, B, A, … of all pixels; replaced by `resize`, so never keep it. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** One 0xAABBGGRR word a pixel; replaced by `resize`, so never keep it. */
  get words(): Uint32Array {
    return this.#words;
  }

  /** The kernels that work on these pixels where they lie, and room beside them; null where there are none. */
  get kernelMemory(): PictureMemory | null {
    return this.#kernelMemory;
  }

  /** Keeps the common top-left part, the rest is black. Throws a RangeError for a size outside isAcceptableSize. */
  resize(width: number, height: number): void {
    if (width === this.#width && height === this.#height) return;
    const { words, kernelMemory } = allocate(width, height, this.#place);
    const rows = Math.min(height, this.#height);
    const columns = Math.min(width, this.#width);
    for (let y = 0; y < rows; y++) {
      words.set(this.#words.subarray(y * this.#width, y * this.#width + columns), y * width);
    }
    this.#width = width;
    this.#height = height;
    this.#words = words;
    this.#kernelMemory = kernelMemory;
    this.#bytes = bytesOf(words);
  }

  /** Fills a rectangle within the picture with one word; OPAQUE is set. */
  fill(r: Rect, word: number): void {
    const colour = (word | OPAQUE) >>> 0;
    const words = this.#words;
    const width = this.#width;
    let offset = r.y * width + r.x;
    for (let row = 0; row < r.height; row++, offset += width) {
      if (r.width < 16) for (let i = offset; i < offset + r.width; i++) words[i] = colour;
      else words.fill(colour, offset, offset + r.width);
    }
  }

  /** Copies `to.width` x `to.height` pixels from (fromX, fromY); source and target may overlap. */
  copy(fromX: number, fromY: number, to: Rect): void {
    const words = this.#words;
    const width = this.#width;
    const isDown = to.y > fromY;
    for (let i = 0; i < to.height; i++) {
      const row = isDown ? to.height - 1 - i : i;
      const from = (fromY + row) * width + fromX;
      words.copyWithin((to.y + row) * width + to.x, from, from + to.width);
    }
  }

  /** A copy of one rectangle's pixels, RGBA, width * 4 bytes a row. The rectangle lies within the picture. */
  read(r: Rect): Uint8Array<ArrayBuffer> {
    if (!holdsRect(this.rect, r))
      throw new RangeError(`rectangle outside the ${this.#width}x${this.#height} picture`);
    const out = new Uint8Array(r.width * r.height * BYTES_PER_PIXEL);
    const rowBytes = r.width * BYTES_PER_PIXEL;
    for (let y = 0; y < r.height; y++) {
      const from = ((r.y + y) * this.#width + r.x) * BYTES_PER_PIXEL;
      out.set(this.#bytes.subarray(from, from + rowBytes), y * rowBytes);
    }
    return out;
  }
}

function allocate(width: number, height: number, { hasKernels, isShared }: Place): Memory {
  checkSize(width, height);
  if (isShared === true)
    return adopt(width, height, new SharedArrayBuffer(width * height * BYTES_PER_PIXEL), OPAQUE);
  const kernelMemory = hasKernels === true ? openPictureMemory(width, height) : null;
  const words =
    kernelMemory === null
      ? new Uint32Array(width * height)
      : new Uint32Array(kernelMemory.buffer, kernelMemory.pixels, width * height);
  return { words: words.fill(OPAQUE), kernelMemory };
}

/** `memory` as pixels, all of them `word` where one is given. Throws a RangeError where they do not fit. */
function adopt(width: number, height: number, memory: SharedArrayBuffer, word?: number): Memory {
  checkSize(width, height);
  const words = new Uint32Array(memory, 0, width * height);
  if (word !== undefined) words.fill(word);
  return { words, kernelMemory: null };
}

function checkSize(width: number, height: number): void {
  if (!isAcceptableSize({ width, height }))
    throw new RangeError(`picture of ${width}x${height} pixels refused`);
}

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
