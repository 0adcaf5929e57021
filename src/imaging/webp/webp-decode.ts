import sharp from "sharp";
import type { Size } from "../../framebuffer/rect.ts";
import type { RgbaImage } from "../../protocols/platform.ts";

/**
 * The pixels of a WebP image whose header said `size`, decoded in another thread. Rejects where it is damaged or of
 * another size; no memory is taken for more pixels than that.
 */
export async function decodeWebp(bytes: Uint8Array, size: Size): Promise<RgbaImage> {
  const { width, height } = size;
  const { data, info } = await sharp(bytes, { limitInputPixels: width * height, failOn: "error" })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  if (info.width !== width || info.height !== height || info.channels !== 4) {
    throw new Error(`webp decoded to ${info.width}x${info.height}, its header said ${width}x${height}`);
  }
  return { width, height, rgba: data };
}
