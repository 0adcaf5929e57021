import { setImmediate as nextTurn } from "node:timers/promises";
import type { Size } from "../framebuffer/rect.ts";
import type { Region } from "../framebuffer/region.ts";
import type { Deflate } from "../protocols/platform.ts";
import type { Picture } from "../protocols/rfb/screen.ts";
import { adler32, combineAdler32 } from "./adler32.ts";
import { PNG_END, pngChunk, pngHead, ZLIB_HEADER, zlibTail } from "./png-chunk.ts";
import { filteredBytes, filterRows, RgbRows } from "./png-rows.ts";

/** Rows a strip: a line of text damages one or two, and each costs about 0.1% of a frame's bytes. */
export const STRIP_ROWS = 32;

/** Deflate level: higher ones take three times as long for a tenth fewer bytes. */
const LEVEL = 1;

/** How long the event loop is held before others get a turn. */
const SLICE_MS = 4;

/** A compressed strip: its IDAT chunk, and what the checksum of the whole needs. */
interface Strip {
  readonly chunk: Buffer;
  readonly adler: number;
  readonly sizeBytes: number;
}

type TakenRows = Map<number, RgbRows>;

/**
 * The strips of one picture of one size. The file is one zlib stream in several IDAT chunks: its header, a
 * sync-flushed raw deflate segment of each strip, an empty last block with the checksum combined from the strips'.
 */
export class PngStripSet implements Size {
  readonly width: number;
  readonly height: number;
  readonly #deflate: Deflate;
  readonly #head: Buffer;
  readonly #strips: (Strip | null)[];
  readonly #dirty = new Set<number>();
  readonly #filtered: Uint8Array;
  /** What shows all that was taken so far. */
  #latest: Promise<Buffer> | null = null;
  #isCompressing = false;
  /** Taken while another was compressed: begins when that ends, and grows until then. */
  #waiting: { readonly rows: TakenRows; readonly png: Promise<Buffer> } | null = null;

  constructor({ width, height }: Size, deflate: Deflate) {
    this.width = width;
    this.height = height;
    this.#deflate = deflate;
    this.#head = Buffer.concat([pngHead({ width, height }), pngChunk("IDAT", ZLIB_HEADER)]);
    this.#strips = new Array<Strip | null>(Math.ceil(height / STRIP_ROWS)).fill(null);
    this.#filtered = new Uint8Array(filteredBytes(width, STRIP_ROWS));
    this.invalidate(null);
  }

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
    const taken = this.#take(source);
    const waiting = this.#waiting;
    if (waiting !== null) {
      for (const [index, rows] of taken) waiting.rows.set(index, rows);
      return waiting.png;
    }
    const running = this.#latest;
    if (this.#isCompressing && running !== null) {
      const png = running.then(
        () => this.#compressWaiting(taken),
        () => this.#compressWaiting(taken),
      );
      this.#waiting = { rows: taken, png };
      this.#latest = png;
    } else {
      this.#latest = this.#compress(taken);
    }
    return this.#latest;
  }

  /** Copies the pixels of all dirty strips, which are clean from then on. */
  #take(source: Picture): TakenRows {
    const { width, height } = this;
    const taken: TakenRows = new Map();
    for (const index of this.#dirty) {
      const y = index * STRIP_ROWS;
      const count = Math.min(STRIP_ROWS, height - y);
      const rows = new RgbRows(width, count);
      rows.pack(source.pixels({ x: 0, y, width, height: count }), count);
      taken.set(index, rows);
    }
    this.#dirty.clear();
    return taken;
  }

  #compressWaiting(rows: TakenRows): Promise<Buffer> {
    this.#waiting = null;
    return this.#compress(rows);
  }

  async #compress(taken: TakenRows): Promise<Buffer> {
    this.#isCompressing = true;
    try {
      let sliceEndMs = performance.now() + SLICE_MS;
      for (const [index, rows] of taken) {
        if (performance.now() >= sliceEndMs) {
          await nextTurn();
          sliceEndMs = performance.now() + SLICE_MS;
        }
        this.#strips[index] = this.#compressStrip(index, rows);
        taken.delete(index);
      }
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

  #compressStrip(index: number, rows: RgbRows): Strip {
    const count = Math.min(STRIP_ROWS, this.height - index * STRIP_ROWS);
    const filtered = filterRows(rows, count, this.#filtered);
    const segment = this.#deflate.rawSegment(filtered, LEVEL);
    return { chunk: pngChunk("IDAT", segment), adler: adler32(filtered), sizeBytes: filtered.length };
  }

  #assemble(): Buffer {
    const chunks: Uint8Array[] = [this.#head];
    let adler = 1;
    for (const strip of this.#strips) {
      if (strip === null) throw new Error("a strip of the picture was lost: encode it again");
      chunks.push(strip.chunk);
      adler = combineAdler32(adler, strip.adler, strip.sizeBytes);
    }
    return Buffer.concat([...chunks, pngChunk("IDAT", zlibTail(adler)), PNG_END]);
  }
}
