import { type Box, heightOf, widthOf } from "./box.ts";
import { distance, type PixelPicture } from "./pixel-picture.ts";
import { cutAt, FAINT_INK, type TextPart } from "./text-parts.ts";

/** Lower ones are of one line, higher ones no letters: a change is looked at so far around. */
const LEAST_HEIGHT = 12;
export const TALLEST_BRIDGE = 40;
/** Of the height: two letters below each other are narrower. */
const MOST_WIDTH = 0.8;
/** Letters are looked for so many heights to the left and right, and are so high at least. */
const AROUND = 12;
const LEAST_LETTER = 4;
/** Letters of each of two lines, at least. */
const LEAST_LETTERS = 3;
/** Rows of each of two letters, at least. */
const LEAST_ROWS = 4;
/** Of all letters around: so few may stand in both lines. */
const MOST_ACROSS = 0.1;
/** Of its height, and a row: lines that touch are no farther apart. */
const MOST_APART = 0.15;
/** Of its height a letter that is looked at: what is higher may bridge rows as well, and says nothing. */
const NO_LETTER = 0.75;
/** Of its rows: a column with so much ink is the side of a frame. */
const STRAIGHT = 0.8;
/** Pixels of ink beside it: of fewer nothing is made. */
const LEAST_BESIDE = 2;
/** Rows of a bucket of the search, as a shift. */
const BUCKET = 4;

/**
 * Parts of which none is two letters of two lines that touch, as where a descender meets a bracket of the next row of a
 * terminal: such a one is cut where the letters around it end and those of the next line begin. Depends on what has a row
 * in common with it, and on nothing else.
 */
export function withoutBridges(picture: PixelPicture, parts: readonly TextPart[]): readonly TextPart[] {
  const suspects = parts.filter(isSuspect);
  if (suspects.length === 0) return parts;
  const rows = new Map<number, Box[]>();
  for (const part of parts) {
    if (heightOf(part) < LEAST_LETTER) continue;
    for (let at = part.top >> BUCKET; at <= (part.bottom - 1) >> BUCKET; at++) {
      const row = rows.get(at);
      if (row === undefined) rows.set(at, [part]);
      else row.push(part);
    }
  }
  const cut = new Map<TextPart, readonly TextPart[]>();
  for (const suspect of suspects) {
    const pieces = piecesOf(picture, suspect, lettersAround(rows, suspect));
    if (pieces.length > 1) cut.set(suspect, pieces);
  }
  return cut.size === 0 ? parts : parts.flatMap((part) => cut.get(part) ?? [part]);
}

const isSuspect = (part: Box): boolean => {
  const height = heightOf(part);
  return height >= LEAST_HEIGHT && height <= TALLEST_BRIDGE && widthOf(part) <= MOST_WIDTH * height;
};

function lettersAround(rows: ReadonlyMap<number, readonly Box[]>, part: Box): Box[] {
  const reach = AROUND * heightOf(part);
  const found = new Set<Box>();
  for (let at = part.top >> BUCKET; at <= (part.bottom - 1) >> BUCKET; at++) {
    for (const other of rows.get(at) ?? []) {
      if (other === part || other.top >= part.bottom || other.bottom <= part.top) continue;
      if (other.left > part.right + reach || other.right < part.left - reach) continue;
      if (heightOf(other) < NO_LETTER * heightOf(part)) found.add(other);
    }
  }
  return [...found];
}

function piecesOf(picture: PixelPicture, part: TextPart, letters: readonly Box[]): TextPart[] {
  const row = isSuspect(part) ? rowBetween(part, letters) : null;
  if (row === null || isSide(picture, part)) return [part];
  return [
    { ...part, bottom: row },
    { ...part, top: row },
  ].flatMap((half) => piecesOf(picture, cutAt(picture, half), letters));
}

/** Whether it has a side of a frame, which goes straight all along and has nothing beside it but at its ends; letters have. */
function isSide(
  { words, width: stride }: PixelPicture,
  { left, top, right, bottom, ground }: TextPart,
): boolean {
  const height = bottom - top;
  const quarter = height >> 2;
  let [sides, beside] = [0, 0];
  for (let x = left; x < right; x++) {
    let [ink, inMiddle] = [0, 0];
    for (let y = top; y < bottom; y++) {
      if (distance(words[y * stride + x]!, ground) <= FAINT_INK) continue;
      ink++;
      if (y >= top + quarter && y < bottom - quarter) inMiddle++;
    }
    if (ink >= STRAIGHT * height) sides++;
    else beside += inMiddle;
  }
  return sides > 0 && beside < LEAST_BESIDE;
}

/** Where the upper of two lines ends that the letters around stand in; null where they stand in one. */
function rowBetween({ top, bottom }: Box, letters: readonly Box[]): number | null {
  const ends = new Set(letters.map((letter) => letter.bottom));
  let best: number | null = null;
  let most = 0;
  for (const row of [...ends].sort((a, b) => a - b)) {
    if (row < top + LEAST_ROWS || row > bottom - LEAST_ROWS) continue;
    let [above, below, across] = [0, 0, 0];
    let next = bottom;
    for (const letter of letters) {
      if (letter.bottom <= row) above++;
      else if (letter.top >= row) {
        below++;
        next = Math.min(next, letter.top);
      } else across++;
    }
    if (next - row > 1 + MOST_APART * (bottom - top)) continue;
    if (above < LEAST_LETTERS || below < LEAST_LETTERS || across > MOST_ACROSS * letters.length) continue;
    const score = Math.min(above, below) - across;
    if (score <= most) continue;
    most = score;
    best = row;
  }
  return best;
}
