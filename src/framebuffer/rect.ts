/** A half-open rectangle in desktop pixels: it holds x <= px < x + width and y <= py < y + height. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Width and height in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A point in desktop pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export const EMPTY_RECT: Rect = Object.freeze({ x: 0, y: 0, width: 0, height: 0 });

export function rect(x: number, y: number, width: number, height: number): Rect {
  return { x, y, width, height };
}

/** The rectangle of a whole picture: origin 0,0. */
export function rectOfSize(size: Size): Rect {
  return { x: 0, y: 0, width: size.width, height: size.height };
}

export function isEmptyRect(r: Rect): boolean {
  return r.width <= 0 || r.height <= 0;
}

export function areaOfRect(r: Rect): number {
  return isEmptyRect(r) ? 0 : r.width * r.height;
}

export function equalRects(a: Rect, b: Rect): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}

/** The common part, EMPTY_RECT when there is none. */
export function intersectRects(a: Rect, b: Rect): Rect {
  const x = Math.max(a.x, b.x);
  const y = Math.max(a.y, b.y);
  const right = Math.min(a.x + a.width, b.x + b.width);
  const bottom = Math.min(a.y + a.height, b.y + b.height);
  return right <= x || bottom <= y ? EMPTY_RECT : { x, y, width: right - x, height: bottom - y };
}

export function overlapRects(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** The smallest rectangle that holds both; an empty one adds nothing. */
export function boundRects(a: Rect, b: Rect): Rect {
  if (isEmptyRect(a)) return b;
  if (isEmptyRect(b)) return a;
  const x = Math.min(a.x, b.x);
  const y = Math.min(a.y, b.y);
  const right = Math.max(a.x + a.width, b.x + b.width);
  const bottom = Math.max(a.y + a.height, b.y + b.height);
  return { x, y, width: right - x, height: bottom - y };
}

/** True where `inner` lies wholly within `outer`; an empty one lies within everything. */
export function holdsRect(outer: Rect, inner: Rect): boolean {
  return (
    isEmptyRect(inner) ||
    (inner.x >= outer.x &&
      inner.y >= outer.y &&
      inner.x + inner.width <= outer.x + outer.width &&
      inner.y + inner.height <= outer.y + outer.height)
  );
}

export function holdsPoint(r: Rect, x: number, y: number): boolean {
  return x >= r.x && y >= r.y && x < r.x + r.width && y < r.y + r.height;
}

export function translateRect(r: Rect, dx: number, dy: number): Rect {
  return { x: r.x + dx, y: r.y + dy, width: r.width, height: r.height };
}

/** So many rectangles back it is looked for one to join with: damage comes in reading order. */
const JOIN_REACH = 8;

/** Rectangles that hold all of the others: two of which the bounds hold at most `wastePixels` besides become one. */
export function joinNear(rects: readonly Rect[], wastePixels: number): Rect[] {
  const joined: Rect[] = [];
  for (const r of rects) {
    const least = Math.max(0, joined.length - JOIN_REACH);
    let at = joined.length;
    let place = r;
    while (--at >= least) {
      const other = joined[at] ?? EMPTY_RECT;
      place = boundRects(other, r);
      if (areaOfRect(place) - areaOfRect(other) - areaOfRect(r) <= wastePixels) break;
    }
    if (at >= least) joined[at] = place;
    else joined.push(r);
  }
  return joined;
}
