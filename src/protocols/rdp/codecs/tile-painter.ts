import { type Framebuffer, OPAQUE } from "../../../framebuffer/framebuffer.ts";
import { intersectRects, isEmptyRect, type Rect } from "../../../framebuffer/rect.ts";
import { tooLarge } from "./bad-data.ts";
import { TILE_COEFFICIENTS, TILE_SIDE } from "./wavelet.ts";

/** Fixed-point bits of the coefficients below the point, MS-RDPRFX 3.1.8.2.5. */
const FRACTION_BITS = 5;
/** Luma is kept less 128, with the fraction. */
const LUMA_OFFSET = 128 << FRACTION_BITS;

/** The factors of MS-RDPRFX 3.1.8.1.3 (ITU-R BT.601) with 16 bits below the point. */
const RED_OF_CR = 91_916;
const GREEN_OF_CR = 46_819;
const GREEN_OF_CB = 22_527;
const BLUE_OF_CB = 115_992;
const SHIFT = 16;

/** A tile's luma and chroma to 0xAABBGGRR words, alpha 255. */
function tileToPixels(y: Int16Array, cb: Int16Array, cr: Int16Array, to: Uint32Array): void {
  for (let i = 0; i < TILE_COEFFICIENTS; i++) {
    const luma = (y[i]! + LUMA_OFFSET) << SHIFT;
    const blueness = cb[i]!;
    const redness = cr[i]!;
    const red = (luma + redness * RED_OF_CR) >> (SHIFT + FRACTION_BITS);
    const green = (luma - blueness * GREEN_OF_CB - redness * GREEN_OF_CR) >> (SHIFT + FRACTION_BITS);
    const blue = (luma + blueness * BLUE_OF_CB) >> (SHIFT + FRACTION_BITS);
    to[i] = (clamped(red) | (clamped(green) << 8) | (clamped(blue) << 16) | OPAQUE) >>> 0;
  }
}

function clamped(value: number): number {
  return value < 0 ? 0 : value > 255 ? 255 : value;
}

/** Rectangles that one picture may be clipped to: each costs a look for each tile. */
const MOST_RECTS = 16_384;

/** A pixel of a tile takes about this much longer than one that is copied. */
const TILE_COST = 8;

/** A tile's three components: coefficients that become values, then pixels. Each painter has its own. */
export interface TileValues {
  readonly y: Int16Array;
  readonly cb: Int16Array;
  readonly cr: Int16Array;
}

/** Paints tiles of 64 x 64 pixels, clipped to rectangles, and remembers where it painted. */
export class TilePainter {
  readonly #values: TileValues = {
    y: new Int16Array(TILE_COEFFICIENTS),
    cb: new Int16Array(TILE_COEFFICIENTS),
    cr: new Int16Array(TILE_COEFFICIENTS),
  };
  readonly #spend: (pixels: number) => void;
  readonly #words = new Uint32Array(TILE_COEFFICIENTS);
  #painted: Rect[] = [];

  constructor(spend: (pixels: number) => void) {
    this.#spend = spend;
  }

  /** Where the next tile's values go. */
  begin(): TileValues {
    this.#spend(TILE_COST * TILE_COEFFICIENTS);
    return this.#values;
  }

  /** What was painted since the last call. */
  takePainted(): Rect[] {
    const painted = this.#painted;
    this.#painted = [];
    return painted;
  }

  /** Paints the values with the top left pixel at (x, y), within `to` and the rectangles. */
  paint(to: Framebuffer, x: number, y: number, clip: readonly Rect[]): void {
    const tile = intersectRects({ x, y, width: TILE_SIDE, height: TILE_SIDE }, to.rect);
    if (isEmptyRect(tile)) return;
    tileToPixels(this.#values.y, this.#values.cb, this.#values.cr, this.#words);
    for (const rect of clip) {
      const part = intersectRects(tile, rect);
      if (isEmptyRect(part)) continue;
      for (let row = part.y; row < part.y + part.height; row++) {
        const from = (row - y) * TILE_SIDE + part.x - x;
        to.words.set(this.#words.subarray(from, from + part.width), row * to.width + part.x);
      }
      this.#painted.push(part);
    }
  }
}

/** Throws RdpError `too_large` for more clipping rectangles than MOST_RECTS. */
export function checkRectCount(count: number): void {
  if (count > MOST_RECTS) throw tooLarge(`a region of ${count} rectangles, expected at most ${MOST_RECTS}`);
}
