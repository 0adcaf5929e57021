import { promisify } from "node:util";
import { deflate, deflateSync } from "node:zlib";
import type { Picture } from "../framebuffer/picture.ts";
import type { Rect } from "../framebuffer/rect.ts";
import { checkRect } from "./pixels.ts";
import { PNG_END, pngChunk, pngHead } from "./png-chunk.ts";
import { filterPixels } from "./png-rows.ts";

const deflateAside = promisify(deflate);

/** Up to so many bytes compression takes less time here than the way to another thread and back. */
const SMALL_BYTES = 256 * 1024;

/** Rows that share a filter. */
const BAND_ROWS = 32;

const OPTIONS = { level: 1, memLevel: 9 } as const;

/**
 * The PNG of one rectangle, once: RGB, 8 bits a channel, exact. The pixels are taken before this returns.
 * Throws a RangeError for a rectangle that is empty or leaves the picture.
 */
export async function encodePng(picture: Picture, rect: Rect): Promise<Buffer> {
  checkRect(picture, rect);
  const filtered = filter(picture, rect);
  const isSmall = filtered.length <= SMALL_BYTES;
  const data = isSmall ? deflateSync(filtered, OPTIONS) : await deflateAside(filtered, OPTIONS);
  return Buffer.concat([pngHead(rect), pngChunk("IDAT", data), PNG_END]);
}

function filter(picture: Picture, { x, y, width, height }: Rect): Uint8Array {
  const out = new Uint8Array((1 /* filter type */ + 3 * width) * height);
  let at = 0;
  for (let top = 0; top < height; top += BAND_ROWS) {
    const count = Math.min(BAND_ROWS, height - top);
    const { bytes } = filterPixels(picture.pixels({ x, y: y + top, width, height: count }), width, count);
    out.set(bytes, at);
    at += bytes.length;
  }
  return out;
}
