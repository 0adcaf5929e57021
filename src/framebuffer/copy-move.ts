import type { CopyMove } from "./picture.ts";
import type { Rect } from "./rect.ts";
import { Region } from "./region.ts";

export function sourceOf({ fromX, fromY, to }: CopyMove): Rect {
  return { x: fromX, y: fromY, width: to.width, height: to.height };
}

/** All that moves paint over. */
export function targetsOf(moves: readonly CopyMove[]): Region {
  return moves.length === 0 ? Region.empty : Region.from(moves.map(({ to }) => to));
}
