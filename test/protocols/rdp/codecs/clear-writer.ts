import type { Framebuffer } from "../../../../src/framebuffer/framebuffer.ts";
import type { Rect } from "../../../../src/framebuffer/rect.ts";
import { LittleEndianWriter } from "../../../../src/protocols/rdp/little-endian-writer.ts";

/** A stored column: what it looked like, and where. */
interface Stored {
  readonly key: string;
}

/** Blue, green, red of a word. */
function pixel(to: LittleEndianWriter, word: number): void {
  to.u8((word >>> 16) & 255)
    .u8((word >>> 8) & 255)
    .u8(word & 255);
}

function runLength(to: LittleEndianWriter, count: number): void {
  if (count < 0xff) to.u8(count);
  else if (count < 0xffff) to.u8(0xff).u16(count);
  else to.u8(0xff).u16(0xffff).u32(count);
}

function wordsOf(from: Framebuffer, { x, y, width, height }: Rect): number[] {
  const words: number[] = [];
  for (let row = y; row < y + height; row++) {
    words.push(...from.words.subarray(row * from.width + x, row * from.width + x + width));
  }
  return words;
}

/** The three layers of a bitmap (MS-RDPEGFX 2.2.4.1.1), each may be empty. */
export interface Layers {
  readonly residual?: Uint8Array;
  readonly bands?: Uint8Array;
  readonly subcodecs?: Uint8Array;
}

/** CLEARCODEC_BITMAP_STREAM; `glyph` is stored, or with no layers painted from storage. */
export function clearStream(layers: Layers | null, glyph: number | null = null, isReset = false): Uint8Array {
  const flags = (glyph === null ? 0 : 1) | (layers === null ? 2 : 0) | (isReset ? 4 : 0);
  const to = new LittleEndianWriter().u8(flags).u8(0);
  if (glyph !== null) to.u16(glyph);
  if (layers === null) return to.bytes();
  const parts = [layers.residual, layers.bands, layers.subcodecs].map((part) => part ?? new Uint8Array());
  for (const part of parts) to.u32(part.length);
  for (const part of parts) to.put(part);
  return to.bytes();
}

/** CLEARCODEC_RESIDUAL_DATA of a whole picture. */
export function residualOf(from: Framebuffer, rect: Rect): Uint8Array {
  const to = new LittleEndianWriter();
  const words = wordsOf(from, rect);
  for (let at = 0; at < words.length; ) {
    const word = words[at] ?? 0;
    let run = 1;
    while (words[at + run] === word) run++;
    pixel(to, word);
    runLength(to, run);
    at += run;
  }
  return to.bytes();
}

/** Encodes pictures as bands, with the storages that a decoder has. */
export class BandWriter {
  #bars: Stored[] = [];
  #shortBars: Stored[] = [];

  /** As CLEARCODEC_FLAG_CACHE_RESET does at the other side. */
  rewind(): void {
    this.#bars = [];
    this.#shortBars = [];
  }

  /** Bands of at most `height` rows; the background of each is its first pixel. */
  encode(from: Framebuffer, rect: Rect, height: number): Uint8Array {
    const to = new LittleEndianWriter();
    for (let top = 0; top < rect.height; top += height) {
      const bottom = Math.min(rect.height, top + height) - 1;
      const background = from.words[(rect.y + top) * from.width + rect.x] ?? 0;
      to.u16(0)
        .u16(rect.width - 1)
        .u16(top)
        .u16(bottom);
      pixel(to, background);
      for (let x = 0; x < rect.width; x++) {
        const column = { x: rect.x + x, y: rect.y + top, width: 1, height: bottom - top + 1 };
        this.#column(to, wordsOf(from, column), background);
      }
    }
    return to.bytes();
  }

  #column(to: LittleEndianWriter, words: readonly number[], background: number): void {
    const key = words.join();
    const hit = this.#bars.findLastIndex((bar) => bar.key === key);
    if (hit >= 0) {
      to.u16(0x8000 | hit);
      return;
    }
    const start = Math.max(
      0,
      words.findIndex((word) => word !== background),
    );
    const end = words.findLastIndex((word) => word !== background) + 1;
    const short = words.slice(start, end);
    const shortKey = short.join();
    const shortHit = this.#shortBars.findLastIndex((bar) => bar.key === shortKey);
    if (shortHit >= 0) to.u16(0x4000 | shortHit).u8(end === 0 ? 0 : start);
    else {
      to.u16((Math.max(start, end) << 8) | start);
      for (const word of short) pixel(to, word);
      this.#shortBars.push({ key: shortKey });
    }
    this.#bars.push({ key });
  }
}

/** One subcodec rectangle, uncompressed (0) or RLEX (2); the rectangle is relative to the bitmap. */
export function subcodecOf(from: Framebuffer, origin: Rect, rect: Rect, codec: 0 | 2): Uint8Array {
  const words = wordsOf(from, { ...rect, x: origin.x + rect.x, y: origin.y + rect.y });
  const body = new LittleEndianWriter();
  if (codec === 0) for (const word of words) pixel(body, word);
  else writeRlex(body, words);
  return new LittleEndianWriter()
    .u16(rect.x)
    .u16(rect.y)
    .u16(rect.width)
    .u16(rect.height)
    .u32(body.length)
    .u8(codec)
    .put(body.bytes())
    .bytes();
}

/** Throws where there are more colours than a palette holds. */
function writeRlex(to: LittleEndianWriter, words: readonly number[]): void {
  const palette = [...new Set(words)];
  if (palette.length > 127) throw new RangeError("too many colours");
  to.u8(palette.length);
  for (const word of palette) pixel(to, word);
  const indexBits = Math.max(1, 32 - Math.clz32(palette.length - 1));
  for (let at = 0; at < words.length; ) {
    const start = palette.indexOf(words[at] ?? 0);
    let run = 0;
    while (words[at + run + 1] === palette[start] && at + run + 1 < words.length) run++;
    // After the run the start colour comes once more, then the suite goes on as far as the palette does.
    let depth = 0;
    const most = 2 ** (8 - indexBits) - 1;
    const next = (i: number): boolean =>
      at + run + i < words.length && start + i < palette.length && words[at + run + i] === palette[start + i];
    while (depth < most && next(depth + 1)) depth++;
    to.u8((depth << indexBits) | (start + depth));
    runLength(to, run);
    at += run + depth + 1;
  }
}
