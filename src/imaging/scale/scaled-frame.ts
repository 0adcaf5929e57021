import type { Picture } from "../../framebuffer/picture.ts";
import { areaOfRect, equalRects, type Rect, rectOfSize, type Size } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import { nextTurn, Slice } from "../../platform/loop-turns.ts";
import { equalSizes, pictureOf, ResizedError, wordsOf } from "../pixels.ts";
import { beginScaling, coveredBy, type Scaling, scaleBlock } from "./scale-block.ts";

/** Of this little at the end of a call no turn is given: less than an encoder needs to begin. */
const SMALL_MS = 0.5;

/** Lines scaled between two looks at the clock. */
const BAND_LINES = 8;

/** Turns given to others while the source is scaled as it is; a screen that does not rest within them is copied first. */
const MOST_TURNS = 32;
/** As often as that the source is copied while it goes on changing; what is left then is copied in one turn. */
const MOST_COPIES = 3;

/** More rectangles than this cost more than what lies between them. */
const MAX_RECTS = 64;

export interface ScaledFramePorts {
  /** Told of each part of the smaller picture that was scaled again. */
  readonly scaled?: (part: Rect) => void;
  /** True while somebody takes pixels of the smaller picture in slices: it stays as it is until they are done. */
  readonly isTaken?: () => boolean;
}

/**
 * A picture kept at a smaller size: only what changed is scaled again, to exactly what scaling all of it would give.
 *
 * INVARIANT: when an `update` resolves the smaller picture shows the source at one moment, that of the call or a later one,
 * until the next update begins.
 */
export class ScaledFrame {
  readonly size: Size;
  readonly #from: Size;
  readonly #scaling: Scaling;
  readonly #picture: Picture;
  /** What is not up to date, pixels of the smaller picture. */
  #dirty: Region;
  readonly #ports: ScaledFramePorts;
  /** The last update that was asked for; null where none is under way. */
  #last: Promise<void> | null = null;

  /** `size` is not larger than `from` in either direction. */
  constructor(from: Size, size: Size, ports: ScaledFramePorts = {}) {
    this.#ports = ports;
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

  /** Ends with the update that was asked for last; null where none is under way. */
  get updating(): Promise<void> | null {
    return this.#last;
  }

  /** Says what changed, pixels of the larger picture. */
  invalidate(region: Region): void {
    const touched = Region.from(region.rects.map((r) => this.touchedBy(r)));
    this.#dirty = this.#dirty.union(touched).simplified(MAX_RECTS);
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

  /** Brings the smaller picture up to date, with pauses for others; one update after the other. */
  update(source: Picture): Promise<void> {
    const before = this.#last;
    const update = before === null ? this.#update(source) : this.#updateAfter(before, source);
    this.#last = update;
    const ended = (): void => {
      if (this.#last === update) this.#last = null;
    };
    update.then(ended, ended);
    return update;
  }

  async #updateAfter(before: Promise<void>, source: Picture): Promise<void> {
    await before.catch(() => undefined);
    // Who waited for that update begins to take its pixels.
    await nextTurn();
    await this.#update(source);
  }

  async #update(source: Picture): Promise<void> {
    while (this.#ports.isTaken?.() === true) await nextTurn();
    const slice = new Slice("claimed");
    let turns = 0;
    for (let block = this.#takeDirty(); block !== null; block = this.#takeDirty()) {
      this.#scale(source, block);
      // What changed meanwhile is scaled again, until nothing is left.
      const isOver = slice.isOver || (this.#dirty.isEmpty && slice.heldMs >= SMALL_MS);
      if (!isOver) continue;
      await slice.next();
      if (++turns < MOST_TURNS) continue;
      await this.#updateFromCopy(source, slice);
      return;
    }
  }

  /**
   * Copying is ten times as quick as scaling: of a screen that never rests a copy is made until it shows one moment, and
   * then scaled with pauses. What changes meanwhile is for the next update.
   */
  async #updateFromCopy(source: Picture, slice: Slice): Promise<void> {
    const { width, height } = this.#from;
    const copy = new Uint32Array(width * height);
    const most = MOST_COPIES * copy.length;
    let copied = Region.empty;
    let count = 0;
    for (let block = this.#takeDirty(); block !== null; block = this.#takeDirty()) {
      if (count < most && slice.isOver) await slice.next();
      const part = coveredBy(this.#scaling, block);
      const { words, start, stride } = this.#wordsOf(source, part);
      for (let y = 0; y < part.height; y++) {
        const from = start + y * stride;
        copy.set(words.subarray(from, from + part.width), (part.y + y) * width + part.x);
      }
      copied = copied.union(Region.of(block));
      count += areaOfRect(part);
    }
    for (const rect of copied.rects) {
      for (let y = 0; y < rect.height; y += BAND_LINES) {
        if (slice.isOver) await slice.next();
        const block = { ...rect, y: rect.y + y, height: Math.min(BAND_LINES, rect.height - y) };
        this.#scaleWords({ words: copy, start: 0, stride: width }, block);
      }
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
    const covered = coveredBy(this.#scaling, block);
    const { words, start, stride } = this.#wordsOf(source, covered);
    this.#scaleWords({ words, start: start - covered.y * stride - covered.x, stride }, block);
  }

  #scaleWords(words: ReturnType<typeof wordsOf>, block: Rect): void {
    scaleBlock(this.#scaling, words, block);
    this.#ports.scaled?.(block);
  }

  #wordsOf(source: Picture, part: Rect): ReturnType<typeof wordsOf> {
    if (!equalSizes(source, this.#from)) throw new ResizedError(this.#from, source);
    return wordsOf(source.pixels(part), part.width, part.height);
  }
}
