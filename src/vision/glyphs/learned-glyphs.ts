import type { LineInk } from "../cut/cut-line.ts";
import type { OcrWord } from "../ocr-messages.ts";
import { boundsOf, type Cell, type CellGrid, type CellLetter, cellsOf, wordsOfCells } from "./cells.ts";
import { cellsIn, gridOf, groupsOf } from "./find-grid.ts";
import { shapedLetter } from "./shaped-letters.ts";

/** Words of an engine that spell a glyph alike, at least, and their share of all that have it. */
const LEAST_VOTES = 3;
const LEAST_SHARE = 0.85;
/** The same of a glyph whose other readings are letters that other glyphs of its grid are; and its share of all votes. */
const LEAST_CONTESTED_SHARE = 0.5;
/** Of readings as quotation marks, the share of straight ones with which a glyph is one: others have two glyphs. */
const LEAST_STRAIGHT = 0.25;
const QUOTES: readonly (readonly [string, readonly string[]])[] = [
  ['"', ["\u201c", "\u201d", "\u201e"]],
  ["'", ["\u2018", "\u2019", "\u201a"]],
];
/** Beyond so many glyphs, or words, those that were voted for least lately are forgotten. */
const MOST_KEPT = 8000;
/** A word of so many letters is known by the ink of all of them, once it was read alike so often. */
const LEAST_WORD = 3;
const LEAST_ALIKE = 2;

/** Words that the engine is less sure of do not count in full. */
const SURE = 80;
/** What a letter counts that stands alone: an engine guesses it without its neighbours. */
const ALONE = 0.2;

/** How often each text was read of what looks the same. */
type Votes = Map<string, Map<string, number>>;

/**
 * The letters of terminals' fonts, by the votes of what an engine read: one that errs is outvoted. A letter has one glyph in
 * a font: where that is known, others that are read as it now and then, as a zero with a dot in it is as an 8, are not it. A
 * letter that is still read as another half of the time is never known; the words that it stands in are, each by itself.
 */
export class LearnedGlyphs {
  /** Letters, by ink and place over the baseline. */
  readonly #letters: Votes = new Map();
  /** The glyph that is known as a letter, by the width of its cells and that letter. */
  readonly #owners = new Map<string, string>();
  /** Words with a letter that was not known, by all of their letters' keys. */
  readonly #words: Votes = new Map();

  /** Learns from a line where it is one of a terminal; gives its grid, null for none. See `gridOf`. */
  learn(
    line: LineInk,
    words: readonly OcrWord[],
    known: readonly CellGrid[],
    isKnownOnly = false,
  ): CellGrid | null {
    const grid = gridOf(line, words, known, isKnownOnly);
    if (grid === null) return null;
    const cells = cellsOf(line, grid);
    const baseline = baselineOf(cells);
    for (const word of words) {
      const letters = Array.from(word.text);
      const own = cellsIn(cells, grid, word);
      if (own.length !== letters.length) continue;
      const weight = letters.length === 1 ? ALONE : word.confidence >= SURE ? 1 : 0.5;
      for (const [index, cell] of own.entries()) {
        this.#vote(keyOf(cell, baseline), letters[index] ?? "", weight, grid.pitch);
      }
    }
    return grid;
  }

  /** The words of a line all of whose letters, or words, are known; null otherwise. */
  read(line: LineInk, grid: CellGrid, confidence: number): OcrWord[] | null {
    const cells = cellsOf(line, grid);
    const baseline = baselineOf(cells);
    const letters: CellLetter[] = [];
    for (const group of groupsOf(cells)) {
      const known = this.#textsOf(group, baseline, grid.pitch);
      const texts = known.includes(null) ? this.#wordOf(group, baseline) : known;
      if (texts === null) return null;
      for (const [index, cell] of group.entries()) {
        const text = texts[index] ?? "";
        if (text !== "") letters.push({ cell, text });
      }
    }
    return letters.length === 0 ? null : wordsOfCells(line, grid, letters, confidence);
  }

  /**
   * Words parted where cells are empty, and letter by letter where all letters of a word are known. What the others were
   * read as is remembered, unless told otherwise.
   */
  corrected(
    line: LineInk,
    grid: CellGrid,
    words: readonly OcrWord[],
    confidence: number,
    isRemembered = true,
  ): OcrWord[] {
    const cells = cellsOf(line, grid);
    const baseline = baselineOf(cells);
    return groupsOf(cells).flatMap((group) => {
      const texts = this.#textsOf(group, baseline, grid.pitch);
      const { left, right } = boundsOf(line, grid, group);
      const within = words.filter(({ rect }) => {
        const middle = rect.x + rect.width / 2;
        return middle >= left - 1 && middle < right + 1;
      });
      const read = within.map(({ text }) => text).join("");
      const text = texts.includes(null) ? mixed(texts, read) : texts.join("");
      if (text === "") return [];
      // Of cells of parts of a pixel some ink between two words may seem to be a letter.
      if (text === read && within.length > 1 && letterCount(read) !== group.length) return within;
      if (isRemembered && texts.includes(null) && isWord(group, text, grid.pitch)) {
        vote(this.#words, wordKeyOf(group, baseline), text, 1);
      }
      const rect = { x: left, y: line.top, width: right - left, height: line.bottom - line.top };
      const least = Math.min(...within.map((word) => word.confidence), confidence);
      return [{ text, rect, confidence: texts.includes(null) ? least : confidence }];
    });
  }

  #textsOf(cells: readonly Cell[], baseline: number, pitch: number): (string | null)[] {
    return cells.map((cell) => this.#textOf(cell, baseline, pitch));
  }

  /** Letter by letter; null where it was not read alike often enough. */
  #wordOf(cells: readonly Cell[], baseline: number): string[] | null {
    const text = elected(this.#words.get(wordKeyOf(cells, baseline)), LEAST_ALIKE);
    return text === null ? null : Array.from(text);
  }

  #textOf(cell: Cell, baseline: number, pitch: number): string | null {
    if (isCaret(cell, pitch)) return "";
    const shaped = shapedLetter(cell, baseline, pitch);
    if (shaped !== null) return shaped;
    const key = keyOf(cell, baseline);
    const votes = this.#letters.get(key);
    return elected(votes, LEAST_VOTES) ?? this.#contested(key, votes, pitch);
  }

  #vote(key: string, letter: string, weight: number, pitch: number): void {
    vote(this.#letters, key, letter, weight);
    const text = elected(this.#letters.get(key), LEAST_VOTES);
    if (text !== null) this.#owners.set(ownerKeyOf(text, pitch), key);
  }

  /** What most read a glyph as, where nearly all others take it for letters that have another glyph; null: nothing. */
  #contested(key: string, votes: ReadonlyMap<string, number> | undefined, pitch: number): string | null {
    const isElsewhere = (text: string): boolean => {
      const owner = this.#owners.get(ownerKeyOf(text, pitch));
      return owner !== undefined && owner !== key && elected(this.#letters.get(owner), LEAST_VOTES) === text;
    };
    const text = elected(votes, LEAST_VOTES, LEAST_CONTESTED_SHARE);
    if (votes === undefined || text === null || isElsewhere(text)) return null;
    const own = new Map([...votes].filter(([other]) => !isElsewhere(other)));
    return elected(own, LEAST_VOTES);
  }
}

const ownerKeyOf = (text: string, pitch: number): string => `${pitch}:${text}`;

function vote(all: Votes, key: string, text: string, weight: number): void {
  const votes = all.get(key) ?? new Map<string, number>();
  all.delete(key);
  all.set(key, votes.set(text, (votes.get(text) ?? 0) + weight));
  if (all.size <= MOST_KEPT) return;
  for (const oldest of all.keys()) {
    all.delete(oldest);
    return;
  }
}

/** What was read so often, at least, and by so large a share, as a rule nearly always; null: nothing. */
function elected(
  votes: ReadonlyMap<string, number> | undefined,
  least: number,
  leastShare = LEAST_SHARE,
): string | null {
  let [sum, most] = [0, 0];
  let found = "";
  for (const [text, count] of withStraightQuotes(votes ?? new Map())) {
    sum += count;
    if (count <= most) continue;
    most = count;
    found = text;
  }
  return most >= least && most >= leastShare * sum ? found : null;
}

/** An engine reads a straight quotation mark behind a word as a typographic one. */
function withStraightQuotes(votes: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  for (const [straight, others] of QUOTES) {
    const count = votes.get(straight);
    const curled = others.reduce((sum, text) => sum + (votes.get(text) ?? 0), 0);
    if (count === undefined || curled === 0 || count < LEAST_STRAIGHT * (count + curled)) continue;
    const folded = new Map([...votes].filter(([text]) => !others.includes(text)));
    return folded.set(straight, count + curled);
  }
  return votes;
}

/** Read as as many letters as it has; a caret in it is none. */
function isWord(cells: readonly Cell[], text: string, pitch: number): boolean {
  return (
    cells.length >= LEAST_WORD &&
    Array.from(text).length === cells.length &&
    !cells.some((cell) => isCaret(cell, pitch))
  );
}

/** A block as large as a cell, or the frame of one, as terminals draw their caret where no letter is. */
function isCaret({ rows }: Cell, pitch: number): boolean {
  const all = (1 << pitch) - 1;
  const sides = (1 << (pitch - 1)) | 1;
  if (rows.length <= pitch || rows[0] !== all || rows.at(-1) !== all) return false;
  return [all, sides].some((inner) => rows.slice(1, -1).every((bits) => bits === inner));
}

/** Where letters are not known, those that were read, if there are as many; engines lose underscores. */
function mixed(texts: readonly (string | null)[], read: string): string {
  const letters = Array.from(read);
  if (letters.length === texts.length) return texts.map((text, index) => text ?? letters[index]).join("");
  const others = letters.filter((letter) => letter !== "_");
  const lost = texts.filter((text) => text === "_").length;
  if (others.length + lost !== texts.length) return read;
  let next = 0;
  return texts
    .map((text) => {
      if (text === "_") return text;
      const letter = others[next++];
      return text ?? letter;
    })
    .join("");
}

const letterCount = (text: string): number => Array.from(text).length;

const keyOf = ({ key, top }: Cell, baseline: number): string => `${baseline - top}:${key}`;

const wordKeyOf = (cells: readonly Cell[], baseline: number): string =>
  cells.map((cell) => `${cell.bottom - cell.top}:${keyOf(cell, baseline)}`).join("");

/** The row under the letters: where most of them end. */
function baselineOf(cells: readonly Cell[]): number {
  const ends = new Map<number, number>();
  for (const { top, bottom } of cells) if (bottom - top >= 5) ends.set(bottom, (ends.get(bottom) ?? 0) + 1);
  const [most] = [...ends].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return most?.[0] ?? 0;
}
