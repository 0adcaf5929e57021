import type { Picture } from "../../framebuffer/picture.ts";
import { equalRects, type Rect, rectOfSize, type Size } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import { Slice } from "../../platform/loop-turns.ts";
import { equalSizes, pictureOf, ResizedError, wordsOf } from "../pixels.ts";
import { beginScaling, coveredBy, type Scaling, scaleBlock } from "./scale-block.ts";

/** Of this little at the end of a call no turn is given: less than an encoder needs to begin. */
const SMALL_MS = 0.5;

/** Lines scaled between two looks at the clock. */
const BAND_LINES = 8;

/** Turns given to others in one call, so that a screen that never rests is still shown. */
const MOST_TURNS = 32;

/** More rectangles than this cost more than what lies between them. */
const MAX_RECTS = 64;

/** A picture kept at a smaller size: only what changed is scaled again, to exactly what scaling all of it would give. */
export class ScaledFrame {
  readonly size: Size;
  readonly #from: Size;
  readonly #scaling: Scaling;
  readonly #picture: Picture;
  /** What is not up to date, pixels of the smaller picture. */
  #dirty: Region;

  /** `size` is not larger than `from` in either direction. */
  constructor(from: Size, size: Size) {
    this.#from = { width: from.width, height: from.height };
    this.size = { width: size.width, height: size.height };
    this.#scaling = beginScaling(from, size);
    const { target } = this.#scaling;
    this.#picture = pictureOf({ ...this.size, rgba: new Uint8Array(target.buffer) });
    this.#dirty = Region.of(rectOfSize(size));
  }

  /** The smaller picture, as up to date as the last `update` left it. */
  get picture(): Picture {
    return this.#picture;
  }

  /** Says what changed, pixels of the larger picture; returns what of the smaller one that touches. */
  invalidate(region: Region): Region {
    const touched = Region.from(region.rects.map((r) => this.touchedBy(r)));
    this.#dirty = this.#dirty.union(touched).simplified(MAX_RECTS);
    return touched;
  }

  /** The new pixels that a rectangle of old ones has a part in. */
  touchedBy(r: Rect): Rect {
    const { width, height } = this.size;
    const left = Math.floor((r.x * width) / this.#from.width);
    const top = Math.floor((r.y * height) / this.#from.height);
    const right = Math.min(width, Math.ceil(((r.x + r.width) * width) / this.#from.width));
    const bottom = Math.min(height, Math.ceil(((r.y + r.height) * height) / this.#from.height));
    return { x: left, y: top, width: right - left, height: bottom - top };
  }

  /** The old pixels that a rectangle of new ones covers, whole or in part. */
  coveredBy(r: Rect): Rect {
    return coveredBy(this.#scaling, r);
  }

  /**
   * Brings the smaller picture up to date, with pauses for others: when this resolves it shows the source as it then is,
   * also where that changed meanwhile and `invalidate` was told.
   */
  async update(source: Picture): Promise<void> {
    const slice = new Slice("claimed");
    let turns = 0;
    for (let block = this.#takeDirty(); block !== null; block = this.#takeDirty()) {
      this.#scale(source, block);
      const isOver = slice.isOver || (this.#dirty.isEmpty && slice.heldMs >= SMALL_MS);
      if (!isOver || turns === MOST_TURNS) continue;
      turns++;
      await slice.next();
    }
  }

  #takeDirty(): Rect | null {
    const [first] = this.#dirty.rects;
    if (first === undefined) return null;
    const block = { ...first, height: Math.min(first.height, BAND_LINES) };
    this.#dirty =
      equalRects(first, this.#dirty.bounds) && equalRects(first, block)
        ? Region.empty
        : this.#dirty.subtract(Region.of(block));
    return block;
  }

  #scale(source: Picture, block: Rect): void {
    if (!equalSizes(source, this.#from)) throw new ResizedError(this.#from, source);
    const covered = coveredBy(this.#scaling, block);
    const { words, start, stride } = wordsOf(source.pixels(covered), covered.width, covered.height);
    const origin = start - covered.y * stride - covered.x;
    scaleBlock(this.#scaling, { words, start: origin, stride }, block);
  }
}
