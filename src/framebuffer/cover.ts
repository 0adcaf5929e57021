import { CELL } from "./publish.ts";
import { areaOfRect, boundRects, type Rect } from "./rect.ts";

/** Two rectangles become one where what lies between them is at most this many pixels … */
const SMALL_WASTE = 1024;
/** … or at most this share of the one. */
const WASTE_SHARE = 0.2;
/** More rectangles than this are first joined by the square they lie in: all pairs of them cost too much. */
const MOST_PAIRED = 192;

/**
 * At most `most` rectangles that together hold all of `parts`, and little else: neighbours become one, and where there
 * are still too many, those that lie best together.
 */
export function coverOf(parts: readonly Rect[], most: number): Rect[] {
  let rects = [...parts];
  for (let side = 2 * CELL; rects.length > MOST_PAIRED; side *= 2) rects = joinBySquare(rects, side);
  for (;;) {
    const pair = bestPair(rects);
    if (pair === null) return rects;
    const { i, j, joined, waste } = pair;
    const isCheap = waste <= SMALL_WASTE || waste <= WASTE_SHARE * areaOfRect(joined);
    if (!isCheap && rects.length <= most) return rects;
    rects = rects.filter((_, index) => index !== i && index !== j);
    rects.push(joined);
  }
}

function joinBySquare(rects: readonly Rect[], side: number): Rect[] {
  const squares = new Map<string, Rect>();
  for (const r of rects) {
    const key = `${Math.floor(r.x / side)},${Math.floor(r.y / side)}`;
    const known = squares.get(key);
    squares.set(key, known === undefined ? r : boundRects(known, r));
  }
  return [...squares.values()];
}

/** The two that make the least of what is in neither; null where there are not two. */
function bestPair(rects: readonly Rect[]) {
  let best: { i: number; j: number; joined: Rect; waste: number } | null = null;
  for (let i = 0; i < rects.length; i++) {
    const a = rects[i]!;
    for (let j = i + 1; j < rects.length; j++) {
      const b = rects[j]!;
      const joined = boundRects(a, b);
      const waste = areaOfRect(joined) - areaOfRect(a) - areaOfRect(b);
      if (best === null || waste < best.waste) best = { i, j, joined, waste };
    }
  }
  return best;
}
