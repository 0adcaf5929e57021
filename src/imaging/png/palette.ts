/** Colours that a palette holds: an index is a byte. */
const MOST_COLOURS = 256;

/** Slots of the table that remembers where a colour went; a power of two. */
const SLOT_BITS = 16;

/** Colours remembered beyond the table. */
const MOST_KNOWN = 32_768;

/** A picture has more colours, or other ones, than the palette can stand for. */
export class PaletteFullError extends Error {
  override readonly name = "PaletteFullError";
}

/**
 * Colours that stand for all of a picture's, each channel off by at most `tolerance`. It only ever grows, so that
 * indices handed out stay right.
 */
export class Palette {
  readonly #tolerance: number;
  readonly #colours: number[] = [];
  readonly #keys = new Uint32Array(1 << SLOT_BITS);
  readonly #indices = new Uint8Array(1 << SLOT_BITS);
  /** All that was looked for: two colours of one slot are not looked for at every turn. */
  readonly #known = new Map<number, number>();

  constructor(tolerance: number) {
    this.#tolerance = tolerance;
  }

  /** R, G, B of each colour. */
  get bytes(): Uint8Array {
    return Uint8Array.from(
      this.#colours.flatMap((word) => [word & 255, (word >>> 8) & 255, (word >>> 16) & 255]),
    );
  }

  /**
   * Writes an index for each word from `from` on to `out`, and returns how many had to be looked for. Words are opaque,
   * 0xAABBGGRR. Throws PaletteFullError where colours are left over, or more than `mostMisses` had to be looked for.
   */
  map(
    words: Uint32Array,
    from: number,
    count: number,
    out: Uint8Array,
    at: number,
    mostMisses: number,
  ): number {
    const keys = this.#keys;
    const indices = this.#indices;
    let misses = 0;
    for (let i = 0; i < count; i++) {
      const word = words[from + i]!;
      const slot = Math.imul(word, 0x9e3779b1) >>> (32 - SLOT_BITS);
      if (keys[slot] !== word) {
        let index = this.#known.get(word);
        if (index === undefined) {
          misses++;
          if (misses > mostMisses)
            throw new PaletteFullError(`more than ${mostMisses} new colours in one strip`);
          if (this.#known.size === MOST_KNOWN) this.#known.clear();
          index = this.#indexOf(word);
          this.#known.set(word, index);
        }
        indices[slot] = index;
        keys[slot] = word;
      }
      out[at + i] = indices[slot]!;
    }
    return misses;
  }

  /** The first colour that is near enough, else a new one. */
  #indexOf(word: number): number {
    const colours = this.#colours;
    const most = this.#tolerance;
    const red = word & 255;
    const green = (word >>> 8) & 255;
    const blue = (word >>> 16) & 255;
    for (let i = 0; i < colours.length; i++) {
      const colour = colours[i]!;
      if (Math.abs((colour & 255) - red) > most) continue;
      if (Math.abs(((colour >>> 8) & 255) - green) > most) continue;
      if (Math.abs(((colour >>> 16) & 255) - blue) <= most) return i;
    }
    if (colours.length === MOST_COLOURS) throw new PaletteFullError(`more than ${MOST_COLOURS} colours`);
    colours.push(word);
    return colours.length - 1;
  }
}
