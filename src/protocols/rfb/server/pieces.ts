import { areaOfRect, holdsRect, joinNear, overlapRects, type Rect } from "../../../framebuffer/rect.ts";
import { Region } from "../../../framebuffer/region.ts";
import { cutRect } from "./rect-encoder.ts";

/** What lies between two rectangles is sent along where it is no more than this: a rectangle of its own costs as much. */
const NEAR_PIXELS = 1024;

/**
 * What is sent of a region, cut for every viewer's decoder; what lies near each other as one, where all that was asked
 * for. First what was encoded before, for those who are behind by less: so what changed in several places is encoded
 * once for all, in whatever order they ask.
 */
export function piecesOf(region: Region, asked: Region, encoded: readonly Rect[]): readonly Rect[] {
  const { bounds } = region;
  const mayJoin = asked.holds(bounds);
  const pieces: Rect[] = [];
  let left = region;
  /** Those that are still in what is left: taken out together, unless one more overlaps them. */
  let taken: Rect[] = [];
  const takeOut = (): void => {
    left = left.subtract(Region.from(taken));
    taken = [];
  };
  for (const piece of encoded) {
    if (taken.some((other) => overlapRects(other, piece))) takeOut();
    // As where near rectangles are joined, and at most half of it: it is to be of use.
    const mostGap = mayJoin ? Math.min(NEAR_PIXELS, areaOfRect(piece) / 2) : 0;
    if (!holdsRect(bounds, piece) || gapOf(piece, left) > mostGap) continue;
    pieces.push(piece);
    taken.push(piece);
  }
  takeOut();
  const rects = mayJoin ? joinNear(left.rects, NEAR_PIXELS) : left.rects;
  return [...pieces, ...rects.flatMap(cutRect)].sort((a, b) => a.y - b.y || a.x - b.x);
}

/** How many pixels of a rectangle are not of a region. */
function gapOf(rect: Rect, region: Region): number {
  return areaOfRect(rect) - region.areaWithin(rect);
}

/** Begins with the first piece from a row on, so that no change above, however often it comes, starves what is below. */
export function inTurn(pieces: readonly Rect[], y: number): readonly Rect[] {
  const first = y === 0 ? -1 : pieces.findIndex((piece) => piece.y >= y);
  return first <= 0 ? pieces : [...pieces.slice(first), ...pieces.slice(0, first)];
}

/** The pieces up to `from`, and of those after it as many as have so many pixels. */
export function atMost(pieces: readonly Rect[], from: number, pixels: number): readonly Rect[] {
  let left = pixels;
  let end = from;
  for (const piece of pieces.slice(from)) {
    left -= areaOfRect(piece);
    if (left < 0 && end > from) break;
    end++;
  }
  return pieces.slice(0, end);
}
