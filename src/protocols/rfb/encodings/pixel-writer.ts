import { BYTES_PER_PIXEL } from "../../../framebuffer/framebuffer.ts";
import type { Pixels } from "../../../framebuffer/picture.ts";
import { equalPixelFormats, type PixelFormat, RGBX } from "../../../framebuffer/pixel-format.ts";

const COLOUR_BITS = 0xffffff;
const LOW_THREE_BYTES = 0xffffff;

/**
 * One way to lay pixels on the wire. Encoders `load` a tile as numbers, compare those, and `put` them: what is equal
 * on the viewer's screen is equal as a number.
 */
export interface PixelLayout {
  /** Bytes a pixel takes: 1 to 4. */
  readonly sizeBytes: number;
  /** Writes width * height numbers to `into`, row by row, for the pixels at (x, y) counted from the rectangle's corner. */
  load(pixels: Pixels, x: number, y: number, width: number, height: number, into: Uint32Array): void;
  /** Writes one number at `at`; returns where the next goes. */
  put(value: number, out: Uint8Array, at: number): number;
  /** Writes the first `count` numbers at `at`; returns where the next goes. */
  putAll(values: Uint32Array, count: number, out: Uint8Array, at: number): number;
}

/** The layouts of one viewer's PixelFormat. */
export interface PixelWriter {
  /** PIXEL, RFC 6143 section 7.4: Raw, RRE, Hextile. */
  readonly plain: PixelLayout;
  /** CPIXEL, RFC 6143 section 7.7.5: ZRLE. */
  readonly compact: PixelLayout;
  /** TPIXEL, rfbproto "Tight Encoding". */
  readonly tight: PixelLayout;
}

const writers = new WeakMap<PixelFormat, PixelWriter>();

/** The writer for a viewer's format, made once; a true-colour format of 8, 16 or 32 bits. */
export function pixelWriterFor(format: PixelFormat): PixelWriter {
  let writer = writers.get(format);
  if (writer === undefined) {
    writer = makeWriter(format);
    writers.set(format, writer);
  }
  return writer;
}

function makeWriter(format: PixelFormat): PixelWriter {
  if (!format.isTrueColour) throw new RangeError("colour map pixel format, expected true colour");
  if (format.bitsPerPixel !== 8 && format.bitsPerPixel !== 16 && format.bitsPerPixel !== 32) {
    throw new RangeError(`pixel format of ${format.bitsPerPixel} bits, expected 8, 16 or 32`);
  }
  const load = equalColours(format) ? loadColours : loaderOf(format);
  const plain = new Layout(load, format.bitsPerPixel / 8, format.isBigEndian, 0);
  return { plain, compact: compactLayout(format, load, plain), tight: tightLayout(format, plain) };
}

/** CPIXEL leaves out the byte that no colour touches, the lowest or the highest; RFC 6143 section 7.7.5. */
function compactLayout(format: PixelFormat, load: Load, plain: PixelLayout): PixelLayout {
  if (format.bitsPerPixel !== 32 || format.depth > 24) return plain;
  const bits = usedBits(format);
  if ((bits & ~LOW_THREE_BYTES) === 0) return new Layout(load, 3, format.isBigEndian, 0);
  if ((bits & 0xff) === 0) return new Layout(load, 3, format.isBigEndian, 8);
  return plain;
}

/** TPIXEL is R, G, B for every 888 format of depth 24, whatever its shifts; rfbproto "Tight Encoding". */
function tightLayout(format: PixelFormat, plain: PixelLayout): PixelLayout {
  const is888 = format.redMax === 255 && format.greenMax === 255 && format.blueMax === 255;
  if (format.bitsPerPixel !== 32 || format.depth !== 24 || !is888) return plain;
  return new Layout(loadColours, 3, false, 0);
}

function usedBits(format: PixelFormat): number {
  return (
    (format.redMax << format.redShift) |
    (format.greenMax << format.greenShift) |
    (format.blueMax << format.blueShift)
  );
}

function equalColours(format: PixelFormat): boolean {
  return equalPixelFormats({ ...format, depth: RGBX.depth, isBigEndian: RGBX.isBigEndian }, RGBX);
}

type Load = PixelLayout["load"];

/** Numbers 0x00BBGGRR: red, green, blue from the lowest byte up. */
function loadColours(
  pixels: Pixels,
  x: number,
  y: number,
  width: number,
  height: number,
  into: Uint32Array,
): void {
  const { bytes, strideBytes } = pixels;
  let start = pixels.offset + y * strideBytes + x * BYTES_PER_PIXEL;
  let to = 0;
  const isAligned = ((bytes.byteOffset + start) & 3) === 0 && (strideBytes & 3) === 0;
  if (isAligned) {
    const words = new Uint32Array(
      bytes.buffer,
      bytes.byteOffset + start,
      wordsOf(strideBytes, width, height),
    );
    const stride = strideBytes >> 2;
    for (let row = 0, at = 0; row < height; row++, at += stride) {
      for (let i = at; i < at + width; i++) into[to++] = words[i]! & COLOUR_BITS;
    }
    return;
  }
  for (let row = 0; row < height; row++, start += strideBytes) {
    for (let i = start; i < start + width * BYTES_PER_PIXEL; i += BYTES_PER_PIXEL) {
      into[to++] = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16);
    }
  }
}

function wordsOf(strideBytes: number, width: number, height: number): number {
  return (height - 1) * (strideBytes >> 2) + width;
}

function loaderOf(format: PixelFormat): Load {
  const red = scaleTable(format.redMax, format.redShift);
  const green = scaleTable(format.greenMax, format.greenShift);
  const blue = scaleTable(format.blueMax, format.blueShift);
  return ({ bytes, offset, strideBytes }, x, y, width, height, into) => {
    let start = offset + y * strideBytes + x * BYTES_PER_PIXEL;
    let to = 0;
    for (let row = 0; row < height; row++, start += strideBytes) {
      for (let i = start; i < start + width * BYTES_PER_PIXEL; i += BYTES_PER_PIXEL) {
        into[to++] = red[bytes[i]!]! | green[bytes[i + 1]!]! | blue[bytes[i + 2]!]!;
      }
    }
  };
}

/** For each 8-bit intensity the nearest of 0 to `max`, shifted to its place. */
function scaleTable(max: number, shift: number): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, intensity) => Math.round((intensity * max) / 255) << shift);
}

class Layout implements PixelLayout {
  readonly load: Load;
  readonly sizeBytes: number;
  readonly #isBigEndian: boolean;
  readonly #dropBits: number;

  /** The low `dropBits` of a number are left out, then `sizeBytes` bytes of it written. */
  constructor(load: Load, sizeBytes: number, isBigEndian: boolean, dropBits: number) {
    this.load = load;
    this.sizeBytes = sizeBytes;
    this.#isBigEndian = isBigEndian;
    this.#dropBits = dropBits;
  }

  put(value: number, out: Uint8Array, at: number): number {
    let rest = value >>> this.#dropBits;
    const end = at + this.sizeBytes;
    if (this.#isBigEndian) {
      for (let i = end - 1; i >= at; i--, rest >>>= 8) out[i] = rest;
    } else {
      for (let i = at; i < end; i++, rest >>>= 8) out[i] = rest;
    }
    return end;
  }

  putAll(values: Uint32Array, count: number, out: Uint8Array, at: number): number {
    let to = at;
    if (this.sizeBytes === 3 && !this.#isBigEndian) {
      for (let i = 0; i < count; i++, to += 3) {
        const value = values[i]! >>> this.#dropBits;
        out[to] = value;
        out[to + 1] = value >>> 8;
        out[to + 2] = value >>> 16;
      }
      return to;
    }
    for (let i = 0; i < count; i++) to = this.put(values[i]!, out, to);
    return to;
  }
}
