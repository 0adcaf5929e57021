import { decodePicture, encodePicture, type RgbaPixels } from "../../compositor/picture-file.ts";
import type { ImageFormat } from "../../desktop/view.ts";
import type { Picture } from "../../framebuffer/picture.ts";
import { intersectRects, type Rect, rectOfSize, type Size } from "../../framebuffer/rect.ts";
import { scalePicture } from "../../imaging/scale/scale.ts";

/** Letters end softly, and where an image was made smaller they reach into the pixels around. */
const BLUR = 2;

/**
 * A native-size PNG of `region` with rectangles of the desktop blackened, as `format` and of `size`. What is under
 * them is gone before the picture is made smaller, so that nothing of it is mixed into the pixels around.
 */
export async function scrub(
  png: Uint8Array,
  region: Rect,
  masks: readonly Rect[],
  size: Size,
  format: ImageFormat,
): Promise<Uint8Array> {
  const whole = await decodePicture(png);
  for (const mask of masks) blacken(whole, intersectRects(mask, region), region);
  if (size.width === whole.width && size.height === whole.height) return encodePicture(whole, format);
  const small = await scalePicture(pictureOf(whole), rectOfSize(whole), size);
  const { bytes, offset, strideBytes } = small.pixels(rectOfSize(size));
  const rgba = new Uint8ClampedArray(size.width * size.height * 4);
  for (let y = 0; y < size.height; y++) {
    const from = offset + y * strideBytes;
    rgba.set(bytes.subarray(from, from + size.width * 4), y * size.width * 4);
  }
  return encodePicture({ ...size, rgba }, format);
}

/** A picture of ours as a PNG with rectangles of it, and the pixels right around them, black. */
export async function blackened(file: Uint8Array, rects: readonly Rect[]): Promise<Uint8Array> {
  const whole = await decodePicture(file);
  const bounds = rectOfSize(whole);
  for (const { x, y, width, height } of rects) {
    const grown = { x: x - BLUR, y: y - BLUR, width: width + 2 * BLUR, height: height + 2 * BLUR };
    blacken(whole, intersectRects(grown, bounds), bounds);
  }
  return encodePicture(whole, "png");
}

function blacken({ rgba, width }: RgbaPixels, mask: Rect, region: Rect): void {
  const words = new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.length / 4);
  for (let y = mask.y; y < mask.y + mask.height; y++) {
    const from = (y - region.y) * width + mask.x - region.x;
    words.fill(0xff000000, from, from + mask.width);
  }
}

function pictureOf({ width, height, rgba }: RgbaPixels): Picture {
  const bytes = new Uint8Array(rgba.buffer, rgba.byteOffset, rgba.byteLength);
  const strideBytes = width * 4;
  return {
    width,
    height,
    pixels: ({ x, y }) => ({ bytes, offset: y * strideBytes + x * 4, strideBytes }),
  };
}
