import type { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import { intersectRects, isEmptyRect, type Rect } from "../../../framebuffer/rect.ts";
import { tooLarge } from "./bad-data.ts";
import { tileToPixels } from "./tile-pixels.ts";
import { TILE_COEFFICIENTS, TILE_SIDE } from "./wavelet.ts";

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
