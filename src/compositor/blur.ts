import type { FrameSource } from "../framebuffer/frame-picture.ts";
import { OPAQUE } from "../framebuffer/framebuffer.ts";
import { intersectRects, isEmptyRect, type Rect, rectOfSize } from "../framebuffer/rect.ts";
import { Region } from "../framebuffer/region.ts";
import type { PlacedOverlay } from "./placed-overlay.ts";

/** Sides of the squares whose mean colours a blur goes between. */
const SQUARE = 16;
/** A colour goes from one square's middle to the next one's: what changes in one is seen so far beyond it. */
const REACH = 2 * SQUARE;

/** What an overlay blurs; null for kinds that do not. */
export function blurOf({ overlay, shape, room }: PlacedOverlay): Rect | null {
  return shape.isBlur === true ? intersectRects(overlay, room) : null;
}

/** What looks otherwise once `damage` was painted: all of it, and in a blur what is mixed with it. */
export function spreadIn(blurred: Rect, damage: Region): Region {
  const near = damage.clip(blurred).rects.map(({ x, y, width, height }) => ({
    ...{ x: x - REACH, y: y - REACH },
    ...{ width: width + 2 * REACH, height: height + 2 * REACH },
  }));
  return near.length === 0 ? damage : damage.union(Region.from(near).clip(blurred));
}

/**
 * Writes a part of a blur over words of which `words[start]` is the part's upper left pixel and `stride` the words a row.
 * The same pixels come out whatever the parts. It is a drawing: who knows what a text may be can guess it from a blur.
 */
export function paintBlur(
  words: Uint32Array,
  start: number,
  stride: number,
  frame: FrameSource,
  blurred: Rect,
  part: Rect,
): void {
  const area = intersectRects(blurred, rectOfSize(frame));
  const shown = intersectRects(part, area);
  if (isEmptyRect(shown)) return;
  const across = squaresOf(area.width, shown.x - area.x, shown.width);
  const down = squaresOf(area.height, shown.y - area.y, shown.height);
  const means = meansOf(frame, area, across, down);
  const rowWords = 3 * across.count;
  const row = new Float64Array(rowWords);
  for (let y = 0; y < shown.height; y++) {
    const { first, share } = between(down, shown.y - area.y + y);
    const above = first * rowWords;
    const below = Math.min(first + 1, down.count - 1) * rowWords;
    for (let i = 0; i < rowWords; i++) {
      const from = means[above + i] ?? 0;
      row[i] = from + ((means[below + i] ?? 0) - from) * share;
    }
    const at = start + (shown.y - part.y + y) * stride + shown.x - part.x;
    mixRow(words, at, row, across, shown.x - area.x, shown.width);
  }
}

/** The squares along one side that a stretch of it is mixed of. */
interface Squares {
  readonly first: number;
  readonly count: number;
}

function squaresOf(side: number, from: number, length: number): Squares {
  const last = Math.ceil(side / SQUARE) - 1;
  const first = Math.max(0, Math.floor((from - SQUARE / 2) / SQUARE));
  return { first, count: Math.min(last, Math.floor((from + length - 1 + SQUARE / 2) / SQUARE)) - first + 1 };
}

/** Which of these squares a pixel comes after the middle of, and how far it is to the next one's, 0 to 1. */
function between({ first, count }: Squares, at: number): { readonly first: number; readonly share: number } {
  const place = Math.max(0, (at + 0.5 - SQUARE / 2) / SQUARE - first);
  const square = Math.min(count - 1, Math.floor(place));
  return { first: square, share: Math.min(1, place - square) };
}

/** Red, green and blue of each square, row by row. */
function meansOf(frame: FrameSource, area: Rect, across: Squares, down: Squares): Float64Array {
  const { bytes, strideBytes } = frame;
  const means = new Float64Array(3 * across.count * down.count);
  for (let nth = 0; nth < across.count * down.count; nth++) {
    const left = area.x + (across.first + (nth % across.count)) * SQUARE;
    const top = area.y + (down.first + Math.floor(nth / across.count)) * SQUARE;
    const right = Math.min(left + SQUARE, area.x + area.width);
    const bottom = Math.min(top + SQUARE, area.y + area.height);
    let [red, green, blue] = [0, 0, 0];
    for (let y = top; y < bottom; y++) {
      const end = y * strideBytes + right * 4;
      for (let at = y * strideBytes + left * 4; at < end; at += 4) {
        red += bytes[at]!;
        green += bytes[at + 1]!;
        blue += bytes[at + 2]!;
      }
    }
    const pixels = (right - left) * (bottom - top);
    means.set([red / pixels, green / pixels, blue / pixels], 3 * nth);
  }
  return means;
}

function mixRow(
  words: Uint32Array,
  start: number,
  row: Float64Array,
  across: Squares,
  from: number,
  width: number,
): void {
  for (let x = 0; x < width; x++) {
    const { first, share } = between(across, from + x);
    const a = 3 * first;
    const b = 3 * Math.min(first + 1, across.count - 1);
    const red = row[a]! + (row[b]! - row[a]!) * share + 0.5;
    const green = row[a + 1]! + (row[b + 1]! - row[a + 1]!) * share + 0.5;
    const blue = row[a + 2]! + (row[b + 2]! - row[a + 2]!) * share + 0.5;
    words[start + x] = ((blue << 16) | (green << 8) | red | OPAQUE) >>> 0;
  }
}
