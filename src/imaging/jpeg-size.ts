import { isAcceptableSize } from "../framebuffer/framebuffer.ts";
import type { Size } from "../framebuffer/rect.ts";

const MARKER = 0xff;
const START_OF_IMAGE = 0xd8;
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;

/** U16 length, U8 precision, U16 height, U16 width, U8 components. */
const FRAME_BYTES = 8;

/**
 * The size in a JPEG's frame header, ITU-T T.81 annex B.2.2, with nothing allocated. Throws an Error where the
 * bytes are no JPEG, end before the header, or claim a size we do not hold.
 */
export function jpegSize(jpeg: Uint8Array): Size {
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
    if (marker === START_OF_SCAN || marker === END_OF_IMAGE || marker === START_OF_IMAGE) break;
    if (isFrame(marker)) return frameSize(jpeg, p);
    const length = u16(jpeg, p);
    if (length < 2) throw new Error(`jpeg segment of ${length} bytes, expected at least 2`);
    p += length;
  }
  throw new Error("jpeg without a frame header");
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
