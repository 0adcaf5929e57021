import { isAcceptableSize } from "../../framebuffer/framebuffer.ts";
import type { Size } from "../../framebuffer/rect.ts";

const MARKER = 0xff;
const START_OF_IMAGE = 0xd8;
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;
const DEFINE_TABLES = 0xdb;

const LOW_FREQUENCIES = 8;

/** U16 length, U8 precision, U16 height, U16 width, U8 components. */
const FRAME_BYTES = 8;

/**
 * The size in a JPEG's frame header, ITU-T T.81 annex B.2.2, with nothing allocated. Throws an Error where the
 * bytes are no JPEG, end before the header, or claim a size we do not hold.
 */
export function jpegSize(jpeg: Uint8Array): Size {
  for (const { marker, at } of segments(jpeg)) if (isFrame(marker)) return frameSize(jpeg, at);
  throw new Error("jpeg without a frame header");
}

/**
 * The largest of the first eight steps (low frequencies) of the file's first quantisation table, which luminance has,
 * ITU-T T.81 annex B.2.4.1: 1 is the finest. Infinity where there is no whole table before the image data.
 */
export function luminanceStep(jpeg: Uint8Array): number {
  for (const { marker, at } of segments(jpeg)) {
    if (marker !== DEFINE_TABLES) continue;
    // U16 length, then for each table U8 precision and number, and 64 steps of one or two bytes.
    const isWide = ((jpeg[at + 2] ?? 0) & 0xf0) !== 0;
    const step = (i: number) => (isWide ? u16(jpeg, at + 3 + 2 * i) : (jpeg[at + 3 + i] ?? 0));
    return Math.max(
      ...Array.from({ length: LOW_FREQUENCIES }, (_, i) => step(i) || Number.POSITIVE_INFINITY),
    );
  }
  return Number.POSITIVE_INFINITY;
}

/** The segments before the image data: each one's marker and where its length stands. */
function* segments(jpeg: Uint8Array): Generator<{ readonly marker: number; readonly at: number }> {
  if (jpeg[0] !== MARKER || jpeg[1] !== START_OF_IMAGE)
    throw new Error("no jpeg: expected it to begin with ff d8");
  let p = 2;
  while (p + 1 < jpeg.length) {
    if (jpeg[p] !== MARKER) throw new Error(`jpeg byte ${jpeg[p]} at ${p}, expected a marker`);
    const marker = jpeg[p + 1] ?? 0;
    if (marker === MARKER) {
      p += 1; // Fill bytes may stand before any marker, annex B.1.1.2.
      continue;
    }
    p += 2;
    if (isAlone(marker)) continue;
    if (marker === START_OF_SCAN || marker === END_OF_IMAGE || marker === START_OF_IMAGE) return;
    yield { marker, at: p };
    const length = u16(jpeg, p);
    if (length < 2) throw new Error(`jpeg segment of ${length} bytes, expected at least 2`);
    p += length;
  }
}

/** TEM and RST0 to RST7 have no length. */
function isAlone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
}

/** SOF0 to SOF15; DHT, JPG and DAC stand between them. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function frameSize(jpeg: Uint8Array, p: number): Size {
  if (p + FRAME_BYTES > jpeg.length) throw new Error("jpeg ends within its frame header");
  const size = { width: u16(jpeg, p + 5), height: u16(jpeg, p + 3) };
  if (!isAcceptableSize(size)) throw new Error(`jpeg of ${size.width}x${size.height} pixels refused`);
  return size;
}

/** 0 beyond the end, which no length may be. */
function u16(bytes: Uint8Array, p: number): number {
  return ((bytes[p] ?? 0) << 8) | (bytes[p + 1] ?? 0);
}
