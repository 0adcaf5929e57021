import { BYTES_PER_PIXEL } from "../framebuffer/framebuffer.ts";
import type { Picture, Pixels } from "../framebuffer/picture.ts";
import { holdsRect, type Rect, rectOfSize, type Size, translateRect } from "../framebuffer/rect.ts";
import type { RgbaImage } from "../protocols/platform.ts";

/** Pixels as 0xAABBGGRR words: the top left one at `start`, `stride` words a row. */
export interface PixelWords {
  readonly words: Uint32Array;
  readonly start: number;
  readonly stride: number;
}

/** The same memory as words, or, where it does not lie on word boundaries, a copy. */
export function wordsOf(pixels: Pixels, width: number, height: number): PixelWords {
  const { bytes, offset, strideBytes } = pixels;
  const first = bytes.byteOffset + offset;
  if (first % 4 === 0 && strideBytes % 4 === 0) {
    const stride = strideBytes / 4;
    return { words: new Uint32Array(bytes.buffer, first, (height - 1) * stride + width), start: 0, stride };
  }
  const rgba = copyPixels(pixels, width, height);
  return { words: new Uint32Array(rgba.buffer), start: 0, stride: width };
}

/** A copy without padding between rows. */
export function copyPixels(from: Pixels, width: number, height: number): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(width * BYTES_PER_PIXEL * height);
  copyRows(from, width, height, copy);
  return copy;
}

/** Copies rows to the beginning of `into`, without padding between them. */
export function copyRows(from: Pixels, width: number, height: number, into: Uint8Array): void {
  const rowBytes = width * BYTES_PER_PIXEL;
  for (let y = 0; y < height; y++) {
    const start = from.offset + y * from.strideBytes;
    into.set(from.bytes.subarray(start, start + rowBytes), y * rowBytes);
  }
}

/** An image in memory as a Picture, so that it can be encoded. `pixels` is never a copy. */
export function pictureOf(image: RgbaImage): Picture {
  const strideBytes = image.width * BYTES_PER_PIXEL;
  return {
    width: image.width,
    height: image.height,
    pixels(rect) {
      checkRect(image, rect);
      return { bytes: image.rgba, offset: rect.y * strideBytes + rect.x * BYTES_PER_PIXEL, strideBytes };
    },
  };
}

/** A picture has another size than it had when it was begun to be read: who asked for it asks again. */
export class ResizedError extends Error {
  override readonly name = "ResizedError";

  constructor(was: Size, is: Size) {
    super(`the picture was ${was.width}x${was.height} and is ${is.width}x${is.height} pixels`);
  }
}

/** One rectangle of a picture, as that is at each call of `pixels`, which throws ResizedError once it has another size. */
export function cropOf(picture: Picture, rect: Rect): Picture {
  checkRect(picture, rect);
  const was = { width: picture.width, height: picture.height };
  const { composition } = picture;
  return {
    width: rect.width,
    height: rect.height,
    pixels(r) {
      if (!equalSizes(was, picture)) throw new ResizedError(was, picture);
      return picture.pixels(translateRect(r, rect.x, rect.y));
    },
    composition: composition && {
      below: cropOf(composition.below, rect),
      over() {
        const draw = composition.over();
        return (r, rgba) => draw(translateRect(r, rect.x, rect.y), rgba);
      },
    },
  };
}

export function equalSizes(a: Size, b: Size): boolean {
  return a.width === b.width && a.height === b.height;
}

/** Throws a RangeError where the rectangle is empty or not wholly within the picture. */
export function checkRect(picture: Size, rect: Rect): void {
  const { x, y, width, height } = rect;
  if (width >= 1 && height >= 1 && holdsRect(rectOfSize(picture), rect)) return;
  throw new RangeError(
    `rectangle ${width}x${height} at ${x},${y} refused: expected at least 1x1 within ${picture.width}x${picture.height}`,
  );
}

/** Throws a RangeError where a quality is not a whole number of 1 to 100. */
export function checkQuality(quality: number): void {
  if (Number.isInteger(quality) && quality >= 1 && quality <= 100) return;
  throw new RangeError(`quality ${quality} refused: expected a whole number of 1 to 100`);
}
