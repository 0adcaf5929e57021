import { BYTES_PER_PIXEL } from "../framebuffer/framebuffer.ts";
import type { Picture } from "../framebuffer/picture.ts";
import type { Rect } from "../framebuffer/rect.ts";
import type { JpegCodec } from "../protocols/platform.ts";
import { checkQuality, checkRect, copyPixels } from "./pixels.ts";

/**
 * The JPEG of one rectangle, read from the picture's rows without a copy; quality 1 to 100.
 * Throws a RangeError for another quality and for a rectangle that is empty or leaves the picture.
 */
export function encodeJpeg(codec: JpegCodec, picture: Picture, rect: Rect, quality: number): Uint8Array {
  checkQuality(quality);
  checkRect(picture, rect);
  const { bytes, offset, strideBytes } = picture.pixels(rect);
  return codec.encode(bytes.subarray(offset), rect.width, rect.height, strideBytes, quality);
}

/** As `encodeJpeg` in another thread, where the codec has one; the pixels are taken before this returns. */
export async function encodeJpegAside(
  codec: JpegCodec,
  picture: Picture,
  rect: Rect,
  quality: number,
): Promise<Uint8Array> {
  if (codec.encodeAside === undefined) return encodeJpeg(codec, picture, rect, quality);
  checkQuality(quality);
  checkRect(picture, rect);
  const { width, height } = rect;
  const rgba = copyPixels(picture.pixels(rect), width, height);
  return await codec.encodeAside(rgba, width, height, width * BYTES_PER_PIXEL, quality);
}
