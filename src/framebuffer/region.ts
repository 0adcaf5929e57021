import { EMPTY_RECT, holdsRect, isEmptyRect, overlapRects, type Rect } from "./rect.ts";

/** One horizontal band of a region: rows top <= y < bottom, and sorted, disjoint, non-touching x spans. */
interface Band {
  readonly top: number;
  readonly bottom: number;
  /** left0, right0, left1, right1, … */
  readonly spans: readonly number[];
}

type Combine = (inA: boolean, inB: boolean) => boolean;

/**
 * An immutable set of pixels, kept as y-x bands, so two regions of the same pixels hold the same rectangles.
 * Damage is a Region.
 */
export class Region {
  static readonly empty = new Region([]);

  readonly #bands: readonly Band[];
  #bounds: Rect | null = null;

  private constructor(bands: readonly Band[]) {
    this.#bands = bands;
  }

  static of(...rects: readonly Rect[]): Region {
    return Region.from(rects);
  }

  /** The union of any rectangles; they may overlap. */
  static from(rects: readonly Rect[]): Region {
    const bands = bandsOf(rects);
    if (bands !== null) return Region.fromBands(bands);
    let parts: Region[] = [];
    for (const r of rects) if (!isEmptyRect(r)) parts.push(Region.#single(r));
    // Pairwise, so that n rectangles cost n log n band merges and not n squared.
    while (parts.length > 1) {
      const next: Region[] = [];
      for (let i = 0; i < parts.length; i += 2) {
        const a = parts[i];
        const b = parts[i + 1];
        if (a !== undefined) next.push(b === undefined ? a : a.union(b));
      }
      parts = next;
    }
    return parts[0] ?? Region.empty;
  }

  static #single(r: Rect): Region {
    return new Region([{ top: r.y, bottom: r.y + r.height, spans: [r.x, r.x + r.width] }]);
  }

  get isEmpty(): boolean {
    return this.#bands.length === 0;
  }

  /** Disjoint rectangles in reading order, half-open, in desktop pixels. */
  get rects(): Rect[] {
    const rects: Rect[] = [];
    for (const { top, bottom, spans } of this.#bands) {
      for (let i = 0; i + 1 < spans.length; i += 2) {
        const left = spans[i] ?? 0;
        rects.push({ x: left, y: top, width: (spans[i + 1] ?? 0) - left, height: bottom - top });
      }
    }
    return rects;
  }

  /** How many rectangles it takes. */
  get rectCount(): number {
    return this.#bands.reduce((sum, { spans }) => sum + spans.length / 2, 0);
  }

  /** The number of pixels. */
  get area(): number {
    let area = 0;
    for (const { top, bottom, spans } of this.#bands) area += (bottom - top) * lengthOf(spans);
    return area;
  }

  /** The smallest rectangle that holds the region. */
  get bounds(): Rect {
    this.#bounds ??= boundsOf(this.#bands);
    return this.#bounds;
  }

  union(other: Region): Region {
    if (this.isEmpty || other === this || other.#covers(this)) return other;
    if (other.isEmpty || this.#covers(other)) return this;
    return combine(this.#bands, other.#bands, (a, b) => a || b);
  }

  intersect(other: Region): Region {
    if (!overlapRects(this.bounds, other.bounds)) return Region.empty;
    if (other === this || other.#covers(this)) return this;
    if (this.#covers(other)) return other;
    return combine(this.#bands, other.#bands, (a, b) => a && b);
  }

  subtract(other: Region): Region {
    if (!overlapRects(this.bounds, other.bounds)) return this;
    if (other === this || other.#covers(this)) return Region.empty;
    return combine(this.#bands, other.#bands, (a, b) => a && !b);
  }

  /** True where all of a rectangle is of it. */
  holds(r: Rect): boolean {
    if (this.#isOneRect) return holdsRect(this.bounds, r);
    return isEmptyRect(r) || Region.of(r).subtract(this).isEmpty;
  }

  /** True where this is one rectangle that holds all of the other: the usual case of damage within a request. */
  #covers(other: Region): boolean {
    return this.#isOneRect && holdsRect(this.bounds, other.bounds);
  }

  get #isOneRect(): boolean {
    return this.#bands.length === 1 && this.#bands[0]?.spans.length === 2;
  }

  /** The part within one rectangle. */
  clip(r: Rect): Region {
    return this.intersect(Region.of(r));
  }

  /** The number of its pixels within one rectangle. */
  areaWithin(r: Rect): number {
    let area = 0;
    for (const { top, bottom, spans } of this.#bands) {
      const rows = Math.min(bottom, r.y + r.height) - Math.max(top, r.y);
      if (rows <= 0) continue;
      for (let i = 0; i + 1 < spans.length; i += 2) {
        const columns = Math.min(spans[i + 1] ?? 0, r.x + r.width) - Math.max(spans[i] ?? 0, r.x);
        if (columns > 0) area += rows * columns;
      }
    }
    return area;
  }

  overlaps(r: Rect): boolean {
    return this.#bands.some(({ top, bottom, spans }) => {
      if (top >= r.y + r.height || bottom <= r.y || isEmptyRect(r)) return false;
      for (let i = 0; i + 1 < spans.length; i += 2) {
        if ((spans[i] ?? 0) < r.x + r.width && (spans[i + 1] ?? 0) > r.x) return true;
      }
      return false;
    });
  }

  equals(other: Region): boolean {
    const a = this.rects;
    const b = other.rects;
    return a.length === b.length && a.every((r, i) => JSON.stringify(r) === JSON.stringify(b[i]));
  }

  translate(dx: number, dy: number): Region {
    return new Region(
      this.#bands.map(({ top, bottom, spans }) => ({
        top: top + dy,
        bottom: bottom + dy,
        spans: spans.map((x) => x + dx),
      })),
    );
  }

  /** The same region, or, where it has more than `most` rectangles, its bounds: a bound on what a region costs. */
  simplified(most: number): Region {
    return this.rectCount <= most ? this : Region.of(this.bounds);
  }

  static fromBands(bands: readonly Band[]): Region {
    return bands.length === 0 ? Region.empty : new Region(bands);
  }
}

/** The bands of rectangles in reading order, as most lists of them are; null where they are in another, or overlap. */
function bandsOf(rects: readonly Rect[]): readonly Band[] | null {
  let count = 0;
  let top = 0;
  let bottom = Number.NEGATIVE_INFINITY;
  let edges = 0;
  for (const r of rects) {
    if (isEmptyRect(r)) continue;
    if (r.y >= bottom) {
      count = append(count, top, bottom, spansOf(edges));
      top = r.y;
      bottom = top + r.height;
      edges = 0;
    }
    // Those that touch are left to unions.
    if (r.y !== top || top + r.height !== bottom) return null;
    if (edges > 0 && r.x <= (EDGES[edges - 1] ?? 0)) return null;
    EDGES[edges++] = r.x;
    EDGES[edges++] = r.x + r.width;
  }
  count = append(count, top, bottom, spansOf(edges));
  return BANDS.slice(0, count);
}

function lengthOf(spans: readonly number[]): number {
  let length = 0;
  for (let i = 0; i + 1 < spans.length; i += 2) length += (spans[i + 1] ?? 0) - (spans[i] ?? 0);
  return length;
}

function boundsOf(bands: readonly Band[]): Rect {
  const first = bands[0];
  const last = bands.at(-1);
  if (first === undefined || last === undefined) return EMPTY_RECT;
  let left = Number.POSITIVE_INFINITY;
  let right = Number.NEGATIVE_INFINITY;
  for (const { spans } of bands) {
    left = Math.min(left, spans[0] ?? left);
    right = Math.max(right, spans.at(-1) ?? right);
  }
  return { x: left, y: first.top, width: right - left, height: last.bottom - first.top };
}

const NO_SPANS: readonly number[] = [];

/**
 * Where spans and bands are put together before their number is known: an array that grows from nothing takes room for
 * 17, and regions are most of what an update leaves to the garbage collector.
 */
const EDGES: number[] = [];
const BANDS: Band[] = [];

function spansOf(edges: number): readonly number[] {
  return edges === 0 ? NO_SPANS : EDGES.slice(0, edges);
}

/** Walks both band lists, which are sorted, from edge to edge and keeps what `keep` says; nothing is in neither. */
function combine(a: readonly Band[], b: readonly Band[], keep: Combine): Region {
  let count = 0;
  const ofA = keep(true, false);
  const ofB = keep(false, true);
  let ia = 0;
  let ib = 0;
  let top = Math.min(a[0]?.top ?? Number.POSITIVE_INFINITY, b[0]?.top ?? Number.POSITIVE_INFINITY);
  while (ia < a.length || ib < b.length) {
    const bandA = a[ia];
    const bandB = b[ib];
    const spansA = bandA !== undefined && bandA.top <= top ? bandA.spans : NO_SPANS;
    const spansB = bandB !== undefined && bandB.top <= top ? bandB.spans : NO_SPANS;
    const bottom = Math.min(nextEdge(bandA, top), nextEdge(bandB, top));
    // Spans that stay as they are, are shared: regions are immutable.
    if (spansB === NO_SPANS) {
      if (ofA) count = append(count, top, bottom, spansA);
    } else if (spansA === NO_SPANS) {
      if (ofB) count = append(count, top, bottom, spansB);
    } else count = append(count, top, bottom, combineSpans(spansA, spansB, keep));
    if (bandA?.bottom === bottom) ia++;
    if (bandB?.bottom === bottom) ib++;
    top = bottom;
  }
  return Region.fromBands(BANDS.slice(0, count));
}

/** Of a band that does not end above `y`, the next edge below that. */
function nextEdge(band: Band | undefined, y: number): number {
  if (band === undefined) return Number.POSITIVE_INFINITY;
  return band.top > y ? band.top : band.bottom;
}

function combineSpans(a: readonly number[], b: readonly number[], keep: Combine): readonly number[] {
  let edges = 0;
  let ia = 0;
  let ib = 0;
  let wasKept = false;
  while (ia < a.length || ib < b.length) {
    const x = Math.min(a[ia] ?? Number.POSITIVE_INFINITY, b[ib] ?? Number.POSITIVE_INFINITY);
    while (a[ia] === x) ia++;
    while (b[ib] === x) ib++;
    const isKept = keep(ia % 2 === 1, ib % 2 === 1);
    if (isKept !== wasKept) EDGES[edges++] = x;
    wasKept = isKept;
  }
  return spansOf(edges);
}

/** Adds a band below the `count` of BANDS and grows the last one instead where the spans are the same; their count then. */
function append(count: number, top: number, bottom: number, spans: readonly number[]): number {
  if (spans.length === 0) return count;
  const last = count === 0 ? undefined : BANDS[count - 1];
  if (last !== undefined && last.bottom === top && sameSpans(last.spans, spans)) {
    BANDS[count - 1] = { top: last.top, bottom, spans: last.spans };
    return count;
  }
  BANDS[count] = { top, bottom, spans };
  return count + 1;
}

function sameSpans(a: readonly number[], b: readonly number[]): boolean {
  return a === b || (a.length === b.length && a.every((x, i) => x === b[i]));
}
