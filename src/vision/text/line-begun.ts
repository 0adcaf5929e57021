import { heightOf, widthOf } from "../cut/box.ts";
import type { LineInk } from "../cut/cut-line.ts";
import type { OcrWord } from "../ocr-messages.ts";
import { isSure } from "../private/unsure.ts";

/** A line as it was read. Words lie in the picture. */
export interface KnownLine {
  readonly ink: LineInk;
  readonly words: readonly OcrWord[];
}

/** The beginning of a line, which was read before. */
export interface Begun {
  /** Those that are not read again. */
  readonly words: readonly OcrWord[];
  /** Those that follow, did not change, and are read again. */
  readonly again: readonly OcrWord[];
  /** The column of the picture, in a blank, from which on the line is to be read. */
  readonly from: number;
}

/** Words that are read again before what changed, at least. */
const READ_AGAIN = 2;
/** A word that ends nearer to what changed, in heights of the line, may go on there. */
const NEAR = 0.5;
/** No group of a number or an account is a word so long, and no mailbox, key or label of one a word of letters alone. */
const PLAIN = /^\p{Lu}?\p{Ll}{4,}$/u;
const LETTERS = /^\p{Lu}?\p{Ll}+$/u;
/** Columns without any ink. */
const LEAST_BLANK = 2;
/** Where more of the line is to be read, all of it is. */
const MOST_READ = 0.75;
/** How far a word that is the same may seem to begin or end from where it did. */
const SAME_PLACE = 2;

/**
 * How a line begins, where that is known for sure; null: all of it is to be read. Both lines are `isLikePlaced`.
 *
 * INVARIANT: what is not read again has the ink, row by row and column by column, of a line of the same height at the same
 * place, was read without doubt, and is parted from the rest by a blank between two plain words, over which nothing private of
 * a known shape goes.
 */
export function begunOf({ ink: then, words }: KnownLine, now: LineInk): Begun | null {
  const same = sameUntil(then, now);
  const { top, bottom, inkBox } = now;
  const changed = words.findIndex((word) => endOf(word) > same - NEAR * heightOf(inkBox));
  const unchanged = changed < 0 ? words.length : changed;
  for (let count = unchanged - READ_AGAIN; count > 0; count--) {
    const from = cutBetween(now, words[count - 1], words[count]);
    if (from === null) continue;
    const kept = words.slice(0, count);
    const isParted = words.every((word, index) =>
      index < count ? endOf(word) <= from : word.rect.x >= from,
    );
    if (!isParted || inkBox.right - from > MOST_READ * widthOf(inkBox) || !kept.every(isSure)) return null;
    const placed = kept.map((word) => ({
      ...word,
      rect: { ...word.rect, y: top, height: bottom - top },
    }));
    return { words: placed, again: words.slice(count, unchanged), from };
  }
  return null;
}

/** Whether the words of a line begin as they did, those that were read again as well. */
export function isAsBefore({ words, again }: Begun, read: readonly OcrWord[]): boolean {
  return [...words, ...again].every((word, index) => {
    const other = read[index];
    return (
      other?.text === word.text &&
      Math.abs(other.rect.x - word.rect.x) <= SAME_PLACE &&
      Math.abs(endOf(other) - endOf(word)) <= SAME_PLACE
    );
  });
}

/** What of a line lies right of a column. */
export function restOf({ ink, inkBox, top, bottom }: LineInk, from: number): LineInk {
  const [width, height] = [widthOf(inkBox), heightOf(inkBox)];
  const left = from - inkBox.left;
  const rest = new Uint8Array((width - left) * height);
  for (let y = 0; y < height; y++)
    rest.set(ink.subarray(y * width + left, (y + 1) * width), y * (width - left));
  return { ink: rest, inkBox: { ...inkBox, left: from }, top, bottom };
}

/** Whether lines begin at one place, and are of one height there. */
export function isLikePlaced({ inkBox: a }: LineInk, { inkBox: b }: LineInk): boolean {
  return a.left === b.left && a.top === b.top && a.bottom === b.bottom;
}

const endOf = ({ rect }: OcrWord): number => rect.x + rect.width;

/** The first column that is another one, of lines that begin at one place and are of one height. */
function sameUntil(then: LineInk, now: LineInk): number {
  const [a, b] = [then.inkBox, now.inkBox];
  const [wide, width] = [widthOf(a), widthOf(b)];
  const most = Math.min(wide, width);
  const isSame = (x: number): boolean => {
    for (let y = 0; y < heightOf(a); y++) if (then.ink[y * wide + x] !== now.ink[y * width + x]) return false;
    return true;
  };
  for (let x = 0; x < most; x++) if (!isSame(x)) return a.left + x;
  return a.left + most;
}

/** A column in the widest blank between two plain words; null where one of them is none, or there is no blank. */
function cutBetween(line: LineInk, last: OcrWord | undefined, next: OcrWord | undefined): number | null {
  if (last === undefined || next === undefined) return null;
  const isPlain = PLAIN.test(last.text) && LETTERS.test(next.text) && isSure(last) && isSure(next);
  if (!isPlain) return null;
  let [from, to] = [0, 0];
  let begin = endOf(last);
  for (let x = begin; x <= next.rect.x; x++) {
    if (x < next.rect.x && isBlank(line, x)) continue;
    if (x - begin > to - from) [from, to] = [begin, x];
    begin = x + 1;
  }
  return to - from < LEAST_BLANK ? null : (from + to) >> 1;
}

function isBlank({ ink, inkBox }: LineInk, x: number): boolean {
  const [width, height] = [widthOf(inkBox), heightOf(inkBox)];
  for (let y = 0; y < height; y++) if (ink[y * width + x - inkBox.left] !== 0) return false;
  return true;
}
