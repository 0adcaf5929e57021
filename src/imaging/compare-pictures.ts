import pixelmatch from "pixelmatch";
import type { Rect, Size } from "../framebuffer/rect.ts";

/** R, G, B, A of a whole picture, without padding between rows. */
export interface ComparedPicture extends Size {
  readonly rgba: Uint8ClampedArray;
}

/** How two pictures of one size differ. */
export interface PictureDifference {
  /** Pixels that are not the same. */
  readonly exactPixels: number;
  /** Pixels that a person sees as different; antialiasing does not count. */
  readonly perceptualPixels: number;
  /** Of the exact difference; null where there is none. */
  readonly bounds: Rect | null;
  /** The first picture, faded, with what a person sees in red. */
  readonly image: ComparedPicture;
}

/** `threshold`: 0 to 1, pixelmatch's own; smaller sees more. Throws a RangeError for pictures of different sizes. */
export function comparePictures(a: ComparedPicture, b: ComparedPicture, threshold = 0.1): PictureDifference {
  const { width, height } = a;
  if (b.width !== width || b.height !== height) {
    throw new RangeError(`pictures of ${width}x${height} and ${b.width}x${b.height}: expected one size`);
  }
  const { exactPixels, bounds } = compareExactly(a, b);
  const rgba = new Uint8ClampedArray(width * height * 4);
  const perceptualPixels = pixelmatch(a.rgba, b.rgba, rgba, width, height, { threshold });
  return { exactPixels, perceptualPixels, bounds, image: { width, height, rgba } };
}

function compareExactly(
  { rgba, width, height }: ComparedPicture,
  other: ComparedPicture,
): Pick<PictureDifference, "exactPixels" | "bounds"> {
  const a = new Uint32Array(rgba.buffer, rgba.byteOffset, width * height);
  const b = new Uint32Array(other.rgba.buffer, other.rgba.byteOffset, width * height);
  let count = 0;
  let left = width;
  let right = -1;
  let top = height;
  let bottom = -1;
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      if (a[i] === b[i]) continue;
      count++;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      bottom = y;
    }
  }
  const bounds = count === 0 ? null : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
  return { exactPixels: count, bounds };
}
