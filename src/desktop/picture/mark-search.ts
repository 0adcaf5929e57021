import type { Picture } from "../../framebuffer/picture.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { nextTurn } from "../../platform/loop-turns.ts";

/** Channels of 0 to 255. */
export interface Colour {
  readonly r: number;
  readonly g: number;
  readonly b: number;
}

export interface Marked {
  /** What holds all pixels of the colour. */
  readonly rect: Rect;
  readonly pixels: number;
}

/** Rows that are looked through in one turn of the loop. */
const ROWS = 128;

/** Where a picture has exactly this colour; null: nowhere. */
export async function findColour(
  picture: Pick<Picture, "width" | "height" | "pixels">,
  { r, g, b }: Colour,
): Promise<Marked | null> {
  const { width, height } = picture;
  let [left, top, right, bottom, pixels] = [width, height, -1, -1, 0];
  for (let from = 0; from < height; from += ROWS) {
    const rows = Math.min(ROWS, height - from);
    const { bytes, offset, strideBytes } = picture.pixels({ x: 0, y: from, width, height: rows });
    for (let row = 0; row < rows; row++) {
      let at = offset + row * strideBytes;
      for (let x = 0; x < width; x++, at += 4) {
        if (bytes[at] !== r || bytes[at + 1] !== g || bytes[at + 2] !== b) continue;
        pixels++;
        if (x < left) left = x;
        if (x > right) right = x;
        if (from + row < top) top = from + row;
        bottom = from + row;
      }
    }
    await nextTurn();
  }
  return pixels === 0
    ? null
    : { rect: { x: left, y: top, width: right - left + 1, height: bottom - top + 1 }, pixels };
}
