import { type Framebuffer, OPAQUE } from "../../framebuffer/framebuffer.ts";
import type { Rect, Size } from "../../framebuffer/rect.ts";
import { badData } from "../rfb/encodings/bad-data.ts";

/**
 * In video mode the server sends images smaller than their rectangle, never larger (KasmVNC 1.5.0, 2026-11-21).
 * Checked from an image's header, before anything is decoded. Throws RfbError `bad_data`.
 */
export function checkImageSize(name: string, { width, height }: Size, rect: Rect): void {
  if (width >= 1 && height >= 1 && width <= rect.width && height <= rect.height) return;
  throw badData(
    `${name} of ${width}x${height}, expected 1x1 to ${rect.width}x${rect.height} as the rectangle`,
  );
}

/** Paints `words` (width x height pixels, alpha ignored) over the whole rectangle, each pixel the nearest. */
export function paintStretched(
  words: Uint32Array,
  { width, height }: Size,
  to: Framebuffer,
  rect: Rect,
): void {
  const target = to.words;
  const columns = new Uint32Array(rect.width);
  for (let x = 0; x < rect.width; x++) columns[x] = Math.floor((x * width) / rect.width);
  for (let y = 0; y < rect.height; y++) {
    const source = Math.floor((y * height) / rect.height) * width;
    const row = (rect.y + y) * to.width + rect.x;
    for (let x = 0; x < rect.width; x++) target[row + x] = OPAQUE | words[source + columns[x]!]!;
  }
}

/** Pixels R, G, B, A as words; a copy only where they do not lie on a word's boundary. */
export function wordsOf(rgba: Uint8Array): Uint32Array {
  const isAligned = rgba.byteOffset % 4 === 0;
  const bytes = isAligned ? rgba : rgba.slice();
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
}
