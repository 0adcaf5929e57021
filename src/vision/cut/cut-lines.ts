import { type Box, heightOf } from "./box.ts";
import { connectedInk } from "./components.ts";
import { type CutLine, cutLine } from "./cut-line.ts";
import { InkMask } from "./ink-mask.ts";
import { joinParts } from "./line-pieces.ts";
import type { PixelPicture } from "./pixel-picture.ts";
import { TALLEST_COMPONENT, textParts } from "./text-parts.ts";

/** Rows of a picture, half-open. */
export interface Rows {
  readonly top: number;
  readonly bottom: number;
}

/** Beyond so many a picture is no text: the rest is left out. */
const MOST_LINES = 4000;

/** Rows around those wanted that are looked at as well: what a line may reach over and be joined with. */
const MARGIN = 24;

/** The lines of text of a whole picture, from the top, and from the left among those that begin in one row. */
export function cutPicture(picture: PixelPicture): CutLine[] {
  const mask = new InkMask(picture);
  const { width, height } = picture;
  mask.update(picture, { left: 0, top: 0, right: width, bottom: height });
  return cutRows(picture, mask, { top: 0, bottom: height });
}

/** The lines that have a pixel in these rows, as a cut of the whole picture would give them. */
export function cutRows(picture: PixelPicture, mask: InkMask, wanted: Rows): CutLine[] {
  const components = completeComponents(picture, mask, wanted);
  const parts = components.flatMap((component) => textParts(picture, component));
  const lines: CutLine[] = [];
  for (const piece of joinParts(picture, parts)) {
    if (piece.bottom <= wanted.top || piece.top >= wanted.bottom) continue;
    const line = cutLine(picture, piece);
    if (line !== null && line.top < wanted.bottom && line.bottom > wanted.top) lines.push(line);
  }
  return lines.sort((a, b) => a.top - b.top || a.left - b.left).slice(0, MOST_LINES);
}

/** Connected ink in and around rows, with none of it cut off where that decides what it is. */
function completeComponents({ width, height }: PixelPicture, mask: InkMask, wanted: Rows): Box[] {
  const near = { top: wanted.top - MARGIN, bottom: wanted.bottom + MARGIN };
  let top = Math.max(0, near.top);
  let bottom = Math.min(height, near.bottom);
  for (;;) {
    const found = connectedInk(mask.bytes, width, top, bottom);
    const cut = found.filter(
      (box) =>
        (box.top === top || box.bottom === bottom) &&
        heightOf(box) <= TALLEST_COMPONENT &&
        box.bottom > near.top &&
        box.top < near.bottom,
    );
    const isCutAbove = top > 0 && cut.some((box) => box.top === top);
    const isCutBelow = bottom < height && cut.some((box) => box.bottom === bottom);
    if (!isCutAbove && !isCutBelow) return found;
    if (isCutAbove) top = Math.max(0, top - (bottom - top));
    if (isCutBelow) bottom = Math.min(height, bottom + (bottom - top));
  }
}
