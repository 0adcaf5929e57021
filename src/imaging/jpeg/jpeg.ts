import type { Picture } from "../../framebuffer/picture.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import type { JpegCodec } from "../../protocols/platform.ts";
import { checkQuality, checkRect } from "../pixels.ts";

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
