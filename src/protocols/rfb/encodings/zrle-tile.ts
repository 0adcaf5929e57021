import { OPAQUE } from "../../../framebuffer/framebuffer.ts";
import { badData } from "./bad-data.ts";
import type { PixelCode } from "./pixel-reader.ts";
import { paintRgb, paintRgbx, viewOf } from "./rgb-rows.ts";

/**
 * The subencodings of a tile, RFC 6143 sections 7.7.5 and 7.7.6; 2 to 16 are packed palettes, 130 to 255 palette RLE
 * of that many less 128 colours. The two that use the palette of the tile before are TRLE's alone.
 */
export const TILE = {
  raw: 0,
  solid: 1,
  mostPacked: 16,
  packedAgain: 127,
  plainRle: 128,
  paletteRleAgain: 129,
  leastPaletteRle: 130,
  mostPalette: 127,
} as const;

/** The longest tile of so many pixels: a full palette, or a run of one after every pixel. */
export function mostTileBytes(area: number, pixelBytes: number): number {
  return 1 + TILE.mostPalette * pixelBytes + area * (pixelBytes + 1);
}

/**
 * The longest run that is read, some times what the largest tile holds: what a run has beyond its tile is left out, as
 * noVNC does, but one without end would have us keep its bytes.
 */
const MOST_RUN = 65_536;

/** Where a tile lies in a Framebuffer's words. */
export interface Tile {
  /** The index of its top left pixel. */
  origin: number;
  /** From a pixel to the one below. */
  stride: number;
  width: number;
  height: number;
}

/**
 * Paints the tiles of one rectangle of TRLE or ZRLE. `paint` answers -1 where the data ends before the tile does; what
 * it painted then is painted again when it is called with more.
 */
export class TilePainter {
  readonly #name: string;
  readonly #code: PixelCode;
  readonly #hasMemory: boolean;
  readonly #palette = new Uint32Array(TILE.mostPalette + 1).fill(OPAQUE);
  /** How many colours the palette has; 0 before the first tile with one. */
  #colours = 0;

  /** `hasMemory`: a tile may use the palette of the one before (TRLE). */
  constructor(name: string, code: PixelCode, hasMemory: boolean) {
    this.#name = name;
    this.#code = code;
    this.#hasMemory = hasMemory;
  }

  /** Paints the tile whose data is at `start`; gives where the next one's is. Throws RfbError `bad_data`. */
  paint(bytes: Uint8Array, start: number, end: number, words: Uint32Array, tile: Tile): number {
    if (start >= end) return -1;
    let p = start + 1;
    const kind = bytes[start]!;
    if (kind === TILE.raw) return this.#paintRaw(bytes, p, end, words, tile);
    if (kind === TILE.plainRle) return this.#paintRuns(bytes, p, end, words, tile, 0);
    if (kind === TILE.packedAgain || kind === TILE.paletteRleAgain) {
      if (!this.#hasMemory) throw this.#noSuchKind(kind);
      if (this.#colours === 0) throw badData(`${this.#name} tile without palette, expected one before`);
    } else {
      const isRuns = kind >= TILE.leastPaletteRle;
      if (!isRuns && kind > TILE.mostPacked) throw this.#noSuchKind(kind);
      const colours = isRuns ? kind - 128 : kind;
      const size = colours * this.#code.sizeBytes;
      if (p + size > end) return -1;
      this.#code.read(bytes, p, this.#palette, 0, colours);
      this.#colours = colours;
      p += size;
    }
    if (kind >= TILE.paletteRleAgain) return this.#paintRuns(bytes, p, end, words, tile, this.#colours);
    if (this.#colours > 1) return this.#paintPacked(bytes, p, end, words, tile);
    this.#paintSolid(words, tile);
    return p;
  }

  #noSuchKind(kind: number): Error {
    return badData(`${this.#name} subencoding ${kind} does not exist`);
  }

  #badIndex(index: number): Error {
    return badData(`${this.#name} palette index ${index} where the palette has ${this.#colours} colours`);
  }

  #paintRaw(bytes: Uint8Array, start: number, end: number, words: Uint32Array, tile: Tile): number {
    const { origin, stride, width, height } = tile;
    const { isRgb, sizeBytes } = this.#code;
    let p = start;
    if (p + width * height * sizeBytes > end) return -1;
    if (isRgb) {
      const paint = sizeBytes === 3 ? paintRgb : paintRgbx;
      return paint(viewOf(bytes), p, words, { first: origin, stride, width, rows: height });
    }
    for (let row = origin; row < origin + height * stride; row += stride, p += width * sizeBytes) {
      this.#code.read(bytes, p, words, row, width);
    }
    return p;
  }

  #paintSolid(words: Uint32Array, { origin, stride, width, height }: Tile): void {
    const colour = this.#palette[0]!;
    const end = origin + height * stride;
    for (let row = origin; row < end; row += stride) words.fill(colour, row, row + width);
  }

  /** Indices of 1, 2 or 4 bits, the leftmost pixel highest, each row filled up to a byte. */
  #paintPacked(bytes: Uint8Array, start: number, end: number, words: Uint32Array, tile: Tile): number {
    const { origin, stride, width, height } = tile;
    const palette = this.#palette;
    const colours = this.#colours;
    if (colours > TILE.mostPacked) {
      throw badData(`${this.#name} packed tile of ${colours} colours, expected at most ${TILE.mostPacked}`);
    }
    const bits = colours <= 2 ? 1 : colours <= 4 ? 2 : 4;
    const mask = (1 << bits) - 1;
    let p = start;
    if (p + ((width * bits + 7) >> 3) * height > end) return -1;
    let most = 0;
    for (let row = origin; row < origin + height * stride; row += stride) {
      let shift = 0;
      let byte = 0;
      for (let i = row; i < row + width; i++) {
        if (shift === 0) {
          byte = bytes[p++]!;
          shift = 8;
        }
        shift -= bits;
        const index = (byte >> shift) & mask;
        if (index > most) most = index;
        words[i] = palette[index]!;
      }
    }
    if (most >= colours) throw this.#badIndex(most);
    return p;
  }

  /**
   * Runs that go on over the ends of rows. Plain (no palette): CPIXEL and a length. With a palette: an index whose top
   * bit says that a length follows. A length is 1 plus bytes up to and with the first that is not 255.
   */
  #paintRuns(
    bytes: Uint8Array,
    start: number,
    end: number,
    words: Uint32Array,
    { origin, stride, width, height }: Tile,
    colours: number,
  ): number {
    const palette = this.#palette;
    const code = this.#code;
    const { isRgb, sizeBytes } = code;
    let p = start;
    let left = width * height;
    let i = origin;
    let rowEnd = origin + width;
    while (left > 0) {
      let colour = 0;
      let byte = 255;
      if (colours === 0) {
        if (p + sizeBytes > end) return -1;
        colour = isRgb
          ? OPAQUE | bytes[p]! | (bytes[p + 1]! << 8) | (bytes[p + 2]! << 16)
          : code.word(bytes, p);
        p += sizeBytes;
      } else {
        if (p >= end) return -1;
        const index = bytes[p]! & 127;
        if (index >= colours) throw this.#badIndex(index);
        colour = palette[index]!;
        if (bytes[p]! < 128) byte = 0;
        p++;
      }
      let run = 1;
      while (byte === 255) {
        if (p >= end) return -1;
        byte = bytes[p++]!;
        run += byte;
        if (run > MOST_RUN) {
          throw badData(`${this.#name} run of ${run} pixels, expected at most ${MOST_RUN}`);
        }
      }
      if (run > left) run = left;
      left -= run;
      while (run > 0) {
        const count = run < rowEnd - i ? run : rowEnd - i;
        run -= count;
        const runEnd = i + count;
        if (count < 16) for (; i < runEnd; i++) words[i] = colour;
        else words.fill(colour, i, runEnd);
        i = runEnd;
        if (i === rowEnd) {
          i += stride - width;
          rowEnd += stride;
        }
      }
    }
    return p;
  }
}
