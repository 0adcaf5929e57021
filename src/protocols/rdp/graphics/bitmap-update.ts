import { intersectRects, rect } from "../../../framebuffer/rect.ts";
import type { ClientContext } from "../client-context.ts";
import { interleavedRle } from "../codecs/interleaved-rle.ts";
import { planar } from "../codecs/planar.ts";
import { RdpError } from "../error.ts";
import type { LittleEndianReader } from "../little-endian-reader.ts";
import { type PlacedBitmap, paintRaw, paintWords, rowBytesOf, sizeBytesOf } from "./paint.ts";

const COMPRESSED = 0x0001;
const NO_HEADER = 0x0400;
const COMPRESSION_HEADER_BYTES = 8;
/** Servers round a bitmap's sides up; more than this beyond the picture is no rounding. */
const MAX_OVERHANG = 64;

/**
 * Bitmap update after its type, MS-RDPBCGR 2.2.9.1.1.3.1.2: U16 count; each U16 left, top, right, bottom (inclusive),
 * U16 width, height, bits a pixel, flags, length, data. Rows come bottom up.
 */
export function readBitmaps(from: LittleEndianReader, c: ClientContext): void {
  const count = from.u16();
  for (let i = 0; i < count; i++) readBitmap(from, c);
}

function readBitmap(from: LittleEndianReader, c: ClientContext): void {
  const [left, top, right, bottom] = [from.u16(), from.u16(), from.u16(), from.u16()];
  const width = from.u16();
  const height = from.u16();
  const bits = from.u16();
  const flags = from.u16();
  const data = from.part(from.u16());
  checkSize(width, height, c);
  const area = rect(left, top, Math.min(right - left + 1, width), Math.min(bottom - top + 1, height));
  const to = intersectRects(area, c.framebuffer.rect);
  if (to.width === 0 || to.height === 0) return;
  const placed: PlacedBitmap = { to, x: left, y: top, width, height };
  if (flags & COMPRESSED) {
    if ((flags & NO_HEADER) === 0) data.skip(COMPRESSION_HEADER_BYTES);
    paintCompressed(data.rest(), bits, placed, c);
  } else {
    paintUncompressed(data.rest(), bits, placed, c);
  }
  c.damage.paint(to);
}

/** Refused before memory is taken for it. */
export function checkSize(width: number, height: number, c: ClientContext): void {
  const { framebuffer } = c;
  if (width > framebuffer.width + MAX_OVERHANG || height > framebuffer.height + MAX_OVERHANG) {
    throw new RdpError(
      "bad_data",
      "graphics",
      `got a bitmap of ${width}x${height} on a desktop of ${framebuffer.width}x${framebuffer.height}`,
    );
  }
}

function paintCompressed(data: Uint8Array, bits: number, placed: PlacedBitmap, c: ClientContext): void {
  const { to, width, height } = placed;
  if (bits === 32) {
    if (to.width === width && to.height === height) {
      const { words, bytes, width: stride } = c.framebuffer;
      planar(data, width, height, {
        words,
        bytes,
        first: (to.y + height - 1) * stride + to.x,
        step: -stride,
      });
      return;
    }
    const pixels = c.scratch.bytes(width * height * 4);
    const words = new Uint32Array(pixels.buffer, pixels.byteOffset, width * height);
    planar(data, width, height, { words, bytes: pixels, first: 0, step: width });
    paintWords(words, placed, c);
    return;
  }
  const bytes = c.scratch.bytes(width * height * sizeBytesOf(bits));
  interleavedRle(data, width, height, bits, bytes);
  paintRaw(bytes, width * sizeBytesOf(bits), bits, placed, c);
}

/** Rows padded to 4 bytes. */
export function paintUncompressed(
  data: Uint8Array,
  bits: number,
  placed: PlacedBitmap,
  c: ClientContext,
): void {
  const rowBytes = rowBytesOf(placed.width, bits);
  if (data.length < rowBytes * placed.height) {
    throw new RdpError(
      "bad_data",
      "graphics",
      `got a bitmap of ${data.length} bytes, expected ${rowBytes * placed.height}`,
    );
  }
  paintRaw(data, rowBytes, bits, placed, c);
}
