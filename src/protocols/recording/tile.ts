import { OPAQUE } from "../../framebuffer/plain-picture.ts";
import { bitsOf, PICTURE_OP, RECORD_CELL } from "./picture-format.ts";

const MOST_COLOURS = 256;
const SLOTS = 1024;
const SLOT_SHIFT = 22;

/** The largest record of a tile: rgb, x y width height before it. */
export const MAX_TILE_BYTES = 1 + 4 * 2 + RECORD_CELL * RECORD_CELL * 3;

/**
 * Writes tiles as the smallest of solid, palette and rgb. One is used for tile after tile: the colours of a tile are
 * found by a table that is never cleared but marked with the number of the tile.
 */
export class TilePacker {
  /** The tile's pixels, 0xAABBGGRR, `width` a row: filled by the caller. */
  readonly words = new Uint32Array(RECORD_CELL * RECORD_CELL);
  readonly #indices = new Uint8Array(RECORD_CELL * RECORD_CELL);
  readonly #colours = new Uint32Array(MOST_COLOURS);
  readonly #slotColour = new Uint32Array(SLOTS);
  readonly #slotIndex = new Uint16Array(SLOTS);
  readonly #slotMark = new Uint32Array(SLOTS);
  #mark = 0;

  /** Writes the record of `width` x `height` pixels of `words` at `at`; gives where it ends. `out` has the room. */
  pack(out: Uint8Array, at: number, x: number, y: number, width: number, height: number): number {
    const count = width * height;
    const colours = this.#findColours(count);
    const op = colours === 1 ? PICTURE_OP.solid : colours === 0 ? PICTURE_OP.rgb : PICTURE_OP.palette;
    let to = at;
    out[to++] = op;
    out[to++] = x >>> 8;
    out[to++] = x;
    out[to++] = y >>> 8;
    out[to++] = y;
    out[to++] = width >>> 8;
    out[to++] = width;
    out[to++] = height >>> 8;
    out[to++] = height;
    if (op === PICTURE_OP.solid) return putColours(out, to, this.words, 1);
    if (op === PICTURE_OP.rgb) return putColours(out, to, this.words, count);
    out[to++] = colours - 1;
    to = putColours(out, to, this.#colours, colours);
    return this.#putIndices(out, to, width, height, bitsOf(colours));
  }

  /** Fills colours and indices; the number of colours, 0 for too many. */
  #findColours(count: number): number {
    const { words } = this;
    const indices = this.#indices;
    const mark = ++this.#mark;
    let colours = 0;
    let last = ~(words[0] ?? 0);
    let lastIndex = 0;
    for (let i = 0; i < count; i++) {
      const word = words[i]!;
      if (word !== last) {
        let slot = Math.imul(word, 0x9e3779b1) >>> SLOT_SHIFT;
        while (this.#slotMark[slot] === mark && this.#slotColour[slot] !== word) slot = (slot + 1) % SLOTS;
        if (this.#slotMark[slot] !== mark) {
          if (colours === MOST_COLOURS) return 0;
          this.#slotMark[slot] = mark;
          this.#slotColour[slot] = word;
          this.#slotIndex[slot] = colours;
          this.#colours[colours++] = word;
        }
        last = word;
        lastIndex = this.#slotIndex[slot]!;
      }
      indices[i] = lastIndex;
    }
    return colours;
  }

  #putIndices(out: Uint8Array, at: number, width: number, height: number, bits: number): number {
    const indices = this.#indices;
    if (bits === 8) {
      out.set(indices.subarray(0, width * height), at);
      return at + width * height;
    }
    let to = at;
    let from = 0;
    for (let y = 0; y < height; y++) {
      let byte = 0;
      let free = 8;
      for (let x = 0; x < width; x++) {
        free -= bits;
        byte |= indices[from++]! << free;
        if (free > 0) continue;
        out[to++] = byte;
        byte = 0;
        free = 8;
      }
      if (free < 8) out[to++] = byte;
    }
    return to;
  }
}

function putColours(out: Uint8Array, at: number, words: Uint32Array, count: number): number {
  let to = at;
  for (let i = 0; i < count; i++) {
    const word = words[i]!;
    out[to++] = word;
    out[to++] = word >>> 8;
    out[to++] = word >>> 16;
  }
  return to;
}

/** Paints a palette tile; `bytes` hold it whole from `at` on. False where an index has no colour. */
export function paintPalette(
  target: Uint32Array,
  start: number,
  stride: number,
  width: number,
  height: number,
  bytes: Uint8Array,
  at: number,
  colours: number,
): boolean {
  const palette = PALETTE;
  const bits = bitsOf(colours);
  let from = at;
  for (let i = 0; i < colours; i++, from += 3) palette[i] = wordAt(bytes, from);
  // What no colour was given for is not opaque, and so is what is left of all words in the end.
  palette.fill(0, colours, 1 << bits);
  if (colours === 2) {
    paintTwo(target, start, stride, width, height, bytes, from);
    return true;
  }
  let all = OPAQUE;
  for (let y = 0; y < height; y++) {
    let to = start + y * stride;
    const end = to + width;
    if (bits === 8) {
      while (to < end) {
        const word = palette[bytes[from++]!]!;
        all &= word;
        target[to++] = word;
      }
      continue;
    }
    const mask = (1 << bits) - 1;
    while (to < end) {
      const byte = bytes[from++]!;
      for (let free = 8 - bits; free >= 0 && to < end; free -= bits) {
        const word = palette[(byte >>> free) & mask]!;
        all &= word;
        target[to++] = word;
      }
    }
  }
  return all >>> 24 === 0xff;
}

/**
 * The first two colours of the palette by bits that begin at `from`. Unrolled, since most of what is read on a screen
 * is such tiles, and a browser that has just opened a recording paints them before anything is compiled.
 */
function paintTwo(
  target: Uint32Array,
  start: number,
  stride: number,
  width: number,
  height: number,
  bytes: Uint8Array,
  from: number,
): void {
  const off = PALETTE[0]!;
  const on = PALETTE[1]!;
  let at = from;
  for (let y = 0; y < height; y++) {
    let to = start + y * stride;
    const end = to + width;
    for (; to + 8 <= end; to += 8) {
      const byte = bytes[at++]!;
      target[to] = byte & 128 ? on : off;
      target[to + 1] = byte & 64 ? on : off;
      target[to + 2] = byte & 32 ? on : off;
      target[to + 3] = byte & 16 ? on : off;
      target[to + 4] = byte & 8 ? on : off;
      target[to + 5] = byte & 4 ? on : off;
      target[to + 6] = byte & 2 ? on : off;
      target[to + 7] = byte & 1 ? on : off;
    }
    if (to === end) continue;
    const byte = bytes[at++]!;
    for (let bit = 128; to < end; bit >>= 1) target[to++] = byte & bit ? on : off;
  }
}

/** Of the tile that is being painted: one after the other, and taking memory for each costs more than painting it. */
const PALETTE = new Uint32Array(MOST_COLOURS);

/** Paints an rgb tile; `bytes` hold it whole from `at` on. */
export function paintRgb(
  target: Uint32Array,
  start: number,
  stride: number,
  width: number,
  height: number,
  bytes: Uint8Array,
  at: number,
): void {
  let from = at;
  for (let y = 0; y < height; y++) {
    const row = start + y * stride;
    for (let x = 0; x < width; x++, from += 3) target[row + x] = wordAt(bytes, from);
  }
}

/** The word of three bytes red, green, blue. */
export function wordAt(bytes: Uint8Array, at: number): number {
  return (OPAQUE | (bytes[at + 2]! << 16) | (bytes[at + 1]! << 8) | bytes[at]!) >>> 0;
}
