import { type Box, commonRows, heightOf, joinBoxes, widthOf } from "./box.ts";
import { isNear, type PixelPicture } from "./pixel-picture.ts";
import { TALLEST_LINE, type TextPart } from "./text-parts.ts";

/** Parts that stand in one line, close to each other and on one ground. */
export interface LinePiece extends Box {
  readonly ground: number;
  readonly parts: readonly TextPart[];
}

/** Grounds that differ by less are one. */
const ONE_GROUND = 10;
/** Rows by which a part may lie above or below a line to be looked at for it. */
const REACH = 4;
/** Of one font a line with brackets is so many times as high as a letter without ascender. */
const UNEQUAL = 2.4;
/** Of the height of the other: dots, commas, accents. */
const SMALL = 0.45;
/** Rows of one bucket of the search, as a shift. */
const BUCKET = 4;

/** A part is joined with no line that ends further left of it. */
const FARTHEST = 1.25 * TALLEST_LINE;

interface Growing {
  box: Box;
  readonly ground: number;
  readonly parts: TextPart[];
  /** The last part for which it was looked at: it may be in several buckets. */
  lookedAtFor: TextPart | null;
}

/** Parts joined to lines: from left to right, then what is small to the line it lies in or beside. */
export function joinParts(picture: PixelPicture, parts: readonly TextPart[]): LinePiece[] {
  const lines: Growing[] = [];
  const buckets = new Map<number, Set<Growing>>();
  const enter = (line: Growing): void => {
    for (let at = (line.box.top - REACH) >> BUCKET; at <= (line.box.bottom + REACH - 1) >> BUCKET; at++) {
      const bucket = buckets.get(at) ?? new Set();
      buckets.set(at, bucket.add(line));
    }
  };
  const sorted = [...parts].sort(
    (a, b) =>
      a.left - b.left || a.top - b.top || a.right - b.right || a.bottom - b.bottom || a.ground - b.ground,
  );
  for (const part of sorted) {
    let best: Growing | null = null;
    let bestScore = Number.NEGATIVE_INFINITY;
    for (let at = (part.top - REACH) >> BUCKET; at <= (part.bottom + REACH - 1) >> BUCKET; at++) {
      const bucket = buckets.get(at);
      if (bucket === undefined) continue;
      for (const line of bucket) {
        if (line.lookedAtFor === part || part.left - line.box.right > FARTHEST) continue;
        line.lookedAtFor = part;
        if (!continues(picture, line, part)) continue;
        const score = 4 * commonRows(line.box, part) - gapTo(line, part);
        if (score < bestScore) continue;
        // Among equals the upper one, so that the order in which lines were met decides nothing.
        if (score === bestScore && best !== null && !isBefore(line.box, best.box)) continue;
        best = line;
        bestScore = score;
      }
    }
    if (best === null) {
      const { ground, ...box } = part;
      const line: Growing = { box, ground, parts: [part], lookedAtFor: part };
      lines.push(line);
      enter(line);
      continue;
    }
    const { top, bottom } = best.box;
    best.parts.push(part);
    best.box = joinBoxes(best.box, part);
    if (best.box.top !== top || best.box.bottom !== bottom) enter(best);
  }
  return withSmallPieces(picture, lines).map(({ box, ground, parts }) => ({ ...box, ground, parts }));
}

const isBefore = (a: Box, b: Box): boolean => a.top < b.top || (a.top === b.top && a.left < b.left);

const gapTo = (line: Growing, part: Box): number => Math.max(0, part.left - line.box.right);

/** Whether a part that begins no further left than a line's parts goes on with it. */
function continues(picture: PixelPicture, line: Growing, part: TextPart): boolean {
  const { box, ground } = line;
  const least = Math.min(heightOf(box), heightOf(part));
  const most = Math.max(heightOf(box), heightOf(part));
  const gap = part.left - box.right;
  const isUnequal = most > UNEQUAL * least;
  const em = least >= 7 && isUnequal ? least : most;
  if (gap > Math.max(1.25 * em, 9) || most > TALLEST_LINE) return false;
  if (gap > 2 && most >= 22 && least > 7 && isUnequal) return false;
  if (!isNear(ground, part.ground, ONE_GROUND)) return false;
  if (isUnderscore(box, part) || isBelowLast(line, part)) return true;
  const isSmall = least <= SMALL * most;
  if (commonRows(box, part) < (isSmall ? 0.3 : 0.5) * least)
    return isSmall && isAccentOf(box, part, most, least);
  if (gap > 0 && !isClear(picture, box, part, part.ground)) return false;
  return isSmall || !isUnequal || gap <= 2;
}

/** A short bar below the end of a line that has no descender yet: longer ones are rules. */
function isUnderscore(line: Box, part: Box): boolean {
  const below = part.top - line.bottom;
  const gap = part.left - line.right;
  const isFlat = heightOf(part) <= 3 && widthOf(part) >= 4 && widthOf(part) >= 2 * heightOf(part);
  return isFlat && heightOf(line) >= 6 && below >= -1 && below <= 3 && gap >= -1 && gap <= 3;
}

/** Of a line's height: the comma of a semicolon is higher than a dot or an accent. */
const MOST_COMMA = 0.6;

/** The comma of a semicolon, of which the line has the dot: where letters are low, it may reach as far below the line as into it. */
function isBelowLast({ box, parts }: Growing, part: Box): boolean {
  const dot = parts.at(-1);
  if (dot === undefined || part.top < dot.bottom || part.top >= box.bottom) return false;
  const common = Math.min(dot.right, part.right) - Math.max(dot.left, part.left);
  const height = MOST_COMMA * heightOf(box);
  return (
    common >= Math.min(widthOf(dot), widthOf(part)) - 1 && heightOf(dot) <= height && heightOf(part) <= height
  );
}

/** A dot or an accent right above; below only the dot of a mark that begins a line. */
function isAccentOf(line: Box, part: Box, most: number, least: number): boolean {
  const [small, large] = heightOf(line) < heightOf(part) ? [line, part] : [part, line];
  if (small.top > large.top && widthOf(large) > 0.7 * most) return false;
  const apart = -commonRows(line, part);
  const common = Math.min(line.right, part.right) - Math.max(line.left, part.left);
  const narrower = Math.min(widthOf(line), widthOf(part));
  return (
    least <= Math.max(5, 0.3 * most) &&
    apart <= Math.max(2, 0.25 * most) &&
    common >= narrower - 2 &&
    widthOf(part) < 3 * most
  );
}

/** Nothing but ground between two boxes, in the row in the middle of what they have in common. */
function isClear({ words, width, height }: PixelPicture, from: Box, to: Box, ground: number): boolean {
  const middle = Math.round((Math.max(from.top, to.top) + Math.min(from.bottom, to.bottom)) / 2);
  const row = Math.min(height - 1, Math.max(0, middle)) * width;
  for (let x = from.right; x < to.left; x++) {
    const here = words[row + x]!;
    const next = words[row + Math.min(width - 1, x + 1)]!;
    if (!isNear(here, ground, 24) && !isNear(here, next, 6)) return false;
  }
  return true;
}

/** Wider pieces are no punctuation that came before its line. */
const SMALL_WIDTH = 60;

function withSmallPieces(picture: PixelPicture, lines: readonly Growing[]): Growing[] {
  const sorted = [...lines].sort(
    (a, b) => widthOf(b.box) - widthOf(a.box) || a.box.top - b.box.top || a.box.left - b.box.left,
  );
  // Rows to lines: a noisy picture has thousands of pieces.
  const rows = new Map<number, Growing[]>();
  const reach = TALLEST_LINE >> 2;
  for (const line of sorted) {
    for (let at = (line.box.top - reach) >> 5; at <= (line.box.bottom + reach) >> 5; at++) {
      const row = rows.get(at);
      if (row === undefined) rows.set(at, [line]);
      else row.push(line);
    }
  }
  const gone = new Set<Growing>();
  const order = new Map(sorted.map((line, index) => [line, index]));
  for (let i = sorted.length - 1; i >= 0; i--) {
    const small = sorted[i]!;
    if (widthOf(small.box) > SMALL_WIDTH) continue;
    const near = new Set<Growing>();
    for (let at = small.box.top >> 5; at <= small.box.bottom >> 5; at++) {
      for (const line of rows.get(at) ?? []) near.add(line);
    }
    const host = [...near]
      .sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
      .find((line) => line !== small && !gone.has(line) && takes(picture, line, small));
    if (host === undefined) continue;
    host.parts.push(...small.parts);
    host.box = joinBoxes(host.box, small.box);
    gone.add(small);
  }
  return sorted.filter((line) => !gone.has(line));
}

/** Whether a small piece lies in a line, or close beside one that is as high. */
function takes(picture: PixelPicture, line: Growing, piece: Growing): boolean {
  const [a, b] = [line.box, piece.box];
  const high = heightOf(a);
  const small = heightOf(b);
  const most = Math.max(high, small);
  if (most > TALLEST_LINE || !isNear(line.ground, piece.ground, ONE_GROUND)) return false;
  const gap = Math.max(b.left - a.right, a.left - b.right);
  if (gap <= 0) {
    const isInside =
      b.top >= a.top - Math.max(3, 0.25 * high) && b.bottom <= a.bottom + Math.max(2, 0.15 * high);
    return isInside && small <= 0.5 * high;
  }
  if (gap > 0.9 * most || commonRows(a, b) < 0.6 * small || small > 1.3 * high) return false;
  if (widthOf(a) < widthOf(b) || (small <= 0.5 * high && gap > 0.5 * most)) return false;
  return b.left > a.left ? isClear(picture, a, b, line.ground) : isClear(picture, b, a, line.ground);
}
