import { badData, cutOff } from "./bad-data.ts";

/** What an order does; the header's code bits say which, in one of three forms (MS-RDPBCGR 2.2.9.1.1.3.1.2.4). */
type Order = "bg" | "fg" | "set_fg" | "fgbg" | "set_fgbg" | "colour" | "image" | "dithered";

/** Regular form: the upper 3 bits are the code, the lower 5 a length. */
const REGULAR: readonly Order[] = ["bg", "fg", "fgbg", "colour", "image"];
/** Lite form: the upper 4 bits, less 0xC, are the code, the lower 4 a length. */
const LITE: readonly Order[] = ["set_fg", "set_fgbg", "dithered"];
/** Mega-mega form: the byte less 0xF0 is the code, two bytes of length follow. */
const MEGA: readonly (Order | null)[] = [
  "bg",
  "fg",
  "fgbg",
  "colour",
  "image",
  null,
  "set_fg",
  "set_fgbg",
  "dithered",
];

const SPECIAL_FGBG_1 = 0xf9;
const SPECIAL_FGBG_2 = 0xfa;
const WHITE = 0xfd;
const BLACK = 0xfe;

/**
 * Interleaved run-length encoding of 8, 15, 16 and 24 bits a pixel, MS-RDPBCGR 2.2.9.1.1.3.1.2.4 and 3.1.9.2.
 * Fills `to` with the rows in the order they come (the bottom one first), each width * 1, 2 or 3 bytes, pixels little-endian
 * as they came. Bytes after the last pixel are ignored. Throws RdpError `bad_data` where the data ends early, runs
 * over the picture or holds an unknown order, and a RangeError where `to` is too small.
 */
export function interleavedRle(
  bytes: Uint8Array,
  width: number,
  height: number,
  bitsPerPixel: number,
  to: Uint8Array,
): void {
  new Picture(bytes, width, height, bitsPerPixel, to).decode();
}

/** One decoding: the cursor in the data, the cursor in the picture and the foreground pixel between orders. */
class Picture {
  readonly #from: Uint8Array;
  readonly #to: Uint8Array;
  readonly #pixelBytes: number;
  readonly #rowBytes: number;
  readonly #endBytes: number;
  readonly #foreground: Uint8Array;
  readonly #white: Uint8Array;
  #read = 0;
  #written = 0;
  /** Decided at the start of an order: a run that begins in the first row has black above it to its end. */
  #isFirstRow = true;

  constructor(bytes: Uint8Array, width: number, height: number, bitsPerPixel: number, to: Uint8Array) {
    this.#pixelBytes = (bitsPerPixel + 7) >> 3;
    this.#rowBytes = width * this.#pixelBytes;
    this.#endBytes = this.#rowBytes * height;
    if (to.length < this.#endBytes) {
      throw new RangeError(`room for ${to.length} bytes, expected ${this.#endBytes}`);
    }
    this.#from = bytes;
    this.#to = to;
    this.#white = new Uint8Array(this.#pixelBytes).fill(0xff);
    if (bitsPerPixel === 15) this.#white[1] = 0x7f;
    this.#foreground = this.#white.slice();
  }

  decode(): void {
    let isAfterBackground = false;
    while (this.#written < this.#endBytes) {
      if (this.#isFirstRow && this.#written >= this.#rowBytes) {
        this.#isFirstRow = false;
        isAfterBackground = false;
      }
      const header = this.#byte();
      const order = orderOf(header);
      if (order === "bg") {
        let count = this.#countOf(header, order);
        // Two background runs in a row would be one; so between them stands one foreground pixel.
        if (isAfterBackground && count > 0) {
          this.#foregroundRun(1);
          count--;
        }
        this.#backgroundRun(count);
        isAfterBackground = true;
        continue;
      }
      isAfterBackground = false;
      if (order === null) this.#special(header);
      else this.#paint(order, this.#countOf(header, order));
    }
  }

  #paint(order: Exclude<Order, "bg">, count: number): void {
    if (order === "set_fg" || order === "set_fgbg") this.#foreground.set(this.#take(this.#pixelBytes));
    switch (order) {
      case "set_fg":
      case "fg":
        this.#foregroundRun(count);
        break;
      case "set_fgbg":
      case "fgbg":
        for (let left = count; left > 0; left -= 8) this.#mask(this.#byte(), Math.min(8, left));
        break;
      case "colour":
        this.#repeat(this.#take(this.#pixelBytes), count);
        break;
      case "dithered":
        this.#repeat(this.#take(2 * this.#pixelBytes), count);
        break;
      case "image": {
        const pixels = this.#take(count * this.#pixelBytes);
        this.#to.set(pixels, this.#room(pixels.length));
      }
    }
  }

  #special(header: number): void {
    if (header === SPECIAL_FGBG_1) this.#mask(0x03, 8);
    else if (header === SPECIAL_FGBG_2) this.#mask(0x05, 8);
    else if (header === WHITE) this.#repeat(this.#white, 1);
    else if (header === BLACK) this.#to.fill(0, this.#room(this.#pixelBytes), this.#written);
    else throw badData(`interleaved rle order 0x${header.toString(16)}, expected a known one`);
  }

  /** Pixels of the row above; black in the first row. */
  #backgroundRun(count: number): void {
    const to = this.#to;
    const row = this.#rowBytes;
    let at = this.#room(count * this.#pixelBytes);
    const end = this.#written;
    if (this.#isFirstRow) {
      to.fill(0, at, end);
      return;
    }
    // A row at a time: a longer run copies what it wrote itself.
    for (; at < end; at += row) to.copyWithin(at, at - row, Math.min(at, end - row));
  }

  /** Pixels of the row above, exclusive-or the foreground pixel. */
  #foregroundRun(count: number): void {
    if (this.#isFirstRow) {
      this.#repeat(this.#foreground, count);
      return;
    }
    const to = this.#to;
    const row = this.#rowBytes;
    const foreground = this.#foreground;
    const size = this.#pixelBytes;
    let at = this.#room(count * size);
    while (at < this.#written) {
      for (let i = 0; i < size; i++, at++) to[at] = to[at - row]! ^ foreground[i]!;
    }
  }

  /** `count` pixels by the bits of a mask, lowest first: set is foreground, clear is background. */
  #mask(mask: number, count: number): void {
    const to = this.#to;
    const row = this.#rowBytes;
    const foreground = this.#foreground;
    const size = this.#pixelBytes;
    const isFirstRow = this.#isFirstRow;
    let at = this.#room(count * size);
    for (let bit = 0; bit < count; bit++) {
      const isForeground = ((mask >> bit) & 1) !== 0;
      for (let i = 0; i < size; i++, at++) {
        to[at] = (isFirstRow ? 0 : to[at - row]!) ^ (isForeground ? foreground[i]! : 0);
      }
    }
  }

  #repeat(pattern: Uint8Array, count: number): void {
    const to = this.#to;
    const start = this.#room(count * pattern.length);
    const end = this.#written;
    if (start === end) return;
    to.set(pattern, start);
    // Doubling: each copy is as long as all that is there.
    for (let at = start + pattern.length; at < end; at += at - start) {
      to.copyWithin(at, start, Math.min(at, start + end - at));
    }
  }

  /** Run length of an order; for masks in the short forms it counts bytes, not pixels. */
  #countOf(header: number, order: Order): number {
    if (header >= 0xf0) return this.#byte() | (this.#byte() << 8);
    const isMask = order === "fgbg" || order === "set_fgbg";
    const mask = header < 0xc0 ? 0x1f : 0x0f;
    const short = header & mask;
    if (isMask) return short === 0 ? this.#byte() + 1 : short * 8;
    return short === 0 ? this.#byte() + mask + 1 : short;
  }

  #byte(): number {
    const byte = this.#from[this.#read];
    if (byte === undefined) throw cutOff("interleaved rle");
    this.#read++;
    return byte;
  }

  #take(count: number): Uint8Array {
    const at = this.#read;
    if (count > this.#from.length - at) throw cutOff("interleaved rle");
    this.#read = at + count;
    return this.#from.subarray(at, at + count);
  }

  /** Moves the write cursor on by `count` bytes and returns where it was. */
  #room(count: number): number {
    const at = this.#written;
    if (count > this.#endBytes - at) {
      throw badData(
        `interleaved rle run of ${count} bytes, expected at most the ${this.#endBytes - at} left`,
      );
    }
    this.#written = at + count;
    return at;
  }
}

/** The order of a header byte; null where it is one of the specials, or unknown. */
function orderOf(header: number): Order | null {
  if (header >= 0xf0) return MEGA[header - 0xf0] ?? null;
  if (header >= 0xc0) return LITE[(header >> 4) - 0xc] ?? null;
  return REGULAR[header >> 5] ?? null;
}
