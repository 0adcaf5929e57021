import { OPAQUE } from "../../../framebuffer/framebuffer.ts";
import type { LittleEndianReader } from "../little-endian-reader.ts";

/** Bytes of a pixel that comes as blue, green and red. */
export const PIXEL_BYTES = 3;

/** The pixel at bytes[at], blue first, as a 0xAABBGGRR word with alpha 255. */
export function wordAt(bytes: Uint8Array, at: number): number {
  return (bytes[at + 2]! | (bytes[at + 1]! << 8) | (bytes[at]! << 16) | OPAQUE) >>> 0;
}

/** The next pixel, blue first, as a word. */
export function readWord(from: LittleEndianReader): number {
  return wordAt(from.take(PIXEL_BYTES), 0);
}

/** A run length of ClearCodec: one byte, where it is 0xFF two more, where those are 0xFFFF four more. */
export function readRunLength(from: LittleEndianReader): number {
  const short = from.u8();
  if (short < 0xff) return short;
  const middle = from.u16();
  return middle < 0xffff ? middle : from.u32();
}
