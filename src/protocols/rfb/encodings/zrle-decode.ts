import { type Framebuffer, OPAQUE } from "../../../framebuffer/framebuffer.ts";
import { isEmptyRect, type Rect } from "../../../framebuffer/rect.ts";
import type { ByteQueue, Parser } from "../../byte-queue.ts";
import { badData } from "./bad-data.ts";
import type { DecoderState } from "./encoding.ts";
import { Inflated } from "./inflated.ts";

/** A side of a full tile, RFC 6143 section 7.7.6. */
export const ZRLE_SIDE = 64;

/** The subencodings of a tile; 2 to 16 are packed palettes, 130 to 255 palette RLE of that many less 128 colours. */
export const ZRLE = {
  raw: 0,
  solid: 1,
  mostPacked: 16,
  plainRle: 128,
  leastPaletteRle: 130,
  mostPalette: 127,
} as const;

const CPIXEL_BYTES = 3;

/** The longest tile there is: a full palette, or a run of one after every pixel. */
function mostTileBytes(area: number): number {
  return 1 + ZRLE.mostPalette * CPIXEL_BYTES + area * (CPIXEL_BYTES + 1);
}

const palette = new Uint32Array(ZRLE.mostPalette + 1).fill(OPAQUE);

/** RFC 6143 section 7.7.6: U32 length, then zlib data of the connection's one stream, tiles of 64x64. */
export function* decodeZrle(from: ByteQueue, to: Framebuffer, rect: Rect, state: DecoderState): Parser<void> {
  while (!from.has(4)) yield 4;
  const length = from.u32();
  const columns = Math.ceil(rect.width / ZRLE_SIDE);
  const rows = Math.ceil(rect.height / ZRLE_SIDE);
  const mostBytes = columns * rows * mostTileBytes(0) + mostTileBytes(rect.width * rect.height);
  const mostTile = mostTileBytes(ZRLE_SIDE * ZRLE_SIDE);
  const body = new Inflated("zrle", from, state.stream("zrle"), state, length, mostBytes, mostTile);
  const { words, width: stride } = to;
  const right = rect.x + rect.width;
  const bottom = rect.y + rect.height;
  if (!isEmptyRect(rect)) {
    for (let y = rect.y; y < bottom; y += ZRLE_SIDE) {
      const height = Math.min(ZRLE_SIDE, bottom - y);
      for (let x = rect.x; x < right; x += ZRLE_SIDE) {
        const width = Math.min(ZRLE_SIDE, right - x);
        while (!body.fill(mostTile)) yield 1;
        body.start = paintTile(body, words, y * stride + x, stride, width, height);
      }
    }
  }
  while (!body.fill(1)) yield 1;
  body.checkUsedUp();
}

/** Paints the tile at `body.start`; returns where the next one is. */
function paintTile(
  body: Inflated,
  words: Uint32Array,
  origin: number,
  stride: number,
  width: number,
  height: number,
): number {
  const { bytes, end } = body;
  let p = body.start;
  if (p >= end) throw tooShort();
  const kind = bytes[p++]!;
  if (kind === ZRLE.raw) return paintRaw(bytes, p, end, words, origin, stride, width, height);
  if (kind === ZRLE.plainRle) return paintRuns(bytes, p, end, words, origin, stride, width, height, 0);
  const isPaletteRle = kind >= ZRLE.leastPaletteRle;
  if (!isPaletteRle && kind > ZRLE.mostPacked) throw badData(`zrle subencoding ${kind} does not exist`);
  const colours = isPaletteRle ? kind - 128 : kind;
  if (p + colours * CPIXEL_BYTES > end) throw tooShort();
  for (let i = 0; i < colours; i++, p += CPIXEL_BYTES) {
    palette[i] = OPAQUE | bytes[p]! | (bytes[p + 1]! << 8) | (bytes[p + 2]! << 16);
  }
  if (kind === ZRLE.solid) {
    paintSolid(palette[0]!, words, origin, stride, width, height);
    return p;
  }
  if (isPaletteRle) return paintRuns(bytes, p, end, words, origin, stride, width, height, colours);
  return paintPacked(bytes, p, end, words, origin, stride, width, height, colours);
}

function tooShort(): Error {
  return badData("zrle data ends before the last pixel of the rectangle");
}

function paintRaw(
  bytes: Uint8Array,
  start: number,
  end: number,
  words: Uint32Array,
  origin: number,
  stride: number,
  width: number,
  height: number,
): number {
  let p = start;
  if (p + width * height * CPIXEL_BYTES > end) throw tooShort();
  for (let row = origin; row < origin + height * stride; row += stride) {
    for (let i = row; i < row + width; i++, p += CPIXEL_BYTES) {
      words[i] = OPAQUE | bytes[p]! | (bytes[p + 1]! << 8) | (bytes[p + 2]! << 16);
    }
  }
  return p;
}

function paintSolid(
  colour: number,
  words: Uint32Array,
  origin: number,
  stride: number,
  width: number,
  height: number,
): void {
  for (let row = origin; row < origin + height * stride; row += stride) words.fill(colour, row, row + width);
}

/** Indices of 1, 2 or 4 bits, the leftmost pixel highest, each row filled up to a byte. */
function paintPacked(
  bytes: Uint8Array,
  start: number,
  end: number,
  words: Uint32Array,
  origin: number,
  stride: number,
  width: number,
  height: number,
  colours: number,
): number {
  let p = start;
  const bits = colours <= 2 ? 1 : colours <= 4 ? 2 : 4;
  const mask = (1 << bits) - 1;
  if (p + ((width * bits + 7) >> 3) * height > end) throw tooShort();
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
  if (most >= colours) throw badIndex(most, colours);
  return p;
}

function badIndex(index: number, colours: number): Error {
  return badData(`zrle palette index ${index} where the palette has ${colours} colours`);
}

/**
 * Runs that go on over the ends of rows. Plain (no palette): CPIXEL and a length. With a palette: an index whose top
 * bit says that a length follows. A length is 1 plus bytes up to and with the first that is not 255.
 */
function paintRuns(
  bytes: Uint8Array,
  start: number,
  end: number,
  words: Uint32Array,
  origin: number,
  stride: number,
  width: number,
  height: number,
  colours: number,
): number {
  let p = start;
  let left = width * height;
  let i = origin;
  let rowEnd = origin + width;
  while (left > 0) {
    let colour = 0;
    let byte = 255;
    if (colours === 0) {
      if (p + CPIXEL_BYTES > end) throw tooShort();
      colour = OPAQUE | bytes[p]! | (bytes[p + 1]! << 8) | (bytes[p + 2]! << 16);
      p += CPIXEL_BYTES;
    } else {
      if (p >= end) throw tooShort();
      const code = bytes[p++]!;
      const index = code & 127;
      if (index >= colours) throw badIndex(index, colours);
      colour = palette[index]!;
      if (code < 128) byte = 0;
    }
    let run = 1;
    while (byte === 255) {
      if (p >= end) throw tooShort();
      byte = bytes[p++]!;
      run += byte;
    }
    if (run > left) throw badData(`zrle run of ${run} pixels where its tile has ${left} left`);
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
