import { areaOfRect, type Rect } from "../framebuffer/rect.ts";
import { Region } from "../framebuffer/region.ts";

/** How long one viewer's update may hold the event loop. */
const SLICE_MS = 2.5;

/** Of an update, before it is known how long its pixels take. */
const FIRST_PIXELS = 256 * 1024;
/** Smaller parts would cost more in messages than they spare others in waiting. */
const LEAST_PIXELS = 48 * 1024;

/** Rows of a part end on multiples of this, as damage does. */
const ROWS = 16;

/** How fast a dear piece is forgotten: what is below a photograph is often more of it. */
const FORGET = 0.99;

/**
 * Cuts one viewer's large updates into parts that take a turn of the event loop each, by how long pixels took of late.
 * Parts go round the picture, so that no change, however often it comes, keeps what is below it waiting for ever.
 */
export class ViewerSlices {
  #msPerPixel = SLICE_MS / FIRST_PIXELS;
  #nextY = 0;

  /** What to send now; the rest of the region is for a later turn. */
  take(region: Region): Region {
    const budget = Math.max(LEAST_PIXELS, Math.floor(SLICE_MS / this.#msPerPixel));
    if (region.area <= budget) return region;
    const taken: Rect[] = [];
    let left = budget;
    for (const rect of this.#inTurn(region)) {
      const rows = rowsWithin(rect, left, taken.length === 0);
      if (rows === 0) break;
      const part = { ...rect, height: rows };
      taken.push(part);
      left -= areaOfRect(part);
      this.#nextY = part.y + rows;
      if (rows < rect.height) break;
    }
    return Region.from(taken);
  }

  /** So many pixels were encoded in so many milliseconds. */
  took(pixels: number, ms: number): void {
    this.#msPerPixel = Math.max(ms / Math.max(1, pixels), this.#msPerPixel * FORGET);
  }

  /** From where the last part ended down to the bottom, then from the top. */
  #inTurn(region: Region): Rect[] {
    const { x, y, width, height } = region.bounds;
    const above = { x, y, width, height: Math.max(0, Math.min(height, this.#nextY - y)) };
    return [...region.subtract(Region.of(above)).rects, ...region.clip(above).rects];
  }
}

/** Of a rectangle's rows, those that so many pixels are enough for; at least a line of them where there must be one. */
function rowsWithin({ y, width, height }: Rect, pixels: number, isFirst: boolean): number {
  const end = Math.floor((y + Math.floor(pixels / width)) / ROWS) * ROWS;
  const rows = Math.min(height, Math.max(0, end - y));
  return rows === 0 && isFirst ? Math.min(height, ROWS - (y % ROWS)) : rows;
}
