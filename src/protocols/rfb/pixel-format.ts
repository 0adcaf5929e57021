import type { PixelFormat } from "../../framebuffer/pixel-format.ts";
import type { ByteQueue } from "../byte-queue.ts";
import type { ByteWriter } from "../byte-writer.ts";
import { RfbError } from "./error.ts";

/** Bytes of PIXEL_FORMAT, RFC 6143 section 7.4. */
export const PIXEL_FORMAT_BYTES = 16;

/**
 * PIXEL_FORMAT, RFC 6143 section 7.4: U8 bits-per-pixel, U8 depth, U8 big-endian, U8 true-colour, U16 red-max,
 * U16 green-max, U16 blue-max, U8 red-shift, U8 green-shift, U8 blue-shift, pad 3.
 */
export function putPixelFormat(to: ByteWriter, format: PixelFormat): ByteWriter {
  to.u8(format.bitsPerPixel)
    .u8(format.depth)
    .u8(format.isBigEndian ? 1 : 0)
    .u8(format.isTrueColour ? 1 : 0);
  to.u16(format.redMax).u16(format.greenMax).u16(format.blueMax);
  return to.u8(format.redShift).u8(format.greenShift).u8(format.blueShift).pad(3);
}

/** What the peer sent, whether it can be used or not. */
export function takePixelFormat(from: ByteQueue): PixelFormat {
  const format = {
    bitsPerPixel: from.u8(),
    depth: from.u8(),
    isBigEndian: from.u8() !== 0,
    isTrueColour: from.u8() !== 0,
    redMax: from.u16(),
    greenMax: from.u16(),
    blueMax: from.u16(),
    redShift: from.u8(),
    greenShift: from.u8(),
    blueShift: from.u8(),
  };
  from.skip(3);
  return format;
}

/** A viewer's format is 8, 16 or 32 bits of true colour. Throws RfbError bad_pixel_format for any other. */
export function checkFormat(format: PixelFormat): void {
  const { bitsPerPixel, depth } = format;
  if (bitsPerPixel !== 8 && bitsPerPixel !== 16 && bitsPerPixel !== 32) {
    throw bad(`${bitsPerPixel} bits a pixel`, "8, 16 or 32");
  }
  // There is no picture of a true-colour desktop in a palette that is ours to choose.
  if (!format.isTrueColour) throw bad("a colour map", "true colour");
  if (depth < 1 || depth > bitsPerPixel) throw bad(`depth ${depth}`, `1 to ${bitsPerPixel}`);
  checkColour("red", format.redMax, format.redShift, bitsPerPixel);
  checkColour("green", format.greenMax, format.greenShift, bitsPerPixel);
  checkColour("blue", format.blueMax, format.blueShift, bitsPerPixel);
}

function checkColour(name: string, max: number, shift: number, bitsPerPixel: number): void {
  const bits = 32 - Math.clz32(max);
  if (max === 0 || max !== 2 ** bits - 1) throw bad(`${name} maximum ${max}`, "one less than a power of two");
  if (shift + bits > bitsPerPixel) {
    throw bad(`${name} of ${bits} bits at ${shift}`, `all within ${bitsPerPixel} bits`);
  }
}

function bad(got: string, expected: string): RfbError {
  return new RfbError("bad_pixel_format", "message", `got a pixel format with ${got}, expected ${expected}`);
}
