import { availableParallelism } from "node:os";
import type { Picture, Pixels } from "../framebuffer/picture.ts";
import type { Size } from "../framebuffer/rect.ts";
import type { Region } from "../framebuffer/region.ts";
import { isLoopShared, nextTurn } from "./loop-turns.ts";

/**
 * Rows a strip: a line of text damages two or three. Half of 32 makes such a line cost half (0.9 to 0.5 ms) and a file
 * 0.2% larger. JPEG takes nothing below 16.
 */
export const STRIP_ROWS = 16;

/** How long the event loop is held before others get a turn; a strip more may take half a millisecond. */
const SLICE_MS = 2.5;

/** Fewer strips are compressed sooner than other threads are told of them. */
const LEAST_ASIDE = 16;

/** Other threads that take part: Node has four, and other work for them. */
const THREADS_ASIDE = Math.min(2, availableParallelism() - 1);

/** How a file format is made of strips. */
export interface StripFormat<Taken, Strip> {
  /** Copies what a strip needs of its pixels; quick. */
  take(pixels: Pixels, width: number, rows: number): Taken;
  compress(taken: Taken): Strip;
  /** `compress` on another thread, where there is one. */
  compressAside?(taken: Taken): Promise<Strip>;
  /** Smaller, at any cost; null where that is not to be had. */
  compressHarder(taken: Taken, strip: Strip): Strip | null;
  /** The whole file. */
  assemble(strips: readonly Strip[]): Buffer;
}

/**
 * The strips of one picture of one size, in one format.
 *
 * INVARIANT: a result shows the picture at one moment, that of the call or a later one: pixels are taken within the
 * call, and only then compressed, with pauses for others.
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
  #isCompressing = false;
  #hasBeenWhole = false;
  /** Taken while another was compressed: begins when that ends, and grows until then. */
  #waiting: { readonly taken: Map<number, Taken>; readonly file: Promise<Buffer> } | null = null;

  constructor({ width, height }: Size, format: StripFormat<Taken, Strip>) {
    this.width = width;
    this.height = height;
    this.#format = format;
    this.#strips = new Array<Strip | null>(Math.ceil(height / STRIP_ROWS)).fill(null);
    this.invalidate(null);
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

  encode(source: Picture): Promise<Buffer> {
    if (this.#dirty.size === 0 && this.#latest !== null) return this.#latest;
    const sliceEndMs = performance.now() + SLICE_MS;
    const taken = this.#take(source);
    const waiting = this.#waiting;
    if (waiting !== null) {
      for (const [index, rows] of taken) waiting.taken.set(index, rows);
      return waiting.file;
    }
    const running = this.#latest;
    if (this.#isCompressing && running !== null) {
      const next = (): Promise<Buffer> => {
        this.#waiting = null;
        return this.#compress(taken, performance.now() + SLICE_MS);
      };
      const file = running.then(next, next);
      this.#waiting = { taken, file };
      this.#latest = file;
    } else {
      this.#latest = this.#compress(taken, sliceEndMs);
    }
    return this.#latest;
  }

  /**
   * Compresses harder what has not changed since it was encoded, strip by strip with a turn for others after each; ends
   * early when `isOver` says so. The next `encode` is smaller, if nothing changes.
   */
  async settle(source: Picture, isOver: () => boolean): Promise<void> {
    for (let index = 0; index < this.#strips.length; index++) {
      if (isOver() || this.#isCompressing) return;
      const strip = this.#strips[index] ?? null;
      if (strip === null || this.#dirty.has(index) || this.#settled.has(index)) continue;
      const harder = this.#format.compressHarder(this.#takeStrip(source, index), strip);
      this.#settled.add(index);
      if (harder !== null) this.#strips[index] = harder;
      await nextTurn();
    }
    if (this.#dirty.size === 0 && !this.#isCompressing) this.#latest = Promise.resolve(this.#assemble());
  }

  /** Copies the pixels of all dirty strips, which are clean from then on. */
  #take(source: Picture): Map<number, Taken> {
    const taken = new Map<number, Taken>();
    for (const index of this.#dirty) taken.set(index, this.#takeStrip(source, index));
    this.#dirty.clear();
    return taken;
  }

  #takeStrip(source: Picture, index: number): Taken {
    const y = index * STRIP_ROWS;
    const rows = Math.min(STRIP_ROWS, this.height - y);
    return this.#format.take(source.pixels({ x: 0, y, width: this.width, height: rows }), this.width, rows);
  }

  async #compress(taken: Map<number, Taken>, sliceEndMs: number): Promise<Buffer> {
    this.#isCompressing = true;
    try {
      const aside = this.#compressAside(taken);
      const here = this.#compressHere(taken, new Set(aside.keys()), sliceEndMs);
      const outcomes = await Promise.allSettled([here, ...aside.values()]);
      const failed = outcomes.find((outcome) => outcome.status === "rejected");
      if (failed !== undefined) throw failed.reason;
      return this.#assemble();
    } catch (error) {
      // What is not done is neither old nor new: the next encode takes it again.
      for (const index of taken.keys()) {
        this.#strips[index] = null;
        this.#dirty.add(index);
      }
      throw error;
    } finally {
      this.#isCompressing = false;
    }
  }

  /** Gives other threads their share of many strips: the last ones. */
  #compressAside(taken: Map<number, Taken>): Map<number, Promise<void>> {
    const { compressAside } = this.#format;
    const share = THREADS_ASIDE / (THREADS_ASIDE + 1);
    const running = new Map<number, Promise<void>>();
    if (compressAside === undefined || taken.size < LEAST_ASIDE) return running;
    for (const [index, rows] of [...taken].slice(Math.ceil(taken.size * (1 - share)))) {
      const done = compressAside(rows).then((strip) => this.#finish(taken, index, strip));
      running.set(index, done);
    }
    return running;
  }

  async #compressHere(
    taken: Map<number, Taken>,
    elsewhere: ReadonlySet<number>,
    firstSliceEndMs: number,
  ): Promise<void> {
    let sliceEndMs = isLoopShared() ? 0 : firstSliceEndMs;
    for (const [index, rows] of [...taken]) {
      if (elsewhere.has(index)) continue;
      if (performance.now() >= sliceEndMs) {
        await nextTurn();
        sliceEndMs = performance.now() + SLICE_MS;
      }
      this.#finish(taken, index, this.#format.compress(rows));
    }
  }

  #finish(taken: Map<number, Taken>, index: number, strip: Strip): void {
    this.#strips[index] = strip;
    this.#settled.delete(index);
    taken.delete(index);
  }

  #assemble(): Buffer {
    const strips: Strip[] = [];
    for (const strip of this.#strips) {
      if (strip === null) throw new Error("a strip of the picture was lost: encode it again");
      strips.push(strip);
    }
    this.#hasBeenWhole = true;
    return this.#format.assemble(strips);
  }
}
