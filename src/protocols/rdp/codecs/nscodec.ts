import { type Framebuffer, OPAQUE } from "../../../framebuffer/framebuffer.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { LittleEndianReader } from "../little-endian-reader.ts";
import { badData } from "./bad-data.ts";

/** Bytes at the end of a plane that are never run-length encoded, MS-RDPNSC 2.2.2.1. */
const TAIL_BYTES = 4;
const MOST_COLOUR_LOSS = 7;

/**
 * NSCodec, MS-RDPNSC 2.2.2 and 3.1.8: lengths of four planes (4 each), colour loss level (1), chroma subsampling (1),
 * reserved (2), then luma, orange chroma, green chroma and alpha. Paints `rect`, which lies within `to`. Throws RdpError.
 */
export function nsCodec(from: LittleEndianReader, to: Framebuffer, rect: Rect): void {
  const { x, y, width, height } = rect;
  const lengths = [from.u32(), from.u32(), from.u32(), from.u32()] as const;
  const colourLoss = from.u8();
  const isSubsampled = from.u8() !== 0;
  from.skip(2 /* reserved */);
  if (colourLoss < 1 || colourLoss > MOST_COLOUR_LOSS) {
    throw badData(`a colour loss level of ${colourLoss}, expected 1 to ${MOST_COLOUR_LOSS}`);
  }
  // Subsampled, planes are padded to whole blocks of 8 x 2 pixels.
  const lumaWidth = isSubsampled ? (width + 7) & ~7 : width;
  const chromaWidth = isSubsampled ? lumaWidth >> 1 : width;
  const chromaHeight = isSubsampled ? (height + 1) >> 1 : height;
  const luma = readPlane(from, lengths[0], lumaWidth * height);
  const orange = readPlane(from, lengths[1], chromaWidth * chromaHeight);
  const green = readPlane(from, lengths[2], chromaWidth * chromaHeight);
  const half = isSubsampled ? 1 : 0;
  const shift = 24 + colourLoss - 1;
  for (let row = 0; row < height; row++) {
    const chroma = (row >> half) * chromaWidth;
    const out = (y + row) * to.width + x;
    for (let column = 0; column < width; column++) {
      const i = chroma + (column >> half);
      const bright = luma[row * lumaWidth + column]!;
      const orangeness = (orange[i]! << shift) >> 24;
      const greenness = (green[i]! << shift) >> 24;
      const red = clamped(bright + orangeness - greenness);
      const blue = clamped(bright - orangeness - greenness);
      to.words[out + column] = (red | (clamped(bright + greenness) << 8) | (blue << 16) | OPAQUE) >>> 0;
    }
  }
}

/** A plane of `size` bytes: left out it is 0xFF throughout, shorter it is run-length encoded. */
function readPlane(from: LittleEndianReader, length: number, size: number): Uint8Array {
  const data = from.part(length);
  if (length === 0) return new Uint8Array(size).fill(0xff);
  if (length >= size) return data.take(size);
  const plane = new Uint8Array(size);
  let at = 0;
  while (size - at > TAIL_BYTES) {
    const value = data.u8();
    let run = 1;
    if (size - at > TAIL_BYTES + 1 && data.left > 0 && data.peekU8() === value) {
      data.skip(1);
      const more = data.u8();
      run = more < 0xff ? more + 2 : data.u32();
    }
    if (run > size - at) throw badData(`a run of ${run} bytes, expected at most the ${size - at} left`);
    plane.fill(value, at, at + run);
    at += run;
  }
  // A run may end inside the tail; what is left of it comes as it is.
  plane.set(data.take(size - at), at);
  return plane;
}

function clamped(value: number): number {
  return value < 0 ? 0 : value > 255 ? 255 : value;
}
