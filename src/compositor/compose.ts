import type { Cursor } from "../framebuffer/cursor.ts";
import type { FrameSource } from "../framebuffer/frame-picture.ts";
import { BYTES_PER_PIXEL } from "../framebuffer/framebuffer.ts";
import type { Composition, DrawOver, Picture, Pixels } from "../framebuffer/picture.ts";
import {
  holdsRect,
  intersectRects,
  isEmptyRect,
  overlapRects,
  type Rect,
  rectOfSize,
} from "../framebuffer/rect.ts";
import type { Region } from "../framebuffer/region.ts";
import { blendMemory, blendRaster, blendWords } from "./blend.ts";
import { blurOf, paintBlur } from "./blur.ts";
import type { PlacedOverlay } from "./placed-overlay.ts";
import { type Raster, rasterOf } from "./raster.ts";

/** What stands where something is hidden: one grey, 0xAABBGGRR. */
export const MASK_WORD = 0xff404040;

/** What lies over a picture, in drawing order. */
export interface Layers {
  readonly placed: readonly PlacedOverlay[];
  /** null where its pixels are not there yet; absent, they are painted when needed. */
  rasterOf?(placed: PlacedOverlay): Raster | null;
}

/**
 * The frame with the scene's overlays over it, as both are at each call of `pixels`. Where no overlay touches the
 * rectangle the pixels are the framebuffer's own, not a copy. Keep the picture: it keeps its scratch memory.
 */
export function composePicture(frame: FrameSource, scene: Layers): Picture {
  return new ComposedPicture(frame, scene);
}

/**
 * A picture with a pointer drawn over it, its hotspot at (x, y). `pixels` is that picture's own where the pointer
 * does not touch the rectangle.
 */
export function composeCursor(picture: Picture, cursor: Cursor, x: number, y: number): Picture {
  return new PictureWithCursor(picture, cursor, x, y);
}

/** A picture with the colour of masks over all that lies in a region. It changes as the picture below does. */
export function maskedPicture(below: Picture, hidden: Region): Picture {
  return hidden.isEmpty ? below : new MaskedPicture(below, hidden);
}

class ComposedPicture implements Picture {
  readonly #frame: FrameSource;
  readonly #scene: Layers;
  readonly #scratch = new Scratch();
  readonly composition: Composition;

  constructor(frame: FrameSource, scene: Layers) {
    this.#frame = frame;
    this.#scene = scene;
    this.composition = {
      below: {
        get width() {
          return frame.width;
        },
        get height() {
          return frame.height;
        },
        pixels: (rect) => this.#below(rect),
      },
      over: () => this.#over(),
    };
  }

  get width(): number {
    return this.#frame.width;
  }

  get height(): number {
    return this.#frame.height;
  }

  pixels(rect: Rect): Pixels {
    const below = this.#below(rect);
    const placed = this.#scene.placed.filter(({ bounds }) => overlapRects(bounds, rect));
    const touching = this.#rastersOf(placed);
    const blurs = blursOf(placed);
    if (touching.length === 0 && blurs.length === 0) return below;
    this.#scratch.copy(below, rect);
    this.#blur(blurs, rect);
    this.#blend(touching, rect);
    return this.#scratch.pixels(rect);
  }

  #below(rect: Rect): Pixels {
    const frame = this.#frame;
    checkInside(rect, this);
    return {
      bytes: frame.bytes,
      offset: (rect.y * frame.width + rect.x) * BYTES_PER_PIXEL,
      strideBytes: frame.strideBytes,
    };
  }

  #over(): DrawOver {
    const all = this.#rastersOf(this.#scene.placed);
    const allBlurs = blursOf(this.#scene.placed);
    return (rect, rgba) => {
      const touching = all.filter(({ bounds }) => overlapRects(bounds, rect));
      const blurs = allBlurs.filter((blurred) => overlapRects(blurred, rect));
      if (touching.length === 0 && blurs.length === 0) return;
      this.#scratch.copy(withoutPadding(rgba, rect), rect);
      this.#blur(blurs, rect);
      this.#blend(touching, rect);
      rgba.set(this.#scratch.bytesOf(rect));
    };
  }

  #rastersOf(placed: readonly PlacedOverlay[]): Raster[] {
    const scene = this.#scene;
    return placed
      .map((one) => (scene.rasterOf === undefined ? rasterOf(one) : scene.rasterOf(one)))
      .filter((raster) => raster !== null);
  }

  /**
   * Of the frame as it is now: where that changed since the rectangle was taken, and around, it is taken again, for that
   * is damage (Scene.spread).
   */
  #blur(blurs: readonly Rect[], rect: Rect): void {
    for (const blurred of blurs) {
      const part = intersectRects(blurred, rect);
      const start = (part.y - rect.y) * rect.width + part.x - rect.x;
      if (!isEmptyRect(part)) paintBlur(this.#scratch.words, start, rect.width, this.#frame, blurred, part);
    }
  }

  /** Onto the scratch, which holds the rectangle's pixels. */
  #blend(touching: readonly Raster[], rect: Rect): void {
    for (const raster of touching) {
      const part = intersectRects(raster.bounds, rect);
      const start = (part.y - rect.y) * rect.width + part.x - rect.x;
      blendRaster(this.#scratch.words, start, rect.width, raster, part);
    }
  }
}

function blursOf(placed: readonly PlacedOverlay[]): Rect[] {
  return placed.map(blurOf).filter((blurred) => blurred !== null);
}

class PictureWithCursor implements Picture {
  readonly #below: Picture;
  readonly #words: Uint32Array;
  readonly #place: Rect;
  readonly #scratch = new Scratch();
  readonly composition: Composition;

  constructor(below: Picture, cursor: Cursor, x: number, y: number) {
    this.#below = below;
    const { width, height, hotspotX, hotspotY } = cursor;
    this.#place = { x: x - hotspotX, y: y - hotspotY, width, height };
    // A copy, because words need an alignment that a message's bytes need not have.
    const bytes = new Uint8Array(width * height * BYTES_PER_PIXEL);
    bytes.set(cursor.rgba.subarray(0, bytes.length));
    this.#words = new Uint32Array(bytes.buffer);
    this.composition = {
      below: below.composition?.below ?? below,
      over: () => {
        const under = below.composition?.over();
        return (rect, rgba) => {
          under?.(rect, rgba);
          if (this.#draw(withoutPadding(rgba, rect), rect)) rgba.set(this.#scratch.bytesOf(rect));
        };
      },
    };
  }

  get width(): number {
    return this.#below.width;
  }

  get height(): number {
    return this.#below.height;
  }

  pixels(rect: Rect): Pixels {
    checkInside(rect, this);
    const below = this.#below.pixels(rect);
    return this.#draw(below, rect) ? this.#scratch.pixels(rect) : below;
  }

  /** Leaves the rectangle with the pointer in the scratch; false where the pointer does not touch it. */
  #draw(below: Pixels, rect: Rect): boolean {
    const part = intersectRects(this.#place, rect);
    if (isEmptyRect(part)) return false;
    this.#scratch.copy(below, rect);
    for (let y = part.y; y < part.y + part.height; y++) {
      const at = (y - rect.y) * rect.width + part.x - rect.x;
      const from = (y - this.#place.y) * this.#place.width + part.x - this.#place.x;
      blendWords(this.#scratch.words, at, this.#words, from, part.width);
    }
    return true;
  }
}

class MaskedPicture implements Picture {
  readonly #below: Picture;
  readonly #hidden: Region;
  readonly #scratch = new Scratch();

  constructor(below: Picture, hidden: Region) {
    this.#below = below;
    this.#hidden = hidden;
  }

  get width(): number {
    return this.#below.width;
  }

  get height(): number {
    return this.#below.height;
  }

  pixels(rect: Rect): Pixels {
    const below = this.#below.pixels(rect);
    const { rects } = this.#hidden.clip(rect);
    if (rects.length === 0) return below;
    this.#scratch.copy(below, rect);
    const { words } = this.#scratch;
    for (const { x, y, width, height } of rects) {
      for (let row = y - rect.y; row < y - rect.y + height; row++) {
        const at = row * rect.width + x - rect.x;
        words.fill(MASK_WORD, at, at + width);
      }
    }
    return this.#scratch.pixels(rect);
  }
}

/** Memory for one rectangle's pixels, without padding between rows; grows to the largest asked for. */
class Scratch {
  #words: Uint32Array<ArrayBuffer> = new Uint32Array(0);
  #bytes = new Uint8Array(0);

  get words(): Uint32Array {
    return this.#words;
  }

  copy(from: Pixels, rect: Rect): void {
    const count = rect.width * rect.height;
    if (this.#words.length < count) {
      this.#words = blendMemory(count);
      this.#bytes = new Uint8Array(this.#words.buffer, 0, 4 * count);
    }
    const rowBytes = rect.width * BYTES_PER_PIXEL;
    for (let y = 0; y < rect.height; y++) {
      const start = from.offset + y * from.strideBytes;
      this.#bytes.set(from.bytes.subarray(start, start + rowBytes), y * rowBytes);
    }
  }

  pixels(rect: Rect): Pixels {
    return withoutPadding(this.#bytes, rect);
  }

  bytesOf({ width, height }: Rect): Uint8Array {
    return this.#bytes.subarray(0, width * height * BYTES_PER_PIXEL);
  }
}

function withoutPadding(bytes: Uint8Array, { width }: Rect): Pixels {
  return { bytes, offset: 0, strideBytes: width * BYTES_PER_PIXEL };
}

function checkInside(rect: Rect, picture: Picture): void {
  if (holdsRect(rectOfSize(picture), rect)) return;
  const asked = `${rect.width}x${rect.height} at ${rect.x},${rect.y}`;
  throw new RangeError(`rectangle ${asked} lies outside the ${picture.width}x${picture.height} picture`);
}
