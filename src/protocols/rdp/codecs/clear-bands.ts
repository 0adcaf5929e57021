import { type Framebuffer, OPAQUE } from "../../../framebuffer/framebuffer.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { LittleEndianReader } from "../little-endian-reader.ts";
import { badData } from "./bad-data.ts";
import { PIXEL_BYTES, readWord, wordAt } from "./blue-first.ts";

/** The tallest band, MS-RDPEGFX 2.2.4.1.1.2.1. */
const MOST_HEIGHT = 52;
/** Places in the two storages, 3.3.1.10 and 3.3.1.12. */
const BARS = 32_768;
const SHORT_BARS = 16_384;

const IS_BAR_HIT = 0x8000;
const IS_SHORT_HIT = 0x4000;

/** Bars by place, written round and round. */
class Storage {
  readonly words: Uint32Array;
  readonly heights: Uint8Array;
  readonly #places: number;
  #next = 0;

  constructor(places: number) {
    this.#places = places;
    this.words = new Uint32Array(places * MOST_HEIGHT);
    this.heights = new Uint8Array(places);
  }

  /** The place to write to, and from now on the next one. */
  take(height: number): number {
    const place = this.#next;
    this.#next = place + 1 === this.#places ? 0 : place + 1;
    this.heights[place] = height;
    return place;
  }

  rewind(): void {
    this.#next = 0;
  }
}

/**
 * The bands layer of ClearCodec, MS-RDPEGFX 2.2.4.1.1.2 and 3.3.8.1.2: columns ("V-bars") of at most 52 pixels, each anew,
 * or from a storage of whole columns, or of columns without their background. Good for text.
 */
export class ClearBands {
  readonly #bars = new Storage(BARS);
  readonly #shortBars = new Storage(SHORT_BARS);

  /** CLEARCODEC_FLAG_CACHE_RESET: storing begins anew at the first places; what is there stays. */
  rewind(): void {
    this.#bars.rewind();
    this.#shortBars.rewind();
  }

  /** Paints bands until the data ends; coordinates count from the top left corner of `rect`, which lies within `to`. */
  decode(from: LittleEndianReader, to: Framebuffer, rect: Rect): void {
    while (from.left > 0) {
      const left = from.u16();
      const right = from.u16();
      const top = from.u16();
      const bottom = from.u16();
      const background = readWord(from);
      const height = bottom - top + 1;
      if (
        right < left ||
        right >= rect.width ||
        height < 1 ||
        bottom >= rect.height ||
        height > MOST_HEIGHT
      ) {
        throw badData(`a band from ${left},${top} to ${right},${bottom}, expected it within the bitmap`);
      }
      for (let x = left; x <= right; x++) {
        const place = this.#column(from, height, background);
        this.#paint(place, to, rect.x + x, rect.y + top, height, background);
      }
    }
  }

  /** Reads one column; returns its place among the bars. */
  #column(from: LittleEndianReader, height: number, background: number): number {
    const header = from.u16();
    if ((header & IS_BAR_HIT) !== 0) return header & (BARS - 1);
    let shortPlace: number;
    let start: number;
    if ((header & IS_SHORT_HIT) !== 0) {
      shortPlace = header & (SHORT_BARS - 1);
      start = from.u8();
    } else {
      start = header & 0xff;
      shortPlace = this.#newShortBar(from, (header >> 8) - start);
    }
    const shortHeight = this.#shortBars.heights[shortPlace]!;
    const place = this.#bars.take(height);
    const at = place * MOST_HEIGHT;
    this.#bars.words.fill(background, at, at + height);
    const count = Math.min(shortHeight, height - start);
    if (count > 0) {
      const shortAt = shortPlace * MOST_HEIGHT;
      this.#bars.words.set(this.#shortBars.words.subarray(shortAt, shortAt + count), at + start);
    }
    return place;
  }

  #newShortBar(from: LittleEndianReader, height: number): number {
    if (height < 0 || height > MOST_HEIGHT) {
      throw badData(`a column of ${height} pixels, expected 0 to ${MOST_HEIGHT}`);
    }
    const bytes = from.take(height * PIXEL_BYTES);
    const place = this.#shortBars.take(height);
    for (let i = 0; i < height; i++) {
      this.#shortBars.words[place * MOST_HEIGHT + i] = wordAt(bytes, i * PIXEL_BYTES);
    }
    return place;
  }

  /** A stored column may be shorter than the band: the rest is background. */
  #paint(place: number, to: Framebuffer, x: number, y: number, height: number, background: number): void {
    const stored = this.#bars.heights[place]!;
    const from = place * MOST_HEIGHT;
    let at = y * to.width + x;
    for (let i = 0; i < height; i++, at += to.width) {
      to.words[at] = i < stored ? (this.#bars.words[from + i]! | OPAQUE) >>> 0 : background;
    }
  }
}
