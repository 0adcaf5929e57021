import type { CopyMove } from "./picture.ts";
import { areaOfRect, intersectRects, type Rect } from "./rect.ts";
import { Region } from "./region.ts";

export function sourceOf({ fromX, fromY, to }: CopyMove): Rect {
  return { x: fromX, y: fromY, width: to.width, height: to.height };
}

/** All that moves paint over. */
export function targetsOf(moves: readonly CopyMove[]): Region {
  return moves.length === 0 ? Region.empty : Region.from(moves.map(({ to }) => to));
}

/** How many pixels moves take from a place and bring to it. */
export function movedArea(moves: readonly CopyMove[], place: Rect): number {
  const ends = moves.flatMap((move) => [move.to, sourceOf(move)]);
  return ends.reduce((sum, end) => sum + areaOfRect(intersectRects(end, place)), 0);
}
