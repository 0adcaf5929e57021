import { CELL } from "./publish.ts";
import { areaOfRect, boundRects, isEmptyRect, type Rect } from "./rect.ts";

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
  const pairs = new Pairs(rects);
  for (;;) {
    const pair = pairs.best;
    if (pair === null) return pairs.rects;
    const isCheap = pair.waste <= SMALL_WASTE || pair.waste <= WASTE_SHARE * areaOfRect(pair.joined);
    if (!isCheap && pairs.count <= most) return pairs.rects;
    pairs.join(pair);
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

interface Pair {
  readonly first: number;
  readonly second: number;
  readonly joined: Rect;
  readonly waste: number;
}

/**
 * Rectangles of which two at a time become one. Each knows with which of those after it it lies best: to look at all pairs for
 * each that is joined took tens of milliseconds, of as many rectangles as are paired.
 */
class Pairs {
  /** null: it became one with another. */
  readonly #rects: (Rect | null)[];
  /** With which rectangle after it each makes the least waste, and how much; -1: none is after it. */
  readonly #partners: number[];
  readonly #wastes: number[];
  count: number;

  constructor(rects: readonly Rect[]) {
    this.#rects = [...rects];
    this.#partners = rects.map(() => -1);
    this.#wastes = rects.map(() => Number.POSITIVE_INFINITY);
    this.count = rects.length;
    for (let at = 0; at < rects.length; at++) this.#pair(at);
  }

  get rects(): Rect[] {
    return this.#rects.filter((one) => one !== null);
  }

  /** The two that make the least of what is in neither; null where there are not two. */
  get best(): Pair | null {
    let first = -1;
    for (let at = 0; at < this.#rects.length; at++) {
      if (this.#partners[at]! >= 0 && (first < 0 || this.#wastes[at]! < this.#wastes[first]!)) first = at;
    }
    const second = this.#partners[first] ?? -1;
    const [a, b] = [this.#rects[first] ?? null, this.#rects[second] ?? null];
    if (a === null || b === null) return null;
    return { first, second, joined: boundRects(a, b), waste: this.#wastes[first]! };
  }

  /** What was joined is the last one from now on. */
  join({ first, second, joined }: Pair): void {
    const added = this.#rects.length;
    for (const gone of [first, second]) {
      this.#rects[gone] = null;
      this.#partners[gone] = -1;
    }
    this.#rects.push(joined);
    this.#partners.push(-1);
    this.#wastes.push(Number.POSITIVE_INFINITY);
    this.count--;
    for (let at = 0; at < added; at++) {
      const one = this.#rects[at] ?? null;
      if (one === null) continue;
      const partner = this.#partners[at];
      if (partner === first || partner === second) this.#pair(at);
      else this.#offer(at, one, added, joined);
    }
  }

  #pair(at: number): void {
    const one = this.#rects[at] ?? null;
    this.#partners[at] = -1;
    this.#wastes[at] = Number.POSITIVE_INFINITY;
    if (one === null) return;
    for (let other = at + 1; other < this.#rects.length; other++) {
      const next = this.#rects[other] ?? null;
      if (next !== null) this.#offer(at, one, other, next);
    }
  }

  #offer(at: number, one: Rect, other: number, next: Rect): void {
    const waste = wasteOf(one, next);
    if (waste >= this.#wastes[at]!) return;
    this.#partners[at] = other;
    this.#wastes[at] = waste;
  }
}

/** Pixels of the rectangle around two that are in neither; less than none where they overlap. */
function wasteOf(a: Rect, b: Rect): number {
  if (isEmptyRect(a) || isEmptyRect(b)) return 0;
  const width = Math.max(a.x + a.width, b.x + b.width) - Math.min(a.x, b.x);
  const height = Math.max(a.y + a.height, b.y + b.height) - Math.min(a.y, b.y);
  return width * height - a.width * a.height - b.width * b.height;
}
