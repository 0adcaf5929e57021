import { type Box, heightOf, widthOf } from "../cut/box.ts";
import type { LineInk } from "../cut/cut-line.ts";
import type { OcrWord } from "../ocr-messages.ts";

/**
 * Columns of a terminal's letters: `phase` is where one begins, modulo `pitch`, in columns of the picture. Whole numbers, but
 * where a terminal is shown at another size than it was painted in.
 */
export interface CellGrid {
  readonly pitch: number;
  readonly phase: number;
}

/** A cell with ink. */
export interface Cell {
  /** Its number from the left of the picture: next to each other are those that differ by one. */
  readonly at: number;
  /** Rows of the line's ink that it has ink in. */
  readonly top: number;
  readonly bottom: number;
  /** Which pixels of these rows are ink, a bit each, the leftmost the highest. */
  readonly rows: readonly number[];
  /** How much ink they are, in four levels: the same for the same letter of a smoothed font. */
  readonly key: string;
}

/** Fainter than the first of four levels is smoothing that reaches over from the neighbour. */
const LEVELS = 6;

/** More columns than a cell's bits have. */
export const WIDEST_CELL = 24;

/** The first column of a cell. */
const columnOf = ({ pitch, phase }: CellGrid, at: number): number => Math.round(at * pitch + phase);

/** Letters in cells of parts of a pixel have their outermost columns in common with their neighbours. */
const sharedColumns = ({ pitch }: CellGrid): number => (Number.isInteger(pitch) ? 0 : 1);

/** The cells of a line that have ink, from the left, at most so many. */
export function cellsOf({ ink, inkBox }: LineInk, grid: CellGrid, most = Number.MAX_SAFE_INTEGER): Cell[] {
  const { pitch, phase } = grid;
  const shared = sharedColumns(grid);
  const wide = Math.ceil(pitch);
  const width = widthOf(inkBox);
  const height = heightOf(inkBox);
  const first = Math.floor((inkBox.left - phase) / pitch);
  const last = Math.floor((inkBox.right - 1 - phase) / pitch);
  const cells: Cell[] = [];
  for (let at = first; at <= last && cells.length < most; at++) {
    const left = columnOf(grid, at) - inkBox.left;
    const from = Math.max(0, left + shared);
    const to = Math.min(width, columnOf(grid, at + 1) - inkBox.left - shared);
    const rows: number[] = [];
    const levels: number[] = [];
    let top = -1;
    let bottom = 0;
    for (let y = 0; y < height; y++) {
      let bits = 0;
      let [high, low] = [0, 0];
      for (let x = from; x < to; x++) {
        const level = ink[y * width + x]! >> LEVELS;
        if (level === 0) continue;
        const column = x - left;
        bits |= 1 << (wide - 1 - column);
        if (column < 8) high |= level << (2 * column);
        else low |= level << (2 * (column - 8));
      }
      if (bits !== 0) {
        if (top < 0) top = y;
        bottom = y + 1;
      }
      if (top < 0) continue;
      rows.push(bits);
      levels.push(high, low & 0xffff, low >>> 16);
    }
    if (top < 0) continue;
    const count = bottom - top;
    const key = String.fromCharCode(...levels.slice(0, 3 * count));
    cells.push({ at, top, bottom, rows: rows.slice(0, count), key });
  }
  return cells;
}

/** A letter in its cell. */
export interface CellLetter {
  readonly cell: Cell;
  readonly text: string;
}

/** Letters in cells as words: cells that follow each other are one. */
export function wordsOfCells(
  line: LineInk,
  grid: CellGrid,
  letters: readonly CellLetter[],
  confidence: number,
): OcrWord[] {
  const groups: CellLetter[][] = [];
  for (const letter of letters) {
    const group = groups.at(-1);
    if (group?.at(-1)?.cell.at === letter.cell.at - 1) group.push(letter);
    else groups.push([letter]);
  }
  return groups.flatMap((group) => {
    const text = group.map((letter) => letter.text).join("");
    const { left, right } = boundsOf(
      line,
      grid,
      group.map(({ cell }) => cell),
    );
    if (text === "") return [];
    const rect = { x: left, y: line.top, width: right - left, height: line.bottom - line.top };
    return [{ text, rect, confidence }];
  });
}

/** The columns of some cells next to each other, as far as the line reaches: a letter is as wide as its cell, whatever its ink. */
export function boundsOf(
  { inkBox }: LineInk,
  grid: CellGrid,
  cells: readonly Cell[],
): Pick<Box, "left" | "right"> {
  const [first, last] = [cells[0], cells.at(-1)];
  if (first === undefined || last === undefined) return { left: inkBox.left, right: inkBox.left };
  return {
    left: Math.max(inkBox.left, columnOf(grid, first.at)),
    right: Math.min(inkBox.right, columnOf(grid, last.at + 1)),
  };
}

export function bitCount(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count++;
  return count;
}
