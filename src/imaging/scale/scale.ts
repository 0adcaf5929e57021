import { BYTES_PER_PIXEL, isAcceptableSize } from "../../framebuffer/framebuffer.ts";
import type { Picture, Pixels } from "../../framebuffer/picture.ts";
import type { Rect, Size } from "../../framebuffer/rect.ts";
import { Slice } from "../../platform/loop-turns.ts";
import type { RgbaImage } from "../../protocols/platform.ts";
import { checkRect, copyPixels, pictureOf, wordsOf } from "../pixels.ts";
import { beginScaling, type Scaling, scaleBlock } from "./scale-block.ts";

/** Lines made between two looks at the clock. */
const BAND_LINES = 16;

/**
 * One rectangle of a picture at another size, as a picture of its own. The pixels are copied before this
 * returns, then scaled with pauses for others. Throws a RangeError as `scalePixels` does.
 */
export async function scalePicture(picture: Picture, rect: Rect, to: Size): Promise<Picture> {
  checkRect(picture, rect);
  checkSizes(rect, to);
  const bytes = copyPixels(picture.pixels(rect), rect.width, rect.height);
  const scaling = beginScaling(rect, to);
  const source = wordsOf(
    { bytes, offset: 0, strideBytes: rect.width * BYTES_PER_PIXEL },
    rect.width,
    rect.height,
  );
  const slice = new Slice("claimed");
  for (let line = 0; line < to.height; line += BAND_LINES) {
    if (line > 0 && slice.isOver) await slice.next();
    const height = Math.min(BAND_LINES, to.height - line);
    scaleBlock(scaling, source, { x: 0, y: line, width: to.width, height });
  }
  return pictureOf(imageOf(scaling));
}

/**
 * Opaque pixels at another size: each new pixel is the mean of the area it covers, parts of pixels by their share,
 * rounded to nearest. Throws a RangeError for an unacceptable size.
 */
export function scalePixels(from: Pixels, size: Size, to: Size): RgbaImage {
  checkSizes(size, to);
  const scaling = beginScaling(size, to);
  scaleBlock(scaling, wordsOf(from, size.width, size.height), {
    x: 0,
    y: 0,
    width: to.width,
    height: to.height,
  });
  return imageOf(scaling);
}

function checkSizes(size: Size, to: Size): void {
  if (isAcceptableSize(to)) return;
  throw new RangeError(
    `scaling ${size.width}x${size.height} to ${to.width}x${to.height} pixels refused: expected a size of at least 1x1`,
  );
}

function imageOf({ target, columns, lines }: Scaling): RgbaImage {
  return { width: columns.first.length, height: lines.first.length, rgba: new Uint8Array(target.buffer) };
}
