import { heightOf, widthOf } from "../cut/box.ts";
import type { LineInk } from "../cut/cut-line.ts";
import type { OcrWord } from "../ocr-messages.ts";
import {
  bitCount,
  boundsOf,
  type Cell,
  type CellGrid,
  type CellLetter,
  cellsOf,
  WIDEST_CELL,
  wordsOfCells,
} from "./cells.ts";

/** Words of an engine that spell a glyph alike, at least, and their share of all that have it. */
const LEAST_VOTES = 3;
const LEAST_SHARE = 0.85;
/** Beyond so many glyphs, or words, those that were voted for least lately are forgotten. */
const MOST_KEPT = 8000;
/** A word of so many letters is known by the ink of all of them, once it was read alike so often. */
const LEAST_WORD = 3;
const LEAST_ALIKE = 2;

/** Letters of a line, at least, that tell a grid. */
const LEAST_LETTERS = 12;
const NARROWEST_CELL = 5;
/** Of a line's letters so many stand in words of as many cells as letters. */
const LEAST_FITTING = 0.6;
/** Ink in the columns where cells begin, of the mean of all columns: letters leave them nearly empty. */
const MOST_ACROSS = 0.5;
/** Words that the engine is less sure of do not count in full. */
const SURE = 80;
/** What a letter counts that stands alone: an engine guesses it without its neighbours. */
const ALONE = 0.2;

/** How often each text was read of what looks the same. */
type Votes = Map<string, Map<string, number>>;

/**
 * The letters of terminals' fonts, by the votes of what an engine read: one that errs is outvoted. A letter that is read as
 * another half of the time, as the `@` of some fonts, is never known; the words that it stands in are, each by itself.
 */
export class LearnedGlyphs {
  /** Letters, by ink and place over the baseline. */
  readonly #letters: Votes = new Map();
  /** Words with a letter that was not known, by all of their letters' keys. */
  readonly #words: Votes = new Map();

  /** Learns from a line where it is one of a terminal; gives its grid, null for none. */
  learn(line: LineInk, words: readonly OcrWord[], known: readonly CellGrid[]): CellGrid | null {
    const grid = gridOf(line, words, known);
    if (grid === null) return null;
    const cells = cellsOf(line, grid);
    const baseline = baselineOf(cells);
    for (const word of words) {
      const letters = Array.from(word.text);
      const own = cellsIn(cells, grid, word);
      if (own.length !== letters.length) continue;
      const weight = letters.length === 1 ? ALONE : word.confidence >= SURE ? 1 : 0.5;
      for (const [index, cell] of own.entries()) {
        vote(this.#letters, keyOf(cell, baseline), letters[index] ?? "", weight);
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
   * read as is remembered.
   */
  corrected(line: LineInk, grid: CellGrid, words: readonly OcrWord[], confidence: number): OcrWord[] {
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
      if (texts.includes(null) && isWord(group, text, grid.pitch)) {
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
    const flat = flatLetter(cell, baseline, pitch);
    if (flat !== null) return flat;
    return elected(this.#letters.get(keyOf(cell, baseline)), LEAST_VOTES);
  }
}

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

/** What was read so often, at least, and nearly always; null: nothing. */
function elected(votes: ReadonlyMap<string, number> | undefined, least: number): string | null {
  let [sum, most] = [0, 0];
  let found = "";
  for (const [text, count] of votes ?? []) {
    sum += count;
    if (count <= most) continue;
    most = count;
    found = text;
  }
  return most >= least && most >= LEAST_SHARE * sum ? found : null;
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

/** What engines lose or take for another: an underscore, and a tilde beside a hyphen. Their shapes are certain. */
function flatLetter({ rows, top, bottom }: Cell, baseline: number, pitch: number): string | null {
  const [first = 0, last = 0] = [rows[0], rows.at(-1)];
  const height = bottom - top;
  if (height > 5) return null;
  const columns = rows.reduce((all, bits) => all | bits, 0);
  const wide = 32 - Math.clz32(columns) - (31 - Math.clz32(columns & -columns));
  if (wide < 4 || wide < height) return null;
  if (top >= baseline) return height <= 3 && rows.every((bits) => bits === columns) ? "_" : null;
  // As wide as the cell and of rows that differ: a hyphen is a bar, and narrower.
  const isWave = height >= 2 && height <= 3 && bottom < baseline && wide >= 0.8 * pitch && first !== last;
  return isWave && !rows.includes(0) && bitCount(first) >= wide / 2 ? "~" : null;
}

/** Where letters are not known, those that were read, if there are as many. */
function mixed(texts: readonly (string | null)[], read: string): string {
  const letters = Array.from(read);
  if (letters.length !== texts.length) return read;
  return texts.map((text, index) => text ?? letters[index]).join("");
}

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

/** Cells whose middle lies in a word. */
function cellsIn(cells: readonly Cell[], { pitch, phase }: CellGrid, { rect }: OcrWord): Cell[] {
  return cells.filter(({ at }) => {
    const middle = at * pitch + phase + pitch / 2;
    return middle >= rect.x && middle <= rect.x + rect.width;
  });
}

function groupsOf(cells: readonly Cell[]): Cell[][] {
  const groups: Cell[][] = [];
  for (const cell of cells) {
    const group = groups.at(-1);
    if (group?.at(-1)?.at === cell.at - 1) group.push(cell);
    else groups.push([cell]);
  }
  return groups;
}

/** The grid in which most words are cells without a gap, as many as letters were read; one that is known first. */
function gridOf(line: LineInk, words: readonly OcrWord[], known: readonly CellGrid[]): CellGrid | null {
  const letters = words.reduce((sum, { text }) => sum + Array.from(text).length, 0);
  const columns = inkOfColumns(line);
  let best: CellGrid | null = null;
  let most = LEAST_FITTING * letters;
  // Of grids in which all fits, the one with the least ink between cells; among equals one that is known.
  const ask = (grid: CellGrid): void => {
    const across = acrossOf(columns, line, grid);
    if (across > MOST_ACROSS) return;
    const fits = fittingLetters(line, words, grid) - across;
    if (fits <= most) return;
    most = fits;
    best = grid;
  };
  for (const { pitch, phase } of known) ask({ pitch, phase });
  if (letters < LEAST_LETTERS) return best;
  const widths = words.flatMap(({ text, rect }) =>
    text.length > 3 ? [rect.width / Array.from(text).length] : [],
  );
  const guess = widths.sort((a, b) => a - b)[widths.length >> 1] ?? 0;
  const from = Math.max(NARROWEST_CELL, Math.floor(guess) - 1);
  for (let pitch = from; pitch <= Math.min(WIDEST_CELL, guess + 2); pitch++) {
    for (let phase = 0; phase < pitch; phase++) ask({ pitch, phase });
  }
  return best;
}

/** Ink that smoothing leaves does not count. */
function inkOfColumns({ ink, inkBox }: LineInk): Float32Array {
  const width = widthOf(inkBox);
  const sums = new Float32Array(width);
  for (let y = 0; y < heightOf(inkBox); y++) {
    for (let x = 0; x < width; x++) {
      const value = ink[y * width + x]!;
      if (value > 63) sums[x]! += value;
    }
  }
  return sums;
}

/** The mean ink of the columns in which cells begin, of the mean of all. */
function acrossOf(columns: Float32Array, { inkBox }: LineInk, { pitch, phase }: CellGrid): number {
  const all = columns.reduce((a, b) => a + b, 0) / Math.max(1, columns.length);
  const first = (((phase - inkBox.left) % pitch) + pitch) % pitch;
  let [sum, count] = [0, 0];
  for (let x = first; x < columns.length; x += pitch) {
    sum += columns[x]!;
    count++;
  }
  return count === 0 || all === 0 ? 1 : sum / count / all;
}

/** Letters of the words that are as many cells without a gap between them, and with one around them. */
function fittingLetters(line: LineInk, words: readonly OcrWord[], grid: CellGrid): number {
  const groups = groupsOf(cellsOf(line, grid));
  let fitting = 0;
  for (const word of words) {
    const letters = Array.from(word.text).length;
    const own = groups.filter((group) => cellsIn(group, grid, word).length > 0);
    if (own.length === 1 && own[0]?.length === letters) fitting += letters;
  }
  return fitting;
}
