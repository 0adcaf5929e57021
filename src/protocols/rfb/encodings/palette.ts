const SLOTS = 1024;
const MOST_COLOURS = 256;

/** The different pixels of a tile in the order they were met, at most `most` of them (up to 256). */
export class Palette {
  readonly colours = new Uint32Array(MOST_COLOURS);
  readonly #slots = new Uint16Array(SLOTS);
  #count = 0;
  #most = MOST_COLOURS;

  get count(): number {
    return this.#count;
  }

  clear(most: number): void {
    this.#slots.fill(0);
    this.#count = 0;
    this.#most = Math.min(most, MOST_COLOURS);
  }

  /** The index of a pixel, which is added where it is new; -1 where there is no room for it. */
  add(pixel: number): number {
    let slot = (Math.imul(pixel, 0x9e3779b1) >>> 16) & (SLOTS - 1);
    for (;;) {
      const index = this.#slots[slot]! - 1;
      if (index < 0) break;
      if (this.colours[index] === pixel) return index;
      slot = (slot + 1) & (SLOTS - 1);
    }
    if (this.#count === this.#most) return -1;
    this.colours[this.#count] = pixel;
    this.#slots[slot] = ++this.#count;
    return this.#count - 1;
  }
}
