import { type Framebuffer, OPAQUE } from "../../../framebuffer/framebuffer.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { ByteQueue, Parser } from "../../byte-queue.ts";
import { ENCODING } from "../numbers.ts";
import { badData } from "./bad-data.ts";
import type { DecoderState, Encoding } from "./encoding.ts";
import { decodeZrle, ZRLE_SIDE } from "./zrle-decode.ts";
import type { Tile } from "./zrle-tile.ts";

const CHANNELS = 3;

/** Of a tile its coefficients, three signed bytes a pixel: of the lowest colour byte, of luma, of the highest. */
const coefficients = new Int8Array(ZRLE_SIDE * ZRLE_SIDE * CHANNELS);
/** The tile's words in reading order, as they came. */
const line = new Uint32Array(ZRLE_SIDE * ZRLE_SIDE);

function decode(from: ByteQueue, to: Framebuffer, rect: Rect, state: DecoderState): Parser<void> {
  if (!state.pixels.tight.isRgb) {
    throw badData(`zywrle in ${state.format.bitsPerPixel} bits, expected 8 bits of each colour`);
  }
  return decodeZrle(from, to, rect, state, synthesize);
}

/**
 * Turns the coefficients that a tile's words hold into its pixels: one level of the reversible Haar-like transform of
 * Senecal and others (2004), which is what libvncserver uses toward a viewer that asks for no quality level.
 */
function synthesize(words: Uint32Array, { origin, stride, width, height }: Tile): void {
  const evenWidth = width & ~1;
  const evenHeight = height & ~1;
  if (evenWidth === 0 || evenHeight === 0) return;
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++) line[i++] = words[origin + y * stride + x]!;
  }
  let next = 0;
  // The four parts follow each other: differences in both directions, down, across, and what is left.
  for (const [dx, dy] of [
    [1, 1],
    [0, 1],
    [1, 0],
    [0, 0],
  ] as const) {
    for (let y = dy; y < evenHeight; y += 2) {
      for (let x = dx; x < evenWidth; x += 2) putCoefficients((y * evenWidth + x) * CHANNELS, line[next++]!);
    }
  }
  joinPairs(evenWidth, evenHeight);
  for (let y = 0, c = 0; y < evenHeight; y++) {
    for (let x = 0; x < evenWidth; x++, c += CHANNELS) words[origin + y * stride + x] = colourAt(c);
  }
  // Rows and columns without a partner come last, as pixels: those on the right, those below, the corner.
  if (width > evenWidth) {
    for (let y = 0; y < evenHeight; y++) words[origin + y * stride + evenWidth] = line[next++]!;
  }
  if (height > evenHeight) {
    const below = origin + evenHeight * stride;
    for (let x = 0; x < width; x++) words[below + x] = line[next++]!;
  }
}

function putCoefficients(at: number, word: number): void {
  coefficients[at] = word;
  coefficients[at + 1] = word >> 8;
  coefficients[at + 2] = word >> 16;
}

/** Undoes the transform, first of the pixels above each other, then of those beside each other. */
function joinPairs(width: number, height: number): void {
  const row = width * CHANNELS;
  for (let y = 0; y < height; y += 2) {
    for (let i = y * row; i < (y + 1) * row; i++) joinPair(i, i + row);
  }
  for (let i = 0; i < height * row; i += 2 * CHANNELS) {
    for (let c = i; c < i + CHANNELS; c++) joinPair(c, c + CHANNELS);
  }
}

/** From a sum-like and a difference-like number the two they were made of, all within 8 bits. */
function joinPair(first: number, second: number): void {
  let a = coefficients[first]!;
  let b = coefficients[second]!;
  if ((a ^ b) & 0x80) {
    const before = b;
    b += a;
    if (((b ^ before) & 0x80) === 0) a -= b;
  } else {
    const before = a;
    a -= b;
    if (((a ^ before) & 0x80) === 0) b += a;
  }
  coefficients[first] = b;
  coefficients[second] = a;
}

/** Luma is around 0, the other two half the differences to green: JPEG 2000's reversible transform, cut to 8 bits. */
function colourAt(at: number): number {
  const luma = coefficients[at + 1]! + 128;
  const low = coefficients[at]! * 2;
  const high = coefficients[at + 2]! * 2;
  const green = luma - ((low + high) >> 2);
  return OPAQUE | cut(low + green) | (cut(green) << 8) | (cut(high + green) << 16);
}

function cut(value: number): number {
  return value < 0 ? 0 : value > 255 ? 255 : value;
}

/** ZYWRLE: ZRLE whose raw tiles are lossy wavelets. Asked for by name alone. */
export const zywrle: Encoding = { number: ENCODING.zywrle, name: "zywrle", decode };
