import { widthOf } from "../cut/box.ts";
import type { LineInk } from "../cut/cut-line.ts";
import type { OcrWord } from "../ocr-messages.ts";
import { type Cell, type CellGrid, cellsOf, wordsOfCells } from "./cells.ts";
import { gridOf } from "./find-grid.ts";
import { type AtlasFont, fontAtlas } from "./font-atlas.ts";
import { LearnedGlyphs } from "./learned-glyphs.ts";

/** A grid in which a line was read, and the font that it was read with; null for what was learned. */
interface KnownGrid extends CellGrid {
  readonly font: AtlasFont | null;
}

/** A line as it is in one of them. */
interface GridReading {
  readonly grid: KnownGrid;
  readonly words: OcrWord[];
  /** Cells that were read by likeness. */
  readonly inexact: number;
}

/** Terminals on one screen, and where they stood before. */
const MOST_GRIDS = 16;
/** Cells that decide whether a font is tried on the rest of a line. */
const TRIED_CELLS = 12;
const LEAST_KNOWN = 0.8;
/** More of these are unknown in a font that none of them is of, so that most fonts are not tried on more. */
const FIRST_CELLS = 4;
/** Fewer cells than this, or of fewer letters, may be anything: they are read only in a grid that is known. */
const LEAST_CELLS = 6;
const LEAST_LETTERS = 4;

/** As sure as an engine is at most. */
const EXACT = 100;
const LEARNED = 95;

/**
 * Reads lines of terminals letter by letter: each stands in a cell of its own, with the same pixels wherever it stands. Fonts
 * of X are known, others are learned from what an engine read.
 */
export class CellReader {
  readonly #fonts: readonly AtlasFont[];
  readonly #learned = new LearnedGlyphs();
  #grids: KnownGrid[] = [];

  private constructor(fonts: readonly AtlasFont[]) {
    this.#fonts = fonts;
  }

  static async open(): Promise<CellReader> {
    return new CellReader(await fontAtlas());
  }

  /** The words of each line that is known in full; null for the others. */
  read(lines: readonly LineInk[]): (OcrWord[] | null)[] {
    // Long ones first: they tell the grid of the short ones.
    const order = lines.map((_, index) => index).sort((a, b) => widthIn(lines, b) - widthIn(lines, a));
    const words: (OcrWord[] | null)[] = lines.map(() => null);
    for (const index of order) {
      const line = lines[index];
      if (line !== undefined) words[index] = this.#read(line);
    }
    return words;
  }

  /** What an engine read of lines is learned from, and set right where letters are known better. */
  learn(lines: readonly LineInk[], words: readonly (readonly OcrWord[])[]): (readonly OcrWord[])[] {
    const isNew = (grid: CellGrid): boolean =>
      !this.#grids.some((other) => other.font === null && isSameGrid(other, grid));
    let hasNew = false;
    const found = lines.map((line, index) => {
      const grid = this.#learned.learn(line, words[index] ?? [], this.#grids);
      if (grid === null) return null;
      hasNew ||= isNew(grid);
      this.#keep({ ...grid, font: null });
      return grid;
    });
    // A long line tells the grid of shorter ones above it.
    const grids = hasNew
      ? found.map((grid, index) => {
          const line = lines[index];
          if (grid !== null || line === undefined) return grid;
          return this.#learned.learn(line, words[index] ?? [], this.#grids, true);
        })
      : found;
    return lines.map((line, index) => {
      const read = words[index] ?? [];
      const grid = grids[index] ?? null;
      return grid === null ? read : this.#learned.corrected(line, grid, read, LEARNED);
    });
  }

  /** Set right where letters are known better; nothing is learned from it. */
  corrected(line: LineInk, words: readonly OcrWord[]): readonly OcrWord[] {
    const grid = gridOf(line, words, this.#grids, false);
    return grid === null ? words : this.#learned.corrected(line, grid, words, LEARNED, false);
  }

  #read(line: LineInk): OcrWord[] | null {
    let best: GridReading | null = null;
    for (const grid of this.#grids) {
      const reading = this.#readIn(line, grid);
      if (reading === null || (best !== null && best.inexact <= reading.inexact)) continue;
      best = reading;
      if (best.inexact === 0) break;
    }
    // Fonts of one width have letters in common: one that knows all of them may not have been met yet.
    if (best === null || best.inexact > 0) {
      const found = this.#findFont(line);
      const reading = found === null ? null : this.#readIn(line, found);
      if (reading !== null && (best === null || reading.inexact < best.inexact)) best = reading;
    }
    if (best === null) return null;
    this.#keep(best.grid);
    return best.words;
  }

  #readIn(line: LineInk, grid: KnownGrid): GridReading | null {
    const { font } = grid;
    if (font === null) {
      const words = this.#learned.read(line, grid, LEARNED);
      return words === null ? null : { grid, words, inexact: 0 };
    }
    if (line.bottom - line.top > font.height + 1) return null;
    const cells = cellsOf(line, grid);
    const reading = font.read(cells);
    if (reading === null) return null;
    const { letters, inexact } = reading;
    return { grid, words: wordsOfCells(line, grid, lettersIn(cells, letters), EXACT), inexact };
  }

  /** The font and the grid in which the most of a line's cells are letters, of those that know its first ones. */
  #findFont(line: LineInk): (CellGrid & { readonly font: AtlasFont }) | null {
    let best: (CellGrid & { readonly font: AtlasFont }) | null = null;
    let most = 0;
    for (const pitch of new Set(this.#fonts.map(({ width }) => width))) {
      if (widthOf(line.inkBox) < pitch * LEAST_CELLS) continue;
      const fonts = this.#fonts.filter(
        ({ width, height }) => width === pitch && line.bottom - line.top <= height + 1,
      );
      for (let phase = 0; phase < pitch; phase++) {
        const first = cellsOf(line, { pitch, phase }, FIRST_CELLS);
        const likely = fonts.filter(
          (font) => first.length - font.known(first) <= (1 - LEAST_KNOWN) * TRIED_CELLS,
        );
        if (likely.length === 0) continue;
        const cells = cellsOf(line, { pitch, phase }, TRIED_CELLS);
        if (cells.length < LEAST_CELLS || lettersOf(cells) < LEAST_LETTERS) continue;
        let all: readonly Cell[] | null = null;
        for (const font of likely) {
          if (font.known(cells) < LEAST_KNOWN * cells.length) continue;
          all ??= cellsOf(line, { pitch, phase });
          const known = font.known(all) * pitch;
          if (known <= most) continue;
          most = known;
          best = { pitch, phase, font };
        }
      }
    }
    return best;
  }

  /** What was used last is tried first. */
  #keep(grid: KnownGrid): void {
    const others = this.#grids.filter((other) => other.font !== grid.font || !isSameGrid(other, grid));
    this.#grids = [grid, ...others].slice(0, MOST_GRIDS);
  }
}

const isSameGrid = (a: CellGrid, b: CellGrid): boolean => a.pitch === b.pitch && a.phase === b.phase;

const lettersOf = (cells: readonly Cell[]): number => new Set(cells.map(({ key }) => key)).size;

const lettersIn = (cells: readonly Cell[], texts: readonly string[]) =>
  cells.flatMap((cell, index) => {
    const text = texts[index] ?? "";
    return text === "" ? [] : [{ cell, text }];
  });

function widthIn(lines: readonly LineInk[], index: number): number {
  const line = lines[index];
  return line === undefined ? 0 : widthOf(line.inkBox);
}

/** Words of lines that were known, and those of the others in their places. */
export function withUnknown(
  known: readonly (readonly OcrWord[] | null)[],
  others: readonly (readonly OcrWord[])[],
): (readonly OcrWord[])[] {
  let next = 0;
  return known.map((words) => words ?? others[next++] ?? []);
}
