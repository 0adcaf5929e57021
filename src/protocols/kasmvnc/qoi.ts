import { OPAQUE } from "../../framebuffer/framebuffer.ts";
import type { Size } from "../../framebuffer/rect.ts";
import { badData } from "../rfb/encodings/bad-data.ts";

const HEADER_BYTES = 14;
const END_BYTES = 8;
const MAGIC = 0x716f6966;

/** Tags of one byte, and the upper two bits of the others; the QOI specification, "Data chunks". */
const OP = { rgb: 0xfe, rgba: 0xff, index: 0, diff: 1, luma: 2 } as const;

/** Of QOI's header: U32 "qoif", U32 width, U32 height, U8 channels, U8 colour space. Throws RfbError `bad_data`. */
export function qoiSize(bytes: Uint8Array): Size {
  if (bytes.length < HEADER_BYTES + END_BYTES) {
    throw badData(`qoi of ${bytes.length} bytes, expected at least ${HEADER_BYTES + END_BYTES}`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getUint32(0) !== MAGIC) throw badData("qoi without its signature");
  return { width: view.getUint32(4), height: view.getUint32(8) };
}

/**
 * The pixels as words of a Framebuffer, alpha set. Call only after `qoiSize` said what was expected: memory is taken
 * for that. Throws RfbError `bad_data` where the data ends early or goes on after the last pixel.
 */
export function decodeQoi(bytes: Uint8Array): Uint32Array {
  const { width, height } = qoiSize(bytes);
  const words = new Uint32Array(width * height);
  // The specification's 64 recent pixels, with their alpha: both have a part in a pixel's place.
  const recent = new Uint32Array(64);
  const end = bytes.length - END_BYTES;
  let p = HEADER_BYTES;
  let r = 0;
  let g = 0;
  let b = 0;
  let a = 255;
  for (let i = 0; i < words.length; ) {
    if (p >= end) throw badData(`qoi ends after ${i} pixels, expected ${words.length}`);
    const tag = bytes[p++]!;
    let count = 1;
    if (tag === OP.rgb || tag === OP.rgba) {
      r = bytes[p++]!;
      g = bytes[p++]!;
      b = bytes[p++]!;
      if (tag === OP.rgba) a = bytes[p++]!;
    } else if (tag >> 6 === OP.index) {
      const pixel = recent[tag]!;
      r = pixel & 255;
      g = (pixel >>> 8) & 255;
      b = (pixel >>> 16) & 255;
      a = pixel >>> 24;
    } else if (tag >> 6 === OP.diff) {
      r = (r + ((tag >> 4) & 3) - 2) & 255;
      g = (g + ((tag >> 2) & 3) - 2) & 255;
      b = (b + (tag & 3) - 2) & 255;
    } else if (tag >> 6 === OP.luma) {
      const second = bytes[p++]!;
      const green = (tag & 63) - 32;
      r = (r + green - 8 + (second >> 4)) & 255;
      g = (g + green) & 255;
      b = (b + green - 8 + (second & 15)) & 255;
    } else {
      count = (tag & 63) + 1;
      if (count > words.length - i) throw badData("qoi run goes on after the last pixel");
    }
    const pixel = (r | (g << 8) | (b << 16) | (a << 24)) >>> 0;
    recent[(r * 3 + g * 5 + b * 7 + a * 11) & 63] = pixel;
    words.fill(pixel | OPAQUE, i, i + count);
    i += count;
  }
  if (p !== end) throw badData(`qoi has ${end - p} bytes after the last pixel, expected none`);
  return words;
}
