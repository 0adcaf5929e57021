import { BYTES_PER_PIXEL, type Framebuffer, OPAQUE } from "../../../framebuffer/framebuffer.ts";
import { isEmptyRect, type Rect } from "../../../framebuffer/rect.ts";
import type { ByteQueue, Parser } from "../../byte-queue.ts";
import { badData } from "./bad-data.ts";
import type { DecoderState } from "./encoding.ts";
import { HEXTILE_SIDE, paintByKernel, type Tiles } from "./hextile-kernel.ts";
import type { PixelCode } from "./pixel-reader.ts";
import { paintRgbx, viewOf } from "./rgb-rows.ts";

/** Bits of a tile's subencoding byte. */
export const HEXTILE = {
  raw: 1,
  backgroundSpecified: 2,
  foregroundSpecified: 4,
  anySubrects: 8,
  subrectsColoured: 16,
} as const;

/**
 * RFC 6143 section 7.7.4, for each tile:
 *
 *     U8 subencoding, [PIXEL background], [PIXEL foreground], [U8 number-of-subrectangles], then for each
 *     [PIXEL value], U4 x, U4 y, U4 width - 1, U4 height - 1
 */
export function* decodeHextile(
  from: ByteQueue,
  to: Framebuffer,
  rect: Rect,
  state: DecoderState,
): Parser<void> {
  if (isEmptyRect(rect)) return;
  const code = state.pixels.plain;
  const tiles: Tiles = { x: 0, y: 0, background: null, foreground: null };
  const hasKernel = code.isRgb && code.sizeBytes === BYTES_PER_PIXEL;
  while (tiles.y < rect.height) {
    // What the kernel leaves has not come whole, or is wrong and told so here.
    if (hasKernel) paintByKernel(from, to, rect, tiles);
    const needed = paintTiles(code, from, to, rect, tiles);
    if (tiles.y < rect.height) while (!from.has(needed)) yield needed;
  }
}

/** Paints all tiles that arrived, from one view of them; gives what the next one needs. */
function paintTiles(code: PixelCode, from: ByteQueue, to: Framebuffer, rect: Rect, tiles: Tiles): number {
  const bytes = from.peek(from.size);
  const view = viewOf(bytes);
  let p = 0;
  let needed = 0;
  while (tiles.y < rect.height) {
    const width = Math.min(HEXTILE_SIDE, rect.width - tiles.x);
    const height = Math.min(HEXTILE_SIDE, rect.height - tiles.y);
    needed = tileBytes(bytes, p, width * height, code.sizeBytes);
    if (p + needed > bytes.length) break;
    paintTile(code, bytes, view, p, to, rect.x + tiles.x, rect.y + tiles.y, width, height, tiles);
    p += needed;
    tiles.x += HEXTILE_SIDE;
    if (tiles.x >= rect.width) {
      tiles.x = 0;
      tiles.y += HEXTILE_SIDE;
    }
  }
  from.skip(p);
  return needed;
}

/** How long the tile at `p` is, as far as its bytes are there to tell: at least one more than there are. */
function tileBytes(bytes: Uint8Array, p: number, area: number, pixelBytes: number): number {
  if (p >= bytes.length) return 1;
  const kind = bytes[p]!;
  if (kind & HEXTILE.raw) return 1 + area * pixelBytes;
  let size = 1;
  if (kind & HEXTILE.backgroundSpecified) size += pixelBytes;
  if (kind & HEXTILE.foregroundSpecified) size += pixelBytes;
  if ((kind & HEXTILE.anySubrects) === 0) return size;
  if (p + size >= bytes.length) return size + 1;
  const subrectBytes = kind & HEXTILE.subrectsColoured ? pixelBytes + 2 : 2;
  return size + 1 + bytes[p + size]! * subrectBytes;
}

function paintTile(
  code: PixelCode,
  bytes: Uint8Array,
  view: DataView,
  start: number,
  to: Framebuffer,
  x: number,
  y: number,
  width: number,
  height: number,
  colours: Tiles,
): void {
  let p = start;
  const kind = bytes[p++]!;
  if (kind & 0xe0) throw badData(`hextile subencoding ${kind}, expected at most 31`);
  const { words, width: stride } = to;
  const origin = y * stride + x;
  if (kind & HEXTILE.raw) {
    if (code.isRgb && code.sizeBytes === BYTES_PER_PIXEL) {
      paintRgbx(view, p, words, { first: origin, stride, width, rows: height });
      return;
    }
    const rowBytes = width * code.sizeBytes;
    const end = origin + height * stride;
    for (let row = origin; row < end; row += stride, p += rowBytes) code.read(bytes, p, words, row, width);
    return;
  }
  if (kind & HEXTILE.backgroundSpecified) {
    colours.background = code.word(bytes, p) | 0;
    p += code.sizeBytes;
  }
  if (kind & HEXTILE.foregroundSpecified) {
    colours.foreground = code.word(bytes, p) | 0;
    p += code.sizeBytes;
  }
  const background = colours.background;
  if (background === null) throw badData("hextile tile without background, expected one in the first tile");
  for (let row = origin; row < origin + height * stride; row += stride) {
    for (let i = row; i < row + width; i++) words[i] = background;
  }
  if ((kind & HEXTILE.anySubrects) === 0) return;
  const count = bytes[p++]!;
  if ((kind & HEXTILE.subrectsColoured) === 0) {
    const foreground = colours.foreground;
    if (foreground === null) {
      throw badData("hextile subrectangles without foreground, expected one in the first such tile");
    }
    for (let n = 0; n < count; n++, p += 2) {
      paintSubrect(words, origin, stride, width, height, view.getUint16(p), foreground);
    }
  } else if (code.isRgb && code.sizeBytes === BYTES_PER_PIXEL) {
    for (let n = 0; n < count; n++, p += 6) {
      const colour = view.getInt32(p, true) | OPAQUE;
      paintSubrect(words, origin, stride, width, height, view.getUint16(p + 4), colour);
    }
  } else {
    const { sizeBytes } = code;
    for (let n = 0; n < count; n++, p += sizeBytes + 2) {
      const colour = code.word(bytes, p) | 0;
      paintSubrect(words, origin, stride, width, height, view.getUint16(p + sizeBytes), colour);
    }
  }
}

/**
 * `place`: U4 x, U4 y, U4 width - 1, U4 height - 1. Most are one pixel of a letter's edge. What lies beyond the tile is
 * left out, as viewers do that get along with servers that send it (noVNC).
 */
function paintSubrect(
  words: Uint32Array,
  origin: number,
  stride: number,
  width: number,
  height: number,
  place: number,
  colour: number,
): void {
  const left = place >> 12;
  const top = (place >> 8) & 15;
  if (left >= width || top >= height) return;
  const across = Math.min((place >> 4) & 15, width - 1 - left);
  const down = Math.min(place & 15, height - 1 - top);
  const first = origin + top * stride + left;
  words[first] = colour;
  if ((place & 255) === 0) return;
  for (let row = first, end = first + down * stride; row <= end; row += stride) {
    for (let i = row; i <= row + across; i++) words[i] = colour;
  }
}
