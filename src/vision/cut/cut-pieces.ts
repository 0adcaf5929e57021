import { type Box, heightOf } from "./box.ts";
import { connectedInk } from "./components.ts";
import type { InkMask } from "./ink-mask.ts";
import { joinParts, type LinePiece } from "./line-pieces.ts";
import type { PixelPicture } from "./pixel-picture.ts";
import { TALLEST_BRIDGE, withoutBridges } from "./row-bridges.ts";
import { TALLEST_COMPONENT, textParts } from "./text-parts.ts";

/** Rows of a picture, half-open. */
export interface Rows {
  readonly top: number;
  readonly bottom: number;
}

export interface CutPieces {
  /** What may be lines and has a pixel in the rows that were wanted. */
  readonly pieces: readonly LinePiece[];
  /** Connected ink in and around these rows, none of which is cut off where that decides what it is. */
  readonly components: readonly Box[];
}

/** Rows around those wanted that are looked at as well: what a line may reach over and be joined with, or cut by. */
const MARGIN = TALLEST_BRIDGE;

/** As high as letters of a page. */
const FIRST_MORE = 32;

export const meets = (box: Rows, rows: Rows): boolean => box.top < rows.bottom && box.bottom > rows.top;

/** Cuts rows of a picture and some around them, where a line may be cut otherwise than with all of the picture. */
export function cutPieces(picture: PixelPicture, mask: InkMask, wanted: Rows): CutPieces {
  const components = completeComponents(picture, mask, wanted);
  const parts = components.flatMap((component) => textParts(picture, component));
  return {
    pieces: joinParts(picture, withoutBridges(picture, parts)).filter((piece) => meets(piece, wanted)),
    components,
  };
}

function completeComponents({ width, height }: PixelPicture, mask: InkMask, wanted: Rows): Box[] {
  const near = { top: wanted.top - MARGIN, bottom: wanted.bottom + MARGIN };
  let top = Math.max(0, near.top);
  let bottom = Math.min(height, near.bottom);
  // Rows more, each time as many again: in a page of text some letter is always cut, and a few rows complete it.
  for (let more = FIRST_MORE; ; more *= 2) {
    const found = connectedInk(mask.bytes, width, top, bottom).filter((box) => meets(box, near));
    const cut = found.filter(
      (box) => (box.top === top || box.bottom === bottom) && heightOf(box) <= TALLEST_COMPONENT,
    );
    const isCutAbove = top > 0 && cut.some((box) => box.top === top);
    const isCutBelow = bottom < height && cut.some((box) => box.bottom === bottom);
    if (!isCutAbove && !isCutBelow) return found;
    if (isCutAbove) top = Math.max(0, top - more);
    if (isCutBelow) bottom = Math.min(height, bottom + more);
  }
}
