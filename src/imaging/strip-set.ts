import type { DrawOver, Picture, Pixels } from "../framebuffer/picture.ts";
import type { Rect, Size } from "../framebuffer/rect.ts";
import type { Region } from "../framebuffer/region.ts";
import { loopTurns, nextTurn, Slice } from "../platform/loop-turns.ts";
import { EncodingLostError } from "./encoding/error.ts";
import { equalSizes, ResizedError } from "./pixels.ts";

/**
 * Rows a strip: a line of text damages two or three. Half of 32 makes such a line cost half (0.9 to 0.5 ms) and a file
 * 0.2% larger. JPEG takes nothing below 16.
 */
export const STRIP_ROWS = 16;

/** Taken in a slice at least, however slow the machine. */
const LEAST_STRIPS = 4;

/** Fewer pixels are compressed here, within a few slices, sooner than another thread answers. */
const LEAST_ASIDE = 256 * 1024;

/** What a thread is given at a time: a few milliseconds of work. */
const ASIDE_PIXELS = 192 * 1024;

/** Of those the loop takes this many itself: measured with one thread, full HD is there 2 ms sooner. */
const HERE_BATCHES = 2;

/** Other threads that compress. */
export interface Aside<Taken, Strip> {
  readonly isReady: boolean;
  compress(taken: readonly Taken[]): Promise<readonly Strip[]>;
}

/** What to wait for where a source is between two moments; null where it shows one, until pixels are taken. */
export type Changing = () => Promise<void> | null;

/** How a file format is made of strips. */
export interface StripFormat<Taken, Strip> {
  /**
   * Copies what a strip needs of its pixels, the first of which is in row `y`; quick. `old` is what was taken of the
   * same strip before and is not needed any more: its memory may be used again.
   */
  take(pixels: Pixels, width: number, rows: number, y: number, old?: Taken): Taken;
  /** The pixels of what was taken, to be drawn over before it is compressed: RGBA, no padding between rows. */
  rgbaOf(taken: Taken, width: number, rows: number, y: number): Uint8Array;
  compress(taken: Taken): Strip;
  /** `compress` of several on another thread, where there are any. What was taken is handed over. */
  readonly aside?: Aside<Taken, Strip> | undefined;
  /** Smaller, at any cost; null where that is not to be had. */
  compressHarder?(taken: Taken, strip: Strip): Strip | null;
  /** The whole file. */
  assemble(strips: readonly Strip[]): Buffer | Promise<Buffer>;
}

/**
 * The strips of one picture of one size, in one format.
 *
 * INVARIANT: a result shows the picture at one moment, that of the call or a later one: pixels are taken with pauses for
 * others, what is invalidated meanwhile is taken again, and only when nothing is left to take are they compressed. Of a
 * composed picture only what lies below is taken so; what lies over it in that moment is drawn after it, with pauses.
 */
export class StripSet<Taken, Strip> implements Size {
  readonly width: number;
  readonly height: number;
  readonly #format: StripFormat<Taken, Strip>;
  readonly #strips: (Strip | null)[];
  readonly #dirty = new Set<number>();
  /** Strips that `settle` need not look at. */
  readonly #settled = new Set<number>();
  /** What shows all that was taken so far. */
  #latest: Promise<Buffer> | null = null;
  #isTaking = false;
  #isCompressing = false;
  #hasBeenWhole = false;
  /** Begins when what is compressed now is done, with the pixels that it finds then. */
  #following: Promise<Buffer> | null = null;

  constructor({ width, height }: Size, format: StripFormat<Taken, Strip>) {
    this.width = width;
    this.height = height;
    this.#format = format;
    this.#strips = new Array<Strip | null>(Math.ceil(height / STRIP_ROWS)).fill(null);
    this.invalidate(null);
  }

  /** True while pixels are taken, in this turn and later ones. */
  get isTaking(): boolean {
    return this.#isTaking;
  }

  /** True once all of the picture was encoded. */
  get isWhole(): boolean {
    return this.#hasBeenWhole;
  }

  /** null: all. What lies outside of the picture is ignored. */
  invalidate(region: Region | null): void {
    const all = { x: 0, y: 0, width: this.width, height: this.height };
    for (const { y, height } of region === null ? [all] : region.rects) {
      const first = Math.max(0, Math.floor(y / STRIP_ROWS));
      const end = Math.min(this.#strips.length, Math.ceil((y + height) / STRIP_ROWS));
      for (let i = first; i < end; i++) this.#dirty.add(i);
    }
  }

  /** Reads `source` in this turn and in following ones. Throws ResizedError where it has another size by then. */
  encode(source: Picture, changing: Changing = () => null): Promise<Buffer> {
    if (this.#following !== null) return this.#following;
    const latest = this.#latest;
    if (latest !== null && (this.#isTaking || this.#dirty.size === 0)) return latest;
    if (latest !== null && this.#isCompressing) {
      const begin = (): Promise<Buffer> => {
        this.#following = null;
        this.#latest = this.#make(source, changing);
        return this.#latest;
      };
      this.#following = latest.then(begin, begin);
      return this.#following;
    }
    this.#latest = this.#make(source, changing);
    return this.#latest;
  }

  /** `encode`, once, with pixels that are all taken before this returns. */
  encodeNow(source: Picture): Promise<Buffer> {
    const taken = new Map<number, Taken>();
    for (const index of this.#dirty) taken.set(index, this.#takeStrip(source, index));
    this.#dirty.clear();
    return this.#finish(taken, new Slice("free"));
  }

  /**
   * Compresses harder what has not changed since it was encoded, strip by strip with a turn for others after each; ends
   * early when `isOver` says so. The next `encode` is smaller, if nothing changes.
   */
  async settle(source: Picture, isOver: () => boolean): Promise<void> {
    const { compressHarder } = this.#format;
    if (compressHarder === undefined) return;
    for (let index = 0; index < this.#strips.length; index++) {
      if (isOver() || this.#isCompressing) return;
      const strip = this.#strips[index] ?? null;
      if (strip === null || this.#dirty.has(index) || this.#settled.has(index)) continue;
      const harder = compressHarder(this.#takeStrip(source, index), strip);
      this.#settled.add(index);
      if (harder !== null) this.#strips[index] = harder;
      await nextTurn();
    }
    if (this.#dirty.size === 0 && !this.#isCompressing) this.#latest = this.#assemble();
  }

  async #make(source: Picture, changing: Changing): Promise<Buffer> {
    this.#isCompressing = true;
    const taken = new Map<number, Taken>();
    try {
      return await this.#takeAndFinish(source, changing, taken);
    } catch (error) {
      this.#dropTaken(taken);
      if (!(error instanceof EncodingLostError)) throw error;
      // Its pixels are gone with the thread: they are taken again, once.
      return await this.#takeAndFinish(source, changing, taken);
    } finally {
      this.#dropTaken(taken);
      this.#isCompressing = false;
    }
  }

  async #takeAndFinish(source: Picture, changing: Changing, taken: Map<number, Taken>): Promise<Buffer> {
    for (let change = changing(); change !== null; change = changing()) await change;
    // What is compressed here goes on in the slice in which the last pixels were taken: two would make one long turn.
    const slice = new Slice("claimed");
    await this.#drawOver(taken, await this.#take(source, taken, slice));
    return await this.#finish(taken, slice);
  }

  /** What is not done is neither old nor new: the next encode takes it again. */
  #dropTaken(taken: Map<number, Taken>): void {
    for (const index of taken.keys()) {
      this.#strips[index] = null;
      this.#dirty.add(index);
    }
    taken.clear();
  }

  /**
   * Copies the pixels of all dirty strips, which are clean from then on, and of those that become dirty meanwhile. Gives
   * what lies over them in that moment; null: nothing.
   */
  async #take(source: Picture, taken: Map<number, Taken>, slice: Slice): Promise<DrawOver | null> {
    const { composition } = source;
    const below = composition?.below ?? source;
    this.#isTaking = true;
    let count = 0;
    // A screen that never rests is shown as well: what is left then is taken in one turn. That is quick, because each
    // strip has been taken before: copying into memory that is there takes a quarter of what it takes into new memory.
    const mostStrips = 3 * this.#strips.length;
    try {
      for (const index of this.#dirty) {
        count++;
        if (count < mostStrips && count % LEAST_STRIPS === 0 && slice.isOver) await slice.next();
        taken.set(index, this.#takeStrip(below, index, taken.get(index)));
        this.#dirty.delete(index);
        this.#settled.delete(index);
      }
      return composition?.over() ?? null;
    } finally {
      this.#isTaking = false;
    }
  }

  async #drawOver(taken: ReadonlyMap<number, Taken>, draw: DrawOver | null): Promise<void> {
    if (draw === null) return;
    const slice = new Slice("later");
    for (const [index, pixels] of taken) {
      if (slice.isOver) await slice.next();
      const rect = this.#rectOf(index);
      draw(rect, this.#format.rgbaOf(pixels, rect.width, rect.height, rect.y));
    }
  }

  #takeStrip(source: Picture, index: number, old?: Taken): Taken {
    if (!equalSizes(source, this)) throw new ResizedError(this, source);
    const rect = this.#rectOf(index);
    return this.#format.take(source.pixels(rect), rect.width, rect.height, rect.y, old);
  }

  #rectOf(index: number): Rect {
    const y = index * STRIP_ROWS;
    return { x: 0, y, width: this.width, height: Math.min(STRIP_ROWS, this.height - y) };
  }

  async #finish(taken: Map<number, Taken>, slice: Slice): Promise<Buffer> {
    const { aside } = this.#format;
    const isLarge = taken.size * STRIP_ROWS * this.width >= LEAST_ASIDE;
    if (isLarge && aside?.isReady === true) await this.#compressAside(taken, aside, slice);
    else await this.#compressHere(taken, [...taken], slice);
    return await this.#assemble();
  }

  async #compressAside(taken: Map<number, Taken>, aside: Aside<Taken, Strip>, slice: Slice): Promise<void> {
    const all = [...taken];
    const count = Math.max(1, Math.floor(ASIDE_PIXELS / (STRIP_ROWS * this.width)));
    // A slice of it here, where nobody waits for the loop: with one thread beside it a picture is there sooner.
    const here = loopTurns.isShared ? 0 : Math.min(HERE_BATCHES * count, all.length);
    const running: Promise<void>[] = [];
    for (let from = here; from < all.length; from += count) {
      const part = all.slice(from, from + count);
      const done = aside.compress(part.map(([, pixels]) => pixels)).then((strips) => {
        part.forEach(([index], i) => {
          const strip = strips[i];
          if (strip === undefined) throw new Error(`got ${strips.length} strips, expected ${part.length}`);
          this.#keep(taken, index, strip);
        });
      });
      running.push(done);
    }
    running.push(this.#compressHere(taken, all.slice(0, here), slice));
    const failed = (await Promise.allSettled(running)).find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }

  async #compressHere(
    taken: Map<number, Taken>,
    part: readonly (readonly [number, Taken])[],
    slice: Slice,
  ): Promise<void> {
    for (const [index, rows] of part) {
      if (slice.isOver) await slice.next();
      this.#keep(taken, index, this.#format.compress(rows));
    }
  }

  #keep(taken: Map<number, Taken>, index: number, strip: Strip): void {
    this.#strips[index] = strip;
    taken.delete(index);
  }

  async #assemble(): Promise<Buffer> {
    const strips: Strip[] = [];
    for (const strip of this.#strips) {
      if (strip === null) throw new Error("a strip of the picture was lost: encode it again");
      strips.push(strip);
    }
    this.#hasBeenWhole = true;
    return await this.#format.assemble(strips);
  }
}
