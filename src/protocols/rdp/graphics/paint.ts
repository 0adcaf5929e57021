import { OPAQUE } from "../../../framebuffer/framebuffer.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { ClientContext } from "../client-context.ts";
import { RdpError } from "../error.ts";

/** A bitmap of `width` x `height` whose top left corner is at (x, y), of which `to` is seen. */
export interface PlacedBitmap {
  readonly to: Rect;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Bytes a pixel takes; throws for depths that there are none of. */
export function sizeBytesOf(bits: number): number {
  if (bits === 32 || bits === 24 || bits === 16 || bits === 15 || bits === 8) return (bits + 7) >> 3;
  throw new RdpError(
    "bad_data",
    "graphics",
    `got a bitmap of ${bits} bits a pixel, expected 8, 15, 16, 24 or 32`,
  );
}

/** A row of an uncompressed bitmap, padded to 4 bytes. */
export function rowBytesOf(width: number, bits: number): number {
  return (width * sizeBytesOf(bits) + 3) & ~3;
}

/** Writes words of the picture's kind, rows bottom up, into the picture. */
export function paintWords(words: Uint32Array, placed: PlacedBitmap, { framebuffer }: ClientContext): void {
  const { to, width } = placed;
  for (let y = to.y; y < to.y + to.height; y++) {
    const from = rowOf(y, placed) * width + (to.x - placed.x);
    framebuffer.words.set(words.subarray(from, from + to.width), y * framebuffer.width + to.x);
  }
}

/** Writes pixels as they are on the wire, rows bottom up and `rowBytes` apart, into the picture. */
export function paintRaw(
  bytes: Uint8Array,
  rowBytes: number,
  bits: number,
  placed: PlacedBitmap,
  c: ClientContext,
): void {
  const { to } = placed;
  const { words, width: stride } = c.framebuffer;
  const size = sizeBytesOf(bits);
  const convert = CONVERTERS[bits] ?? from32;
  for (let y = to.y; y < to.y + to.height; y++) {
    const from = rowOf(y, placed) * rowBytes + (to.x - placed.x) * size;
    convert(bytes, from, words, y * stride + to.x, to.width, c.palette);
  }
}

/** Which row of the bitmap is line `y` of the picture. */
function rowOf(y: number, placed: PlacedBitmap): number {
  return placed.height - 1 - (y - placed.y);
}

/** `count` pixels from byte `from` on, as words at `at`. INVARIANT: the caller has checked that both are there. */
type Convert = (
  bytes: Uint8Array,
  from: number,
  words: Uint32Array,
  at: number,
  count: number,
  palette: Uint32Array,
) => void;

const CONVERTERS: Readonly<Record<number, Convert>> = {
  8: from8,
  15: from15,
  16: from16,
  24: from24,
  32: from32,
};

function from8(
  bytes: Uint8Array,
  from: number,
  words: Uint32Array,
  at: number,
  count: number,
  palette: Uint32Array,
): void {
  for (let i = 0; i < count; i++) words[at + i] = palette[bytes[from + i]!]!;
}

/** The lower bits repeat the upper ones, so that white stays white. */
function from15(bytes: Uint8Array, from: number, words: Uint32Array, at: number, count: number): void {
  for (let i = 0, p = from; i < count; i++, p += 2) {
    const v = bytes[p]! | (bytes[p + 1]! << 8);
    const red = (v >> 10) & 31;
    const green = (v >> 5) & 31;
    const blue = v & 31;
    words[at + i] =
      OPAQUE |
      (((blue << 3) | (blue >> 2)) << 16) |
      (((green << 3) | (green >> 2)) << 8) |
      ((red << 3) | (red >> 2));
  }
}

function from16(bytes: Uint8Array, from: number, words: Uint32Array, at: number, count: number): void {
  for (let i = 0, p = from; i < count; i++, p += 2) {
    const v = bytes[p]! | (bytes[p + 1]! << 8);
    const red = v >> 11;
    const green = (v >> 5) & 63;
    const blue = v & 31;
    words[at + i] =
      OPAQUE |
      (((blue << 3) | (blue >> 2)) << 16) |
      (((green << 2) | (green >> 4)) << 8) |
      ((red << 3) | (red >> 2));
  }
}

function from24(bytes: Uint8Array, from: number, words: Uint32Array, at: number, count: number): void {
  for (let i = 0, p = from; i < count; i++, p += 3) {
    words[at + i] = OPAQUE | (bytes[p]! << 16) | (bytes[p + 1]! << 8) | bytes[p + 2]!;
  }
}

function from32(bytes: Uint8Array, from: number, words: Uint32Array, at: number, count: number): void {
  for (let i = 0, p = from; i < count; i++, p += 4) {
    words[at + i] = OPAQUE | (bytes[p]! << 16) | (bytes[p + 1]! << 8) | bytes[p + 2]!;
  }
}
