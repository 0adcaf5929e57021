import { heightOf, widthOf } from "../cut/box.ts";
import type { LineInk } from "../cut/cut-line.ts";
import type { OcrWord } from "../ocr-messages.ts";
import { type Cell, type CellGrid, cellsOf, WIDEST_CELL } from "./cells.ts";

/** Letters of a line, at least, that tell a grid. */
const LEAST_LETTERS = 12;
const NARROWEST_CELL = 5;
/** Of a line's letters so many stand in words of as many cells as letters. */
const LEAST_FITTING = 0.6;
/** Ink in the columns where cells begin, of the mean of all columns: letters leave them nearly empty. */
const MOST_ACROSS = 0.5;

/** The same of cells of parts of a pixel, of which many more are tried: what is no terminal must not fit one by chance. */
const PARTIAL = { leastLetters: 20, leastWords: 3, leastFitting: 0.8, mostAcross: 0.45 } as const;
/** A word whose middle is further from its cells', of a cell, is not counted; and so many must not be. */
const MISPLACED = 0.3;
const MOST_MISPLACED = 0.2;
/** Tried around what words tell: parts of a pixel. */
const PITCHES = [-0.03, -0.02, -0.01, 0, 0.01, 0.02, 0.03] as const;
const PHASES = [-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1] as const;

/** Cells whose middle lies in a word. */
export function cellsIn(cells: readonly Cell[], { pitch, phase }: CellGrid, { rect }: OcrWord): Cell[] {
  return cells.filter(({ at }) => {
    const middle = at * pitch + phase + pitch / 2;
    return middle >= rect.x && middle <= rect.x + rect.width;
  });
}

export function groupsOf(cells: readonly Cell[]): Cell[][] {
  const groups: Cell[][] = [];
  for (const cell of cells) {
    const group = groups.at(-1);
    if (group?.at(-1)?.at === cell.at - 1) group.push(cell);
    else groups.push([cell]);
  }
  return groups;
}

/**
 * The grid in which most words are cells without a gap, as many as letters were read; one that is known first, and no other
 * where only those are asked for.
 */
export function gridOf(
  line: LineInk,
  words: readonly OcrWord[],
  known: readonly CellGrid[],
  isKnownOnly: boolean,
): CellGrid | null {
  const letters = words.reduce((sum, { text }) => sum + Array.from(text).length, 0);
  const columns = inkOfColumns(line);
  let best: CellGrid | null = null;
  let most = LEAST_FITTING * letters;
  // Of grids in which all fits, the one with the least ink between cells; among equals one that is known.
  const ask = (grid: CellGrid): void => {
    const across = acrossOf(columns, line, grid);
    if (across > (Number.isInteger(grid.pitch) ? MOST_ACROSS : PARTIAL.mostAcross)) return;
    const fits = fittingLetters(line, words, grid) - across;
    if (fits <= most) return;
    most = fits;
    best = grid;
  };
  for (const { pitch, phase } of known) ask({ pitch, phase });
  if (isKnownOnly || letters < LEAST_LETTERS) return best;
  const widths = words.flatMap(({ text, rect }) =>
    text.length > 3 ? [rect.width / Array.from(text).length] : [],
  );
  const guess = widths.sort((a, b) => a - b)[widths.length >> 1] ?? 0;
  const from = Math.max(NARROWEST_CELL, Math.floor(guess) - 1);
  for (let pitch = from; pitch <= Math.min(WIDEST_CELL, guess + 2); pitch++) {
    for (let phase = 0; phase < pitch; phase++) ask({ pitch, phase });
  }
  return best ?? partialGridOf(line, words, columns);
}

/**
 * The grid of a line that is shown at another size than it was painted in: cells are no whole number of pixels wide. The
 * middles of words lie on one line over the numbers of their letters; null where they do not.
 */
function partialGridOf(line: LineInk, words: readonly OcrWord[], columns: Float32Array): CellGrid | null {
  const letters = words.reduce((sum, { text }) => sum + Array.from(text).length, 0);
  if (letters < PARTIAL.leastLetters || words.length < PARTIAL.leastWords) return null;
  const guess = pitchOfWords(words);
  if (guess === null) return null;
  let [first, right] = [0, 0];
  const places = words.map(({ text, rect }, index) => {
    const count = Array.from(text).length;
    if (index > 0) first += Math.max(1, Math.round((rect.x - right) / guess));
    const middle = { letter: first + count / 2, x: rect.x + rect.width / 2 };
    first += count;
    right = rect.x + rect.width;
    return middle;
  });
  let fit = fitted(places);
  const placed = places.filter(
    ({ letter, x }) => Math.abs(fit.from + letter * fit.step - x) <= MISPLACED * fit.step,
  );
  if (placed.length < (1 - MOST_MISPLACED) * places.length) return null;
  fit = fitted(placed);
  if (fit.step < NARROWEST_CELL || fit.step > WIDEST_CELL) return null;
  let best: CellGrid | null = null;
  let least: number = PARTIAL.mostAcross;
  const middle = (columns.length >> 1) + line.inkBox.left;
  for (const morePitch of PITCHES) {
    for (const morePhase of PHASES) {
      const pitch = fit.step + morePitch;
      // Turned around the middle of the line.
      const phase = fit.from + morePhase - ((middle - fit.from) / fit.step) * morePitch;
      const across = acrossOf(columns, line, { pitch, phase });
      if (across >= least) continue;
      least = across;
      best = { pitch, phase: phase - Math.floor(phase / pitch) * pitch };
    }
  }
  return best !== null && fittingLetters(line, words, best) >= PARTIAL.leastFitting * letters ? best : null;
}

/** Columns a letter, by the widths of words, which are that many times their letters less the same margin; null for no line. */
function pitchOfWords(words: readonly OcrWord[]): number | null {
  const { step } = fitted(
    words.map(({ text, rect }) => ({ letter: Array.from(text).length, x: rect.width })),
  );
  return step >= NARROWEST_CELL - 1 && step <= WIDEST_CELL ? step : null;
}

/** The straight line through points, by least squares; step NaN where they are none. */
function fitted(points: readonly { readonly letter: number; readonly x: number }[]): {
  from: number;
  step: number;
} {
  const count = Math.max(1, points.length);
  const letter = points.reduce((sum, point) => sum + point.letter, 0) / count;
  const x = points.reduce((sum, point) => sum + point.x, 0) / count;
  const across = points.reduce((sum, point) => sum + (point.letter - letter) * (point.x - x), 0);
  const spread = points.reduce((sum, point) => sum + (point.letter - letter) ** 2, 0);
  const step = across / spread;
  return { from: x - step * letter, step };
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
  const isWhole = Number.isInteger(pitch);
  let [sum, count] = [0, 0];
  for (let x = first; x < columns.length; x += pitch) {
    const column = Math.min(columns.length - 1, Math.round(x));
    // Between two pixels a cell begins on either.
    sum += isWhole ? columns[column]! : Math.min(columns[column]!, columns[Math.max(0, column - 1)]!);
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
