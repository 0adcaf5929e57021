import { MissingPixels } from "../../../framebuffer/missing-pixels.ts";
import { boundRects, EMPTY_RECT, isEmptyRect, type Rect } from "../../../framebuffer/rect.ts";
import { Region } from "../../../framebuffer/region.ts";

/** Beyond so many rectangles the damage of an update is kept as their bounds. */
const MAX_RECTS = 2048;

/** What was painted since it was last told. Its memory is bounded, however long an update is. */
export class DamageLog {
  /** What has to come and has not, exactly. */
  readonly missing = new MissingPixels();
  #rects: Rect[] = [];

  get isEmpty(): boolean {
    return this.#rects.length === 0;
  }

  paint(r: Rect): void {
    if (isEmptyRect(r)) return;
    this.missing.paint(r);
    if (this.#rects.length === MAX_RECTS) this.#rects = [this.#rects.reduce(boundRects, EMPTY_RECT)];
    this.#rects.push(r);
  }

  /** What was painted; from here on nothing was. */
  take(): Region {
    const region = Region.from(this.#rects);
    this.#rects = [];
    return region;
  }
}
