import { createHash } from "node:crypto";
import { type Box, heightOf, widthOf } from "./box.ts";
import { Contrast, type Span } from "./contrast.ts";
import type { LinePiece } from "./line-pieces.ts";
import { commonestColour, distance, isNear, type PixelPicture } from "./pixel-picture.ts";
import { TALLEST_LINE } from "./text-parts.ts";
import { LARGEST_BULLET, withoutMark } from "./without-mark.ts";

/** A line of text cut out of a picture. */
export interface CutLine extends Box {
  /** Boxes of its words in the picture, by the gaps between them. */
  readonly words: readonly Box[];
  /** 0 where there is no ink, 255 where there is the most of its word, whatever the colours. */
  readonly ink: Uint8Array;
  /** Where `ink` lies in the picture: the line and a margin. */
  readonly inkBox: Box;
  /** The same for lines of the same ink, wherever they stand. */
  readonly hash: string;
}

/** Around the box of the parts. */
const MARGIN = 2;
const LEAST_HEIGHT = 5;
/** Ink that differs by less from its ground is no text. */
const LEAST_CONTRAST = 14;

/** The line of a piece, with its ground removed and each word's contrast stretched; null where it is no text. */
export function cutLine(picture: PixelPicture, piece: LinePiece): CutLine | null {
  const width = widthOf(piece);
  const height = heightOf(piece);
  if (height < LEAST_HEIGHT || height > TALLEST_LINE || width < 3) return null;
  const inkBox = {
    left: Math.max(0, piece.left - MARGIN),
    top: Math.max(0, piece.top - MARGIN),
    right: Math.min(picture.width, piece.right + MARGIN),
    bottom: Math.min(picture.height, piece.bottom + MARGIN),
  };
  const contrast = contrastOf(picture, piece, inkBox);
  keepOwn(contrast, piece, inkBox);
  removeRules(contrast);
  removeBorders(picture, contrast, inkBox);
  const most = contrast.columns().reduce((a, b) => Math.max(a, b), 0);
  if (most < LEAST_CONTRAST) return null;
  const threshold = Math.max(8, 0.12 * most);
  const runs = withoutEndRules(contrast, inkedColumns(contrast.columns(), threshold), most, threshold);
  const spans = withoutMark(contrast, joinedByGaps(runs, height), most);
  const first = spans[0];
  const last = spans.at(-1);
  if (first === undefined || last === undefined) return null;
  const { ink, words } = stretched(contrast, spans, inkBox);
  const rows = inkedRows(ink, contrast.width);
  if (rows === null) return null;
  const box = {
    left: inkBox.left + first[0],
    top: inkBox.top + rows[0],
    right: inkBox.left + last[1],
    bottom: inkBox.top + rows[1],
  };
  if (isFrameSide(box) || isBullet(box, ink, inkBox)) return null;
  const hash = hashOf(ink, contrast.width, [first[0], last[1]], rows);
  return { ...box, words, ink, inkBox, hash };
}

/** Of a field's frame, with its round corners: no bracket is as slender. */
const isFrameSide = (box: Box): boolean =>
  heightOf(box) >= 12 && (widthOf(box) <= 3 || (heightOf(box) >= 16 && heightOf(box) >= 5 * widthOf(box)));

/** A dot of a list, which stands alone and is nearly all ink. */
function isBullet(box: Box, ink: Uint8Array, inkBox: Box): boolean {
  const [width, height] = [widthOf(box), heightOf(box)];
  if (Math.max(width, height) > LARGEST_BULLET || Math.abs(width - height) > 1) return false;
  let sum = 0;
  for (let y = box.top; y < box.bottom; y++) {
    for (let x = box.left; x < box.right; x++) {
      sum += ink[(y - inkBox.top) * widthOf(inkBox) + x - inkBox.left]!;
    }
  }
  return sum >= 0.65 * 255 * width * height;
}

function contrastOf(picture: PixelPicture, { ground: around }: LinePiece, box: Box): Contrast {
  const { words, width: stride } = picture;
  const { colour, share } = commonestColour(picture, box);
  const isFlat = share > 0.3;
  const ground = isFlat && (distance(colour, around) < 12 || share > 0.5) ? colour : around;
  const contrast = new Contrast(widthOf(box), heightOf(box));
  const { width, height, values } = contrast;
  for (let x = 0; x < width; x++) {
    const first = words[box.top * stride + box.left + x]!;
    const last = words[(box.bottom - 1) * stride + box.left + x]!;
    // A gradient has a ground of its own in each column.
    const own = !isFlat && isNear(first, last, 16) ? first : ground;
    for (let y = 0; y < height; y++) {
      values[y * width + x] = distance(words[(box.top + y) * stride + box.left + x]!, own);
    }
  }
  return contrast;
}

/** Ink of neighbours, as a caret or descenders of the line above, is not the line's. */
function keepOwn({ width, height, values }: Contrast, { parts }: LinePiece, box: Box): void {
  const own = new Uint8Array(width * height);
  for (const part of parts) {
    const left = Math.max(0, part.left - 1 - box.left);
    const right = Math.min(width, part.right + 1 - box.left);
    const top = Math.max(0, part.top - 1 - box.top);
    const bottom = Math.min(height, part.bottom + 1 - box.top);
    for (let y = top; y < bottom; y++) own.fill(1, y * width + left, y * width + right);
  }
  for (let at = 0; at < own.length; at++) if (own[at] === 0) values[at] = 0;
}

/** Underlines and borders: runs of ink longer than three heights that have nothing above and below. */
function removeRules(contrast: Contrast): void {
  const { width, height, values } = contrast;
  for (let y = 0; y < height; y++) {
    let start = -1;
    for (let x = 0; x <= width; x++) {
      const isInk = x < width && values[y * width + x]! > 20;
      if (isInk && start < 0) start = x;
      if (isInk || start < 0) continue;
      if (x - start > 3 * height && x - start > 30) {
        for (let k = start; k < x; k++) {
          const above = y > 0 ? values[(y - 1) * width + k]! : 0;
          const below = y < height - 1 ? values[(y + 1) * width + k]! : 0;
          if (above <= 60 || below <= 60) values[y * width + k] = 0;
        }
      }
      start = -1;
    }
  }
}

/** A border goes on so far above and below a line that touches it. */
const BORDER_REACH = 4;
const BORDER_WIDTH = 3;
/** What lies beside a window is of about one colour. */
const BORDER_COLOURS = 48;

/** The side of a window or a field that the first or last letter touches. */
function removeBorders({ words, width: stride, height }: PixelPicture, contrast: Contrast, box: Box): void {
  const from = Math.max(0, box.top - BORDER_REACH);
  const to = Math.min(height, box.bottom + BORDER_REACH);
  const isBorder = (x: number): boolean => {
    const colour = words[from * stride + x]!;
    for (let y = from + 1; y < to; y++)
      if (!isNear(words[y * stride + x]!, colour, BORDER_COLOURS)) return false;
    return true;
  };
  for (const step of [1, -1]) {
    const columns = contrast.columns();
    let x = step === 1 ? 0 : contrast.width - 1;
    while (x >= 0 && x < contrast.width && columns[x]! <= LEAST_CONTRAST) x += step;
    for (let k = 0; k < BORDER_WIDTH && x >= 0 && x < contrast.width; k++, x += step) {
      if (!isBorder(box.left + x)) break;
      for (let y = 0; y < contrast.height; y++) contrast.clear(y, x, x + 1);
    }
  }
}

function inkedColumns(columns: Float32Array, threshold: number): Span[] {
  const runs: Span[] = [];
  let start = -1;
  for (let x = 0; x <= columns.length; x++) {
    const isInk = x < columns.length && columns[x]! > threshold;
    if (isInk && start < 0) start = x;
    if (isInk || start < 0) continue;
    runs.push([start, x]);
    start = -1;
  }
  return runs;
}

/** Without a thin bar, as high as the line, at its begin or end: the side of a frame or a caret. */
function withoutEndRules(contrast: Contrast, runs: readonly Span[], most: number, threshold: number): Span[] {
  const kept = [...runs];
  for (const side of ["first", "last"] as const) {
    const [bar, next] = side === "first" ? [kept[0], kept[1]] : [kept.at(-1), kept.at(-2)];
    if (bar === undefined || next === undefined || bar[1] - bar[0] > 2) continue;
    const { width, height, values } = contrast;
    let rows = 0;
    let darkest = 0;
    for (let y = 0; y < height; y++) {
      const value = Math.max(values[y * width + bar[0]]!, values[y * width + bar[1] - 1]!);
      darkest = Math.max(darkest, value);
      if (value > threshold) rows++;
    }
    const gap = side === "first" ? next[0] - bar[1] : bar[0] - next[1];
    if (gap < 3 || rows < 0.9 * (height - 2 * MARGIN) || (darkest >= 0.45 * most && gap < 5)) continue;
    for (let y = 0; y < height; y++) contrast.clear(y, bar[0], bar[1]);
    if (side === "first") kept.shift();
    else kept.pop();
  }
  return kept;
}

function joinedByGaps(runs: readonly Span[], height: number): Span[] {
  const gaps = runs.slice(1).map(([from], index) => from - (runs[index]?.[1] ?? from));
  const blank = blankWidth(gaps, height);
  const words: Span[] = [];
  for (const run of runs) {
    const last = words.at(-1);
    if (last !== undefined && run[0] - last[1] < blank) words[words.length - 1] = [last[0], run[1]];
    else words.push(run);
  }
  return words;
}

/** From which width on a gap parts words: where gaps, by size, jump the most in what is plausible for the height. */
function blankWidth(gaps: readonly number[], height: number): number {
  const least = Math.max(2, 0.17 * height);
  const sorted = [...gaps].sort((a, b) => a - b);
  let jump = 0;
  let found = Math.max(3, 0.28 * height);
  for (let i = 1; i < sorted.length; i++) {
    const [smaller = 0, larger = 0] = [sorted[i - 1], sorted[i]];
    if (larger <= least || smaller > 0.5 * height || larger - smaller < 2) continue;
    const relative = (larger - smaller) / (smaller + 1);
    if (relative <= jump) continue;
    jump = relative;
    found = (smaller + larger) / 2 + 0.01;
  }
  return Math.max(least, Math.min(found, 0.6 * height));
}

/** Where a word ends above and below: fainter ink is smoothing. */
const SURE_INK = 40;

function stretched(
  contrast: Contrast,
  words: readonly Span[],
  box: Box,
): { readonly ink: Uint8Array; readonly words: readonly Box[] } {
  const { width, height, values } = contrast;
  const columns = contrast.columns();
  const ink = new Uint8Array(width * height);
  const boxes = words.map(([from, to]) => {
    let most = 0;
    for (let x = from; x < to; x++) most = Math.max(most, columns[x]!);
    let top = height;
    let bottom = 0;
    for (let y = 0; y < height; y++) {
      for (let x = from; x < to; x++) {
        const value = Math.min(255, (values[y * width + x]! * 255) / most);
        ink[y * width + x] = value;
        if (value <= SURE_INK) continue;
        if (y < top) top = y;
        bottom = y + 1;
      }
    }
    return { left: box.left + from, top: box.top + top, right: box.left + to, bottom: box.top + bottom };
  });
  return { ink, words: boxes };
}

function inkedRows(ink: Uint8Array, width: number): Span | null {
  let top = -1;
  let bottom = -1;
  for (let at = 0; at < ink.length; at++) {
    if (ink[at]! <= 31) continue;
    const y = Math.floor(at / width);
    if (top < 0) top = y;
    bottom = y + 1;
  }
  return top < 0 ? null : [top, bottom];
}

/** Over 16 levels of ink: no two texts may share a hash, for one would be read as the other. */
function hashOf(ink: Uint8Array, width: number, columns: Span, rows: Span): string {
  const wide = columns[1] - columns[0];
  const high = rows[1] - rows[0];
  const levels = new Uint8Array(wide * high);
  for (let y = 0; y < high; y++) {
    const from = (rows[0] + y) * width + columns[0];
    for (let x = 0; x < wide; x++) levels[y * wide + x] = ink[from + x]! >> 4;
  }
  return createHash("sha1").update(`${wide}x${high}:`).update(levels).digest("base64");
}

/** What is read of a line. */
export type LineInk = Pick<CutLine, "ink" | "inkBox" | "top" | "bottom">;
