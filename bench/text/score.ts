import { intersectRects, type Rect } from "../../src/framebuffer/rect.ts";
import type { Scene, TrueWord } from "./scene.ts";

/** A word that was read. */
export interface ReadWord {
  readonly text: string;
  readonly rect: Rect;
}

/** How well a picture was read, in counts, so that pictures can be added up. */
export interface Score {
  readonly words: number;
  readonly read: number;
  /** Words that are exactly right and stand where they should. */
  readonly right: number;
  /** Of the words those with ä, ö, ü or ß, and how many of them are right. */
  readonly umlauts: number;
  readonly umlautsRight: number;
  readonly letters: number;
  /** Letters that must be changed, added or left out, line by line. */
  readonly wrongLetters: number;
  /** Of right words whose place is known: how many, and the sum of the shares of their widths that agree. */
  readonly placed: number;
  readonly agreed: number;
  /** Right words whose middle, as it was read, lies in the true box. */
  readonly hit: number;
  /** For whoever mends: what was missed, and what was read that is not there. */
  readonly missed: readonly string[];
  readonly invented: readonly string[];
}

const EMPTY: Score = {
  ...{
    words: 0,
    read: 0,
    right: 0,
    umlauts: 0,
    umlautsRight: 0,
    letters: 0,
    wrongLetters: 0,
    placed: 0,
    agreed: 0,
    hit: 0,
  },
  ...{ missed: [], invented: [] },
};

export function sumOf(scores: readonly Score[]): Score {
  return scores.reduce(
    (a, b) => ({
      words: a.words + b.words,
      read: a.read + b.read,
      right: a.right + b.right,
      umlauts: a.umlauts + b.umlauts,
      umlautsRight: a.umlautsRight + b.umlautsRight,
      letters: a.letters + b.letters,
      wrongLetters: a.wrongLetters + b.wrongLetters,
      placed: a.placed + b.placed,
      agreed: a.agreed + b.agreed,
      hit: a.hit + b.hit,
      missed: [...a.missed, ...b.missed],
      invented: [...a.invented, ...b.invented],
    }),
    EMPTY,
  );
}

export const recallOf = ({ right, words }: Score): number => right / Math.max(1, words);
export const precisionOf = ({ right, read }: Score): number => right / Math.max(1, read);
export const errorRateOf = ({ wrongLetters, letters }: Score): number => wrongLetters / Math.max(1, letters);

/** In German. */
const hasUmlaut = (text: string): boolean => /[äöüß]/i.test(text);

/** Signs that look the same count as the same. */
const plain = (text: string): string =>
  text
    .replace(/[‘’`´]/g, "'")
    .replace(/[“”„]/g, '"')
    .replace(/[—–]/g, "-");

export function scoreOf({ words, knownFrom }: Scene, read: readonly ReadWord[]): Score {
  const isKnown = ({ y, height }: Rect): boolean => y + height / 2 >= knownFrom;
  const truth = words
    .filter(({ rect }) => rect === null || isKnown(rect))
    .map((word) => ({ ...word, text: plain(word.text) }));
  const given = read
    .filter(({ rect }) => isKnown(rect))
    .map(({ text, rect }) => ({ text: plain(text), rect }));
  const left = new Set(given);
  let [right, placed, agreed, hit] = [0, 0, 0, 0];
  const missed: string[] = [];
  for (const word of truth) {
    const found = bestFor(word, left);
    if (found === null) {
      missed.push(word.text);
      continue;
    }
    left.delete(found);
    right++;
    if (word.rect === null) continue;
    if (word.isExact === false) continue;
    placed++;
    agreed += widthAgreed(word.rect, found.rect);
    if (isWithin(middleOf(found.rect), word.rect)) hit++;
  }
  const { letters, wrongLetters } = lettersOf(truth, given);
  const umlauts = truth.filter(({ text }) => hasUmlaut(text)).length;
  const umlautsRight = umlauts - missed.filter(hasUmlaut).length;
  return {
    ...{
      words: truth.length,
      read: given.length,
      right,
      umlauts,
      umlautsRight,
      letters,
      wrongLetters,
      placed,
      agreed,
      hit,
    },
    missed,
    invented: [...left].map(({ text }) => text),
  };
}

/** The word of that text that lies on its place the most; any of that text where no place is known. */
function bestFor({ text, rect }: TrueWord, read: ReadonlySet<ReadWord>): ReadWord | null {
  let best: ReadWord | null = null;
  let most = 0;
  for (const word of read) {
    if (word.text !== text) continue;
    if (rect === null) return word;
    const common = intersectRects(rect, word.rect);
    const area = Math.max(0, common.width) * Math.max(0, common.height);
    const share = area / (rect.width * rect.height + word.rect.width * word.rect.height - area);
    if (share <= most) continue;
    most = share;
    best = word;
  }
  return best;
}

/** Columns that both have, of those that any has. */
function widthAgreed(a: Rect, b: Rect): number {
  const common = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  return common / (Math.max(a.x + a.width, b.x + b.width) - Math.min(a.x, b.x));
}

const middleOf = ({ x, y, width, height }: Rect) => ({ x: x + width / 2, y: y + height / 2 });

function isWithin(point: { readonly x: number; readonly y: number }, { x, y, width, height }: Rect): boolean {
  return point.x >= x && point.x < x + width && point.y >= y && point.y < y + height;
}

/** Each true line beside what was read on it; without a place, beside the line that is most like it. */
function lettersOf(
  truth: readonly TrueWord[],
  read: readonly ReadWord[],
): { readonly letters: number; readonly wrongLetters: number } {
  const lines = new Map<number, TrueWord[]>();
  for (const word of truth) lines.set(word.line, [...(lines.get(word.line) ?? []), word]);
  const rows = rowsOf(read);
  let letters = 0;
  let wrongLetters = 0;
  for (const words of lines.values()) {
    const text = words.map((word) => word.text).join(" ");
    letters += text.length;
    const rects = words.flatMap(({ rect }) => rect ?? []);
    const wrong = rects.length > 0 ? changes(text, textIn(rects, read)) : leastChanges(text, rows);
    wrongLetters += Math.min(text.length, wrong);
  }
  return { letters, wrongLetters };
}

function textIn(rects: readonly Rect[], read: readonly ReadWord[]): string {
  const left = Math.min(...rects.map(({ x }) => x)) - 2;
  const right = Math.max(...rects.map(({ x, width }) => x + width)) + 2;
  const top = Math.min(...rects.map(({ y }) => y));
  const bottom = Math.max(...rects.map(({ y, height }) => y + height));
  return read
    .filter(({ rect }) => {
      const { x, y } = middleOf(rect);
      return x >= left && x <= right && y >= top && y <= bottom;
    })
    .sort((a, b) => a.rect.x - b.rect.x)
    .map(({ text }) => text)
    .join(" ");
}

function rowsOf(read: readonly ReadWord[]): string[] {
  const rows: ReadWord[][] = [];
  for (const word of [...read].sort((a, b) => middleOf(a.rect).y - middleOf(b.rect).y)) {
    const row = rows.find(([first]) => {
      return (
        first !== undefined && Math.abs(middleOf(first.rect).y - middleOf(word.rect).y) < word.rect.height / 2
      );
    });
    if (row === undefined) rows.push([word]);
    else row.push(word);
  }
  return rows.map((row) =>
    row
      .sort((a, b) => a.rect.x - b.rect.x)
      .map(({ text }) => text)
      .join(" "),
  );
}

/** In the row, or the part of one from a word on, that is most like it. */
function leastChanges(text: string, rows: readonly string[]): number {
  let least = text.length;
  for (const row of rows) {
    least = Math.min(least, changes(text, row));
    for (let at = 0; at < row.length && row.length > text.length + 2; at++) {
      if (at === 0 || row[at - 1] === " ") {
        least = Math.min(least, changes(text, row.slice(at, at + text.length)));
      }
    }
  }
  return least;
}

/** Levenshtein's distance. */
function changes(a: string, b: string): number {
  let before = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = (before[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min((before[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, same);
    }
    before = row;
  }
  return before[b.length] ?? 0;
}
