import type { Contrast, Span } from "./contrast.ts";

/** Sides of the dot of a list. */
export const LARGEST_BULLET = 9;

/** Letters stand closer to what is before them. */
const MARK_GAP = 3;
/** Lower rings may be letters. */
const LEAST_RING = 12;
/** Of the most: what a picture and its mirror image differ by, on average. */
const MIRRORED = 0.12;
/** The same of what is a ring: at scales of parts of a pixel its sides are of different strength. */
const MIRRORED_RING = 0.25;

/** Of the most: a box that is hardly seen beside its label is fainter. */
const FAINT_MARK = 0.35;

/**
 * Without what stands before a label and is none of its letters: the dot of a list, the ring of a radio button, the box of a
 * check box, of which the side is left that is next to the label.
 */
export function withoutMark(contrast: Contrast, spans: readonly Span[], most: number): readonly Span[] {
  const [mark, ...rest] = spans;
  const [next] = rest;
  if (mark === undefined || next === undefined || next[0] - mark[1] < MARK_GAP) return spans;
  const peak = contrast
    .columns()
    .subarray(...mark)
    .reduce((a, b) => Math.max(a, b), 0);
  const rows = rowsOfSpan(contrast, mark, peak);
  const others = rowsOfSpan(contrast, [next[0], rest.at(-1)?.[1] ?? next[1]], most);
  const [wide, high] = [mark[1] - mark[0], rows[1] - rows[0]];
  const isFaintBox = peak <= FAINT_MARK * most && rows[0] < others[0] && rows[1] > others[1];
  if (Math.abs(wide - high) > 2 && !isFaintBox) return spans;
  const lineHeight = others[1] - others[0];
  const offMiddle = Math.abs(rows[0] + rows[1] - others[0] - others[1]) / 2;
  const isRing =
    high >= LEAST_RING &&
    ((high >= lineHeight && isMirrored(contrast, mark, rows, peak, MIRRORED)) ||
      (isFilledRing(contrast, mark, rows, peak) && isMirrored(contrast, mark, rows, peak, MIRRORED_RING)));
  const isDot =
    high <= LARGEST_BULLET && offMiddle <= 0.3 * lineHeight && isSolid(contrast, mark, rows, most);
  if (!isRing && !isDot && !isFaintBox) return spans;
  for (let y = 0; y < contrast.height; y++) contrast.clear(y, mark[0], mark[1]);
  return rest;
}

/** Rows with ink in some columns. */
function rowsOfSpan({ width, height, values }: Contrast, [from, to]: Span, most: number): Span {
  let top = height;
  let bottom = 0;
  for (let y = 0; y < height; y++) {
    for (let x = from; x < to; x++) {
      if (values[y * width + x]! <= 0.25 * most) continue;
      if (y < top) top = y;
      bottom = y + 1;
    }
  }
  return top < bottom ? [top, bottom] : [0, 0];
}

function isMirrored(
  { width, values }: Contrast,
  [left, right]: Span,
  [top, bottom]: Span,
  most: number,
  limit: number,
): boolean {
  let [across, down] = [0, 0];
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const here = values[y * width + x]!;
      across += Math.abs(here - values[y * width + left + right - 1 - x]!);
      down += Math.abs(here - values[(top + bottom - 1 - y) * width + x]!);
    }
  }
  return Math.max(across, down) <= limit * most * (right - left) * (bottom - top);
}

/** Of the most: what stands in a letter's hole is its ground, and no more than smoothing. */
const FILLED = 0.04;
/** Where the dot and the ring of a radio button are, of the way from its middle to its side; between them is neither. */
const RING = { core: 0.25, gapFrom: 0.45, gapTo: 0.85, from: 0.7 } as const;

/**
 * A ring around ground of its own, or around a dot, as radio buttons are, low ones beside high letters too: of a letter
 * the hole shows the ground of its line, and what crosses it is joined to the ring.
 */
function isFilledRing(
  { width, values }: Contrast,
  [left, right]: Span,
  [top, bottom]: Span,
  most: number,
): boolean {
  const [centreX, centreY] = [(left + right - 1) / 2, (top + bottom - 1) / 2];
  const [reachX, reachY] = [(right - left) / 2, (bottom - top) / 2];
  const at = (x: number, y: number): number => values[Math.round(y) * width + Math.round(x)] ?? 0;
  const corner = 0.9;
  const corners = [-corner, corner].flatMap((x) =>
    [-corner, corner].map((y) => at(centreX + x * reachX, centreY + y * reachY)),
  );
  if (corners.some((value) => value > 0.25 * most)) return false;
  const middle = at(centreX, centreY);
  const diagonal = Math.SQRT1_2;
  const rays = [-1, -diagonal, 0, diagonal, 1].flatMap((x) =>
    [-1, -diagonal, 0, diagonal, 1]
      .filter((y) => Math.abs(Math.hypot(x, y) - 1) < 0.01)
      .map((y) => {
        let [core, gap, ring] = [most, most, 0];
        for (let step = 0; step <= 20; step++) {
          const way = step / 20;
          const value = at(centreX + way * x * reachX, centreY + way * y * reachY);
          if (way <= RING.core) core = Math.min(core, value);
          if (way >= RING.gapFrom && way <= RING.gapTo) gap = Math.min(gap, value);
          if (way >= RING.from) ring = Math.max(ring, value);
        }
        return { core, gap, ring };
      }),
  );
  if (rays.some(({ ring }) => ring < 0.5 * most)) return false;
  const isDotted = rays.every(({ core, gap }) => core >= 0.5 * most && gap <= 0.6 * core);
  const isGround = middle < 0.5 * most && rays.every(({ core, gap }) => Math.min(core, gap) >= FILLED * most);
  return isDotted || isGround;
}

/** Ink all over, as no letter of that size is: the middle too. */
function isSolid(
  { width, values }: Contrast,
  [left, right]: Span,
  [top, bottom]: Span,
  most: number,
): boolean {
  if (bottom - top < 3 || right - left < 3) return false;
  let sum = 0;
  for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) sum += values[y * width + x]!;
  const [middleX, middleY] = [(left + right - 1) >> 1, (top + bottom - 1) >> 1];
  const isCore = [0, 1].every((y) =>
    [0, 1].every((x) => values[(middleY + y) * width + middleX + x]! >= 0.8 * most),
  );
  return isCore && sum >= 0.6 * most * (right - left) * (bottom - top);
}
