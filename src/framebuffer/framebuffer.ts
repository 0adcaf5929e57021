import { BAND_ROWS, type PictureMemory } from "./kernels/picture-memory.ts";
import type { CopyMove } from "./picture.ts";
import { type PixelMemory, pixelMemoryOver, returnPixelMemory, takePixelMemory } from "./pixel-memory.ts";
import {
  BYTES_PER_PIXEL,
  checkSize,
  copyWords,
  fillWords,
  OPAQUE,
  type PaintedPicture,
} from "./plain-picture.ts";
import { holdsRect, intersectRects, isEmptyRect, overlapRects, type Rect, rectOfSize } from "./rect.ts";
import { Region } from "./region.ts";
import type { Steps } from "./steps.ts";

export {
  ACCEPTABLE_SIZES,
  BYTES_PER_PIXEL,
  isAcceptableSize,
  MAX_AREA,
  MAX_SIDE,
  OPAQUE,
} from "./plain-picture.ts";

/** A picture at rest that is painted in more places than these takes all of its pixels back. */
const MOST_HELD = 1024;
/** So does one that is painted in more than these and then moves what was painted. */
const MOST_HELD_OF_MOVE = 64;

/** Of an update with more moves they are made one by one. */
const MOST_LEFT = 64;

/** Where the pixels lie. */
interface Place {
  /** In WebAssembly memory of their own, where the host has any; default false. */
  readonly hasKernels?: boolean;
  /** In memory that other threads may hold; default false. */
  readonly isShared?: boolean;
  /** It may be told to `rest`; default false. */
  readonly canRest?: boolean;
}

/**
 * Pixels as data: RGBA, 8 bits each, rows top down, no padding between rows, alpha always 255.
 *
 * INVARIANT: `bytes` and `words` look at the same memory; a word is 0xAABBGGRR (hosts are little-endian).
 * INVARIANT: every word has OPAQUE set.
 */
export class Framebuffer implements PaintedPicture {
  #width: number;
  #height: number;
  readonly #place: Place;
  /** null before anybody looked, and at rest. */
  #memory: PixelMemory | null;
  /** The picture that has the pixels outside of `#held`; null where all are here. */
  #base: Framebuffer | null = null;
  /** Of a picture with a base, which pixels are here; they may overlap. */
  #held: Rect[] = [];
  /** Of a picture with a base, moves that are still to be made: each target shows what the base shows at its source. */
  #left: CopyMove[] = [];

  /**
   * Black, width x height pixels; with kernels it lies in WebAssembly memory of its own, where the host has any.
   * Memory is taken when it is first looked at, unless it is shared. Throws a RangeError for a size outside
   * isAcceptableSize.
   */
  constructor(width: number, height: number, place: Place & { readonly memory?: SharedArrayBuffer } = {}) {
    checkSize(width, height);
    const { memory, hasKernels = false, isShared = memory !== undefined, canRest = false } = place;
    this.#width = width;
    this.#height = height;
    this.#place = { hasKernels, isShared, canRest };
    if (memory !== undefined) this.#memory = pixelMemoryOver(new Uint32Array(memory, 0, width * height));
    else this.#memory = isShared ? blackShared(width, height) : null;
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
    const buffer = this.#memory?.words.buffer;
    return buffer === undefined || buffer instanceof ArrayBuffer ? null : buffer;
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

  /** R, G, B, A, … of all pixels; replaced by `resize`, `adopt` and `rest`, so never keep it. */
  get bytes(): Uint8Array {
    return this.#opened.bytes;
  }

  /** One 0xAABBGGRR word a pixel; replaced as `bytes` are, so never keep it. */
  get words(): Uint32Array {
    return this.#opened.words;
  }

  /** The kernels that work on these pixels where they lie, and room beside them; null where there are none. */
  get kernelMemory(): PictureMemory | null {
    return this.#opened.kernelMemory;
  }

  /** Keeps the common top-left part, the rest is black. Throws a RangeError for a size outside isAcceptableSize. */
  resize(width: number, height: number): void {
    const before = { width: this.#width, height: this.#height };
    if (width === before.width && height === before.height) return;
    checkSize(width, height);
    this.#makeMoves();
    const old = this.#memory;
    const { hasKernels, isShared } = this.#place;
    const isWhole = this.#base === null;
    this.#width = width;
    this.#height = height;
    if (old === null) return;
    const memory =
      isShared === true ? blackShared(width, height) : takePixelMemory(this, hasKernels === true);
    if (isWhole && isShared !== true) memory.words.fill(OPAQUE);
    const painted = isWhole ? [rectOfSize(before)] : this.#held;
    const kept = painted.map((r) => intersectRects(r, this.rect)).filter((r) => !isEmptyRect(r));
    for (const { x, y, width: columns, height: rows } of kept) {
      for (let row = y; row < y + rows; row++) {
        const from = row * before.width + x;
        memory.words.set(old.words.subarray(from, from + columns), row * width + x);
      }
    }
    this.#memory = memory;
    if (!isWhole) this.#held = kept;
  }

  /**
   * Gives the memory back: the pixels are those of `base` from now on, a picture that shows the same. Nothing where this
   * one may not rest, or is of another size. Who looks at the pixels takes memory again and copies them all, so who
   * paints says where first (`paint`).
   */
  rest(base: Framebuffer): void {
    if (this.#place.canRest !== true || base.width !== this.#width || base.height !== this.#height) return;
    const memory = this.#memory;
    const painted = this.#base === null ? [this.rect] : this.#held;
    this.#memory = null;
    this.#base = base;
    this.#held = [];
    this.#left = [];
    if (memory !== null) returnPixelMemory(memory, this, this.#place.hasKernels === true, painted);
  }

  /** Whether a picture with kernels can adopt this one. */
  get isAdoptable(): boolean {
    return this.#place.canRest === true && this.#place.hasKernels === true;
  }

  /**
   * Takes the memory of `other`, a picture of the same size that may rest and has all of its pixels, and now rests on this
   * one: it shows that picture from one moment to the next, whatever its size. False where that cannot be: then nothing
   * has changed.
   */
  adopt(other: Framebuffer): boolean {
    const memory = other.#memory;
    if (memory === null || !other.#isWhole || other.#place.canRest !== true) return false;
    if (other.#width !== this.#width || other.#height !== this.#height) return false;
    if (this.#base !== null || this.#place.hasKernels !== other.#place.hasKernels) return false;
    const before = this.#memory;
    this.#memory = memory;
    other.#memory = null;
    other.#base = this;
    other.#held = [];
    if (before !== null) returnPixelMemory(before, other, this.#place.hasKernels === true, [this.rect]);
    return true;
  }

  /** All of this rectangle within the picture is painted next. Of a picture at rest only what is told so is in memory. */
  paint(r: Rect): void {
    if (this.#base === null || isEmptyRect(r)) return;
    if (this.#left.some(({ to }) => overlapRects(r, to))) this.#makeMoves();
    this.#memory ??= takePixelMemory(this, this.#place.hasKernels === true);
    this.#hold(r);
  }

  /** Brings the pixels of a region that are not in memory there: who painted something may read that, and no more. */
  complete(region: Region): void {
    const base = this.#base;
    if (base === null || region.isEmpty) return;
    if (this.#left.some(({ to }) => region.overlaps(to))) this.#makeMoves();
    this.#memory ??= takePixelMemory(this, this.#place.hasKernels === true);
    const missing = region.clip(this.rect).subtract(Region.from(this.#held));
    for (const r of missing.rects) {
      this.#bring(base, r.x, r.y, r);
      this.#held.push(r);
    }
  }

  /**
   * Brings all pixels that are not in memory there, some rows at a time, and yields after each: nobody paints, here or in
   * what it rests on, until it is done.
   */
  *completing(): Steps<void> {
    const base = this.#base;
    if (base === null) return;
    this.#makeMoves();
    this.#memory ??= takePixelMemory(this, this.#place.hasKernels === true);
    const missing = Region.of(this.rect).subtract(Region.from(this.#held));
    for (const { x, y, width, height } of missing.rects) {
      for (let row = 0; row < height; row += BAND_ROWS) {
        const rows = Math.min(BAND_ROWS, height - row);
        this.#bring(base, x, y + row, { x, y: y + row, width, height: rows });
        yield;
      }
    }
    this.#held = [this.rect];
  }

  /** True where every pixel is in memory. */
  get #isWhole(): boolean {
    if (this.#left.length > 0) return false;
    const [first] = this.#held;
    return this.#base === null || (first !== undefined && holdsRect(first, this.rect));
  }

  /** Where all pixels are in memory of its own, or those that were told to be painted. */
  get #opened(): PixelMemory {
    const opened = this.#memory;
    if (opened !== null) return opened;
    const memory = takePixelMemory(this, this.#place.hasKernels === true);
    this.#memory = memory;
    if (this.#base === null) memory.words.fill(OPAQUE);
    else this.complete(Region.of(this.rect));
    return memory;
  }

  #hold(r: Rect): void {
    const [first] = this.#held;
    if (first !== undefined && holdsRect(first, r)) return;
    if (this.#held.length >= MOST_HELD) this.#joinHeld(MOST_HELD / 2);
    this.#held.push(r);
  }

  /** Afterwards it holds at most so many rectangles: the same pixels, else all there are. */
  #joinHeld(most: number): void {
    if (this.#held.length <= most) return;
    this.#held = Region.from(this.#held).rects;
    if (this.#held.length <= most) return;
    this.complete(Region.of(this.rect));
    this.#held = [this.rect];
  }

  /** Copies `base` from (fromX, fromY) to a rectangle here; where it ends there is black. */
  #bring(base: Framebuffer, fromX: number, fromY: number, to: Rect): void {
    const source = base.words;
    const { words } = this.#opened;
    const columns = Math.min(to.width, Math.max(0, base.width - fromX));
    for (let row = 0; row < to.height; row++) {
      const at = (to.y + row) * this.#width + to.x;
      const from = (fromY + row) * base.width + fromX;
      const count = fromY + row < base.height ? columns : 0;
      if (count > 0) words.set(source.subarray(from, from + count), at);
      if (count < to.width) words.fill(OPAQUE, at + count, at + to.width);
    }
  }

  /** Fills a rectangle within the picture with one word; OPAQUE is set. */
  fill(r: Rect, word: number): void {
    fillWords(this.#opened.words, this.#width, r, word);
  }

  /**
   * The moves since this picture rests on `shown` that can be made in `shown` itself, one after the other, before what was
   * painted here is shown: their pixels are not in memory here before somebody asks for them.
   */
  leftMoves(shown: Framebuffer): readonly CopyMove[] {
    return this.#base === shown ? this.#left : [];
  }

  #makeMoves(): void {
    const base = this.#base;
    const left = this.#left;
    if (base === null || left.length === 0) return;
    this.#left = [];
    for (const { fromX, fromY, to } of left) {
      this.paint(to);
      this.#bring(base, fromX, fromY, to);
    }
  }

  #canLeave(base: Framebuffer, source: Rect, to: Rect): boolean {
    if (this.#left.length === MOST_LEFT || base.kernelMemory === null || isEmptyRect(to)) return false;
    if (base.width !== this.#width || base.height !== this.#height) return false;
    if (!holdsRect(base.rect, source) || !holdsRect(this.rect, to)) return false;
    const meets = (r: Rect): boolean => overlapRects(r, source) || overlapRects(r, to);
    return !this.#held.some(meets) && !this.#left.some((move) => meets(move.to));
  }

  /** Copies `to.width` x `to.height` pixels from (fromX, fromY); source and target may overlap. */
  copy(fromX: number, fromY: number, to: Rect): void {
    const base = this.#base;
    const source = { x: fromX, y: fromY, width: to.width, height: to.height };
    if (base !== null) {
      if (this.#canLeave(base, source, to)) {
        this.#left.push({ fromX, fromY, to });
        return;
      }
      this.#makeMoves();
      if (!this.#held.some((held) => overlapRects(held, source))) {
        this.paint(to);
        this.#bring(base, fromX, fromY, to);
        return;
      }
      this.#joinHeld(MOST_HELD_OF_MOVE);
      this.complete(Region.of(source));
      this.paint(to);
    }
    copyWords(this.#opened.words, this.#width, fromX, fromY, to);
  }

  /** A copy of one rectangle's pixels, RGBA, width * 4 bytes a row. The rectangle lies within the picture. */
  read(r: Rect): Uint8Array<ArrayBuffer> {
    if (!holdsRect(this.rect, r))
      throw new RangeError(`rectangle outside the ${this.#width}x${this.#height} picture`);
    this.complete(Region.of(r));
    const { bytes } = this.#opened;
    const out = new Uint8Array(r.width * r.height * BYTES_PER_PIXEL);
    const rowBytes = r.width * BYTES_PER_PIXEL;
    for (let y = 0; y < r.height; y++) {
      const from = ((r.y + y) * this.#width + r.x) * BYTES_PER_PIXEL;
      out.set(bytes.subarray(from, from + rowBytes), y * rowBytes);
    }
    return out;
  }
}

function blackShared(width: number, height: number): PixelMemory {
  const memory = new SharedArrayBuffer(width * height * BYTES_PER_PIXEL);
  return pixelMemoryOver(new Uint32Array(memory).fill(OPAQUE));
}
