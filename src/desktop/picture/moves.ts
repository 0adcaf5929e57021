import { sourceOf } from "../../framebuffer/copy-move.ts";
import type { CopyMove } from "../../framebuffer/picture.ts";
import {
  areaOfRect,
  boundRects,
  EMPTY_RECT,
  intersectRects,
  isEmptyRect,
  type Rect,
  translateRect,
} from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import type { Change } from "../view.ts";

/** Moves become one where that makes at most so many pixels be painted besides … */
const LITTLE_PIXELS = 8192;
/** … or this share of what moves. */
const LITTLE_SHARE = 1 / 16;

/** Where a part of a picture lies after a move: what it was moved over is gone, what was moved is there twice. */
export function carried(part: Region, move: CopyMove): Region {
  if (part.isEmpty) return part;
  const { fromX, fromY, to } = move;
  const moved = part.clip(sourceOf(move)).translate(to.x - fromX, to.y - fromY);
  return part.subtract(Region.of(to)).union(moved);
}

function isLittle(pixels: number, of: Rect): boolean {
  return pixels <= Math.max(LITTLE_PIXELS, areaOfRect(of) * LITTLE_SHARE);
}

/**
 * Two changes as one. What the first paints is carried along by the moves of the second, so that moves stay moves
 * however much waits.
 *
 * INVARIANT: of a picture that was right before the first change, all pixels outside `painted` are right once the moves
 * were made.
 */
export function composeChanges(first: Change, second: Change): Change {
  if (first.copies.length === 0 && first.painted.isEmpty) return second;
  let painted = first.painted;
  const copies = [...first.copies];
  for (const move of second.copies) {
    painted = carried(painted, move);
    const last = copies.pop();
    const both = last === undefined ? null : foldMoves(last, move, painted);
    if (both !== null) {
      painted = painted.union(both.painted);
      if (!isEmptyRect(both.move.to)) copies.push(both.move);
      continue;
    }
    if (last !== undefined) copies.push(last);
    copies.push(move);
  }
  painted = painted.union(second.painted);
  // Nothing is seen of a move over what is painted anyway.
  for (let last = copies.at(-1); last !== undefined && painted.holds(last.to); last = copies.at(-1)) {
    copies.pop();
  }
  return { painted, copies };
}

/** Two moves as one, with what is to be painted for it; null where that is much. */
function foldMoves(
  first: CopyMove,
  second: CopyMove,
  painted: Region,
): { readonly move: CopyMove; readonly painted: Region } | null {
  const { fromX, fromY, to } = second;
  const [dx, dy] = [to.x - fromX, to.y - fromY];
  const both = intersectRects(to, translateRect(first.to, dx, dy));
  const besides = Region.of(to)
    .subtract(Region.of(both))
    .union(Region.of(first.to).subtract(Region.of(to)))
    .subtract(painted);
  if (!isLittle(besides.area, boundRects(first.to, to))) return null;
  if (isEmptyRect(both)) return { move: { fromX: 0, fromY: 0, to: EMPTY_RECT }, painted: besides };
  const move = {
    fromX: both.x - dx - (first.to.x - first.fromX),
    fromY: both.y - dy - (first.to.y - first.fromY),
    to: both,
  };
  return { move, painted: besides };
}
