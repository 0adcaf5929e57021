import type { Box } from "./box.ts";
import { type CutLine, cutLine } from "./cut-line.ts";
import { cutPieces } from "./cut-pieces.ts";
import { InkMask } from "./ink-mask.ts";
import type { PixelPicture } from "./pixel-picture.ts";

/** Beyond so many a picture is no text: the rest is left out. */
const MOST_LINES = 4000;

/** The lines of text of a whole picture, from the top, and from the left among those that begin in one row. */
export function cutPicture(picture: PixelPicture): CutLine[] {
  const mask = new InkMask(picture);
  const { width, height } = picture;
  const all: Box = { left: 0, top: 0, right: width, bottom: height };
  mask.update(picture, all);
  const { pieces } = cutPieces(picture, mask, all);
  const lines = pieces.flatMap((piece) => cutLine(picture, piece) ?? []);
  return lines.sort((a, b) => a.top - b.top || a.left - b.left).slice(0, MOST_LINES);
}
