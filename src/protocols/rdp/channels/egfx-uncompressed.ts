import { type Framebuffer, OPAQUE } from "../../../framebuffer/framebuffer.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import { cutOff } from "../codecs/bad-data.ts";

/** Pixels of 4 bytes, blue first, rows top down (MS-RDPEGFX 2.2.2.1, RDPGFX_CODECID_UNCOMPRESSED). */
export function paintUncompressed(data: Uint8Array, to: Framebuffer, rect: Rect): void {
  const { x, y, width, height } = rect;
  if (data.length < width * height * 4) throw cutOff("uncompressed");
  let from = 0;
  for (let row = y; row < y + height; row++) {
    const start = row * to.width + x;
    for (let at = start; at < start + width; at++, from += 4) {
      to.words[at] = (data[from + 2]! | (data[from + 1]! << 8) | (data[from]! << 16) | OPAQUE) >>> 0;
    }
  }
}
