import { OPAQUE } from "../../../framebuffer/framebuffer.ts";
import { type PixelFormat, RGBX } from "../../../framebuffer/pixel-format.ts";
import { RfbError } from "../error.ts";

const LOW_THREE_BYTES = 0xffffff;

/** One way a server lays pixels on the wire, read as words of a Framebuffer. */
export interface PixelCode {
  /** Bytes a pixel takes: 1 to 4. */
  readonly sizeBytes: number;
  /** A pixel's first three bytes are R, G, B: hot loops then read them without a call. */
  readonly isRgb: boolean;
  /** The pixel at `at`. */
  word(bytes: Uint8Array, at: number): number;
  /** `count` pixels from `start` on, written to `words` from `to` on. */
  read(bytes: Uint8Array, start: number, words: Uint32Array, to: number, count: number): void;
}

/** The codes of one server's PixelFormat. */
export interface PixelReader {
  readonly format: PixelFormat;
  /** PIXEL, RFC 6143 section 7.4: Raw, RRE, Hextile, Zlib. */
  readonly plain: PixelCode;
  /** CPIXEL, RFC 6143 section 7.7.5: TRLE, ZRLE. */
  readonly compact: PixelCode;
  /** TPIXEL, rfbproto "Tight Encoding". */
  readonly tight: PixelCode;
}

/**
 * The reader of a format; `colours` holds a word for each value of a format without true colour, 2 to the power of
 * its bits, and may change later. Throws RfbError `bad_pixel_format` for what no pixel can lie in.
 */
export function makePixelReader(format: PixelFormat, colours: Uint32Array): PixelReader {
  checkReadable(format);
  if (!format.isTrueColour || format.bitsPerPixel < 32) {
    const table = format.isTrueColour ? tableOf(format) : colours;
    const code = format.bitsPerPixel === 8 ? new ByteCode(table) : new PairCode(table, format.isBigEndian);
    return { format, plain: code, compact: code, tight: code };
  }
  const plain = wideCode(format, 4, 0);
  return { format, plain, compact: compactCode(format, plain), tight: tightCode(format, plain) };
}

function checkReadable(format: PixelFormat): void {
  const { bitsPerPixel, isTrueColour } = format;
  if (bitsPerPixel !== 8 && bitsPerPixel !== 16 && bitsPerPixel !== 32) {
    throw bad(`${bitsPerPixel} bits a pixel`, "8, 16 or 32");
  }
  if (!isTrueColour) {
    if (bitsPerPixel === 32) throw bad("a colour map of 32 bits", "8 or 16");
    return;
  }
  for (const [max, shift] of coloursOf(format)) {
    if (max < 1 || max > 0xffff) throw bad(`a colour maximum of ${max}`, "1 to 65535");
    if (shift + bitsOf(max) > bitsPerPixel) {
      throw bad(`a colour of ${bitsOf(max)} bits at ${shift}`, `all within ${bitsPerPixel} bits`);
    }
  }
}

function bad(got: string, expected: string): RfbError {
  return new RfbError("bad_pixel_format", "init", `got a pixel format with ${got}, expected ${expected}`);
}

/** Maximum and shift of red, green and blue. */
function coloursOf(f: PixelFormat): readonly (readonly [number, number])[] {
  return [
    [f.redMax, f.redShift],
    [f.greenMax, f.greenShift],
    [f.blueMax, f.blueShift],
  ];
}

function bitsOf(max: number): number {
  return 32 - Math.clz32(max);
}

/** CPIXEL leaves out the byte that no colour touches, the lowest or the highest; RFC 6143 section 7.7.5. */
function compactCode(format: PixelFormat, plain: PixelCode): PixelCode {
  if (format.depth > 24) return plain;
  const bits = coloursOf(format).reduce((sum, [max, shift]) => sum | (max << shift), 0);
  if ((bits & ~LOW_THREE_BYTES) === 0) return wideCode(format, 3, 0);
  if ((bits & 0xff) === 0) return wideCode(format, 3, 8);
  return plain;
}

/** TPIXEL is R, G, B for every 888 format of depth 24, whatever its shifts; rfbproto "Tight Encoding". */
function tightCode(format: PixelFormat, plain: PixelCode): PixelCode {
  const is888 = format.redMax === 255 && format.greenMax === 255 && format.blueMax === 255;
  return is888 && format.depth === 24 ? new ChannelCode(3, 0, 1, 2) : plain;
}

/** Pixels of `sizeBytes` bytes: of 32 bits, or those without their lowest (`dropBits` 8) or highest byte. */
function wideCode(format: PixelFormat, sizeBytes: number, dropBits: number): PixelCode {
  const isOnBytes = coloursOf(format).every(([max, shift]) => max === 255 && shift % 8 === 0);
  if (!isOnBytes) return new ShiftCode(format, sizeBytes, dropBits);
  const place = (shift: number): number => {
    const byte = (shift - dropBits) / 8;
    return format.isBigEndian ? sizeBytes - 1 - byte : byte;
  };
  return new ChannelCode(
    sizeBytes,
    place(format.redShift),
    place(format.greenShift),
    place(format.blueShift),
  );
}

/** For each value of a true-colour format of 8 or 16 bits its word. */
function tableOf(format: PixelFormat): Uint32Array {
  const [red, green, blue] = scalesOf(format);
  const { redShift, greenShift, blueShift, redMax, greenMax, blueMax } = format;
  const [redMask, greenMask, blueMask] = [maskOf(redMax), maskOf(greenMax), maskOf(blueMax)];
  const table = new Uint32Array(2 ** format.bitsPerPixel);
  for (let value = 0; value < table.length; value++) {
    const r = red[(value >>> redShift) & redMask]!;
    const g = green[(value >>> greenShift) & greenMask]!;
    const b = blue[(value >>> blueShift) & blueMask]!;
    table[value] = OPAQUE | r | (g << 8) | (b << 16);
  }
  return table;
}

function maskOf(max: number): number {
  return 2 ** bitsOf(max) - 1;
}

/** Of each colour the 8-bit intensity of every value its bits can hold, rounded to the nearest. */
function scalesOf(format: PixelFormat): readonly [Uint8Array, Uint8Array, Uint8Array] {
  const scale = (max: number): Uint8Array =>
    Uint8Array.from({ length: maskOf(max) + 1 }, (_, value) =>
      Math.min(255, Math.round((value * 255) / max)),
    );
  return [scale(format.redMax), scale(format.greenMax), scale(format.blueMax)];
}

/** 8 bits a pixel: by a table. */
class ByteCode implements PixelCode {
  readonly sizeBytes = 1;
  readonly isRgb = false;
  readonly #table: Uint32Array;

  constructor(table: Uint32Array) {
    this.#table = table;
  }

  word(bytes: Uint8Array, at: number): number {
    return this.#table[bytes[at]!]!;
  }

  read(bytes: Uint8Array, start: number, words: Uint32Array, to: number, count: number): void {
    const table = this.#table;
    for (let i = 0; i < count; i++) words[to + i] = table[bytes[start + i]!]!;
  }
}

/** 16 bits a pixel: by a table. */
class PairCode implements PixelCode {
  readonly sizeBytes = 2;
  readonly isRgb = false;
  readonly #table: Uint32Array;
  readonly #low: number;

  constructor(table: Uint32Array, isBigEndian: boolean) {
    this.#table = table;
    this.#low = isBigEndian ? 1 : 0;
  }

  word(bytes: Uint8Array, at: number): number {
    return this.#table[bytes[at + this.#low]! | (bytes[at + 1 - this.#low]! << 8)]!;
  }

  read(bytes: Uint8Array, start: number, words: Uint32Array, to: number, count: number): void {
    const table = this.#table;
    let low = start + this.#low;
    let high = start + 1 - this.#low;
    for (let i = to; i < to + count; i++, low += 2, high += 2) {
      words[i] = table[bytes[low]! | (bytes[high]! << 8)]!;
    }
  }
}

/** Each colour is a byte of its own. */
class ChannelCode implements PixelCode {
  readonly sizeBytes: number;
  readonly isRgb: boolean;
  readonly #red: number;
  readonly #green: number;
  readonly #blue: number;

  constructor(sizeBytes: number, red: number, green: number, blue: number) {
    this.sizeBytes = sizeBytes;
    this.isRgb = red === 0 && green === 1 && blue === 2;
    this.#red = red;
    this.#green = green;
    this.#blue = blue;
  }

  word(bytes: Uint8Array, at: number): number {
    return (
      OPAQUE | bytes[at + this.#red]! | (bytes[at + this.#green]! << 8) | (bytes[at + this.#blue]! << 16)
    );
  }

  read(bytes: Uint8Array, start: number, words: Uint32Array, to: number, count: number): void {
    const step = this.sizeBytes;
    let red = start + this.#red;
    let green = start + this.#green;
    let blue = start + this.#blue;
    for (let i = to; i < to + count; i++, red += step, green += step, blue += step) {
      words[i] = OPAQUE | bytes[red]! | (bytes[green]! << 8) | (bytes[blue]! << 16);
    }
  }
}

/** Colours anywhere in 24 or 32 bits. */
class ShiftCode implements PixelCode {
  readonly sizeBytes: number;
  readonly isRgb = false;
  readonly #format: PixelFormat;
  readonly #dropBits: number;
  readonly #scales: readonly [Uint8Array, Uint8Array, Uint8Array];

  constructor(format: PixelFormat, sizeBytes: number, dropBits: number) {
    this.sizeBytes = sizeBytes;
    this.#format = format;
    this.#dropBits = dropBits;
    this.#scales = scalesOf(format);
  }

  word(bytes: Uint8Array, at: number): number {
    const { isBigEndian, redShift, greenShift, blueShift } = this.#format;
    let value = 0;
    for (let i = 0; i < this.sizeBytes; i++) {
      value |= bytes[at + i]! << (8 * (isBigEndian ? this.sizeBytes - 1 - i : i));
    }
    value <<= this.#dropBits;
    const [red, green, blue] = this.#scales;
    const r = red[(value >>> redShift) & (red.length - 1)]!;
    const g = green[(value >>> greenShift) & (green.length - 1)]!;
    const b = blue[(value >>> blueShift) & (blue.length - 1)]!;
    return OPAQUE | r | (g << 8) | (b << 16);
  }

  read(bytes: Uint8Array, start: number, words: Uint32Array, to: number, count: number): void {
    let at = start;
    for (let i = to; i < to + count; i++, at += this.sizeBytes) words[i] = this.word(bytes, at);
  }
}

/** The reader of our own format. */
export const RGBX_READER: PixelReader = makePixelReader(RGBX, new Uint32Array(0));
