import type { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import type { Point, Rect, Size } from "../../../framebuffer/rect.ts";
import { badData, tooLarge } from "../codecs/bad-data.ts";

/** Slots, MS-RDPEGFX 3.3.1.4; with the small cache we ask for, hosts use 4,096 of them. */
const MOST_SLOTS = 25_600;
/** What a host may put into the small cache, 16 MB, and some more: hosts need not count as we do. */
const MOST_PIXELS = (20 * 1024 * 1024) / 4;

interface Entry extends Size {
  readonly words: Uint32Array;
}

/** Pieces of surfaces that the host asked to be kept, by slot. */
export class BitmapCache {
  readonly #entries = new Map<number, Entry>();
  #pixels = 0;

  /** Keeps `rect`, which lies within `from`. Throws RdpError `bad_data` for a bad slot, `too_large` for too much. */
  store(slot: number, from: Framebuffer, rect: Rect): void {
    if (slot > MOST_SLOTS) throw badData(`cache slot ${slot}, expected at most ${MOST_SLOTS}`);
    this.evict(slot);
    const { x, y, width, height } = rect;
    if (this.#pixels + width * height > MOST_PIXELS) {
      throw tooLarge(`${this.#pixels + width * height} pixels of cache, expected at most ${MOST_PIXELS}`);
    }
    const words = new Uint32Array(width * height);
    for (let row = 0; row < height; row++) {
      const start = (y + row) * from.width + x;
      words.set(from.words.subarray(start, start + width), row * width);
    }
    this.#entries.set(slot, { width, height, words });
    this.#pixels += words.length;
  }

  evict(slot: number): void {
    this.#pixels -= this.#entries.get(slot)?.words.length ?? 0;
    this.#entries.delete(slot);
  }

  /** Where a slot would be painted at a point. Throws RdpError `bad_data` where it is empty. */
  rectAt(slot: number, { x, y }: Point): Rect {
    const { width, height } = this.#at(slot);
    return { x, y, width, height };
  }

  /** Paints a slot at a point; all of it lies within `to`. */
  paint(slot: number, to: Framebuffer, { x, y }: Point): void {
    const { width, height, words } = this.#at(slot);
    for (let row = 0; row < height; row++) {
      to.words.set(words.subarray(row * width, (row + 1) * width), (y + row) * to.width + x);
    }
  }

  #at(slot: number): Entry {
    const entry = this.#entries.get(slot);
    if (entry === undefined) throw badData(`cache slot ${slot}, expected one that is filled`);
    return entry;
  }
}
