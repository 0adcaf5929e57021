import { readFile } from "node:fs/promises";
import { PACKAGE_FOLDER } from "../../platform/package-folder.ts";
import { VisionError } from "../error.ts";
import { bitCount, type Cell } from "./cells.ts";

/** Glyphs of fonts that ship; scripts/font-atlas.ts writes them. */
const FONTS = ["fixed.txt", "ofl.txt"].map((name) => new URL(`data/fonts/${name}`, PACKAGE_FOLDER));

interface Glyph {
  readonly text: string;
  /** Of its first row with ink, from the baseline. */
  readonly top: number;
  readonly rows: readonly number[];
}

/** Pixels by which a glyph may differ that a neighbour's ink, or a caret, touches. */
const MOST_TOUCHED = 2;
/** So many of all cells must be exact. */
const LEAST_EXACT = 0.85;
/** Rows above a glyph, and below it, that are a neighbour's or an underline. */
const MOST_FOREIGN = 3;
/** Rows of a glyph that is known beside them. */
const LEAST_OWN = 2;
/** Rows of a glyph that are there where others were cut off. */
const LEAST_CLIPPED = 4;
/** Of its cell's height a block leaves so many rows free, at most. */
const BLOCK_MARGIN = 3;

/** The letter of each cell. */
export interface AtlasReading {
  readonly letters: readonly string[];
  /** Cells that are no glyph of the font pixel by pixel. */
  readonly inexact: number;
}

/** The glyphs of fonts whose cells have one size: a font and its bold one stand in one line. */
export class AtlasFont {
  readonly width: number;
  readonly height: number;
  readonly #glyphs: readonly Glyph[];
  readonly #byRows = new Map<string, Glyph[]>();
  /** Rows of ASCII's letters over the baseline. */
  readonly #ascent: number;

  constructor(width: number, height: number, glyphs: readonly Glyph[]) {
    this.width = width;
    this.height = height;
    this.#glyphs = glyphs;
    this.#ascent = glyphs.reduce((most, { text, top }) => (text < "\x7f" ? Math.max(most, -top) : most), 0);
    for (const glyph of glyphs) {
      const key = rowsKey(glyph.rows);
      this.#byRows.set(key, [...(this.#byRows.get(key) ?? []), glyph]);
    }
  }

  /** How many of some cells are glyphs of it, wherever they stand. */
  known(cells: readonly Cell[]): number {
    return cells.reduce((sum, { rows }) => sum + (this.#byRows.has(rowsKey(rows)) ? 1 : 0), 0);
  }

  /**
   * The letter of each cell of a line, "" for a block caret and for ink that is not the line's own; null where they are not
   * all letters of this font.
   */
  read(cells: readonly Cell[]): AtlasReading | null {
    const baseline = this.#baselineOf(cells);
    if (baseline === null) return null;
    let [exact, foreign] = [0, 0];
    const lowest = cells.reduce((most, { bottom }) => Math.max(most, bottom), 0);
    const letters: string[] = [];
    for (const cell of cells) {
      const known = this.#byRows.get(rowsKey(cell.rows))?.find(({ top }) => cell.top - top === baseline);
      if (known !== undefined) exact++;
      const text =
        known?.text ??
        this.#inverse(cell, baseline) ??
        this.#touched(cell, baseline) ??
        this.#nearest(cell, baseline) ??
        this.#clipped(cell, baseline, lowest);
      const isForeign = text === null && this.#isForeign(cell, baseline, cells);
      if (text === null && !isForeign) return null;
      if (isForeign) foreign++;
      letters.push(text ?? "");
    }
    const isRead = exact > 0 && exact >= LEAST_EXACT * (cells.length - foreign);
    return isRead ? { letters, inexact: cells.length - exact } : null;
  }

  /** The glyph with the most rows of which a cell differs only in rows above and below: an underline, or letters that touch. */
  #touched({ rows, top }: Cell, baseline: number): string | null {
    const above = top - baseline;
    const all = (1 << this.width) - 1;
    let found: Glyph | null = null;
    for (const glyph of this.#glyphs) {
      const from = glyph.top - above;
      const below = rows.length - from - glyph.rows.length;
      if (from < 0 || below < 0 || inked(rows, 0, from) > MOST_FOREIGN) continue;
      if (inked(rows, rows.length - below, rows.length) > MOST_FOREIGN) continue;
      if (glyph.rows.length < LEAST_OWN || glyph.rows.length <= (found?.rows.length ?? 0)) continue;
      // An underline may be seen only beside the letter, where its own ink was kept.
      const isUnderlined = (row: number, bits: number): boolean =>
        row + above > 0 && (rows[row] === all || (bits !== 0 && ((rows[row] ?? 0) & bits) === bits));
      if (glyph.rows.every((bits, row) => rows[from + row] === bits || isUnderlined(from + row, bits)))
        found = glyph;
    }
    return found?.text ?? null;
  }

  /** The only glyph that begins as a cell does whose lowest rows were cut off with the line's. */
  #clipped({ rows, top, bottom }: Cell, baseline: number, lowest: number): string | null {
    if (bottom < lowest || rows.length < LEAST_CLIPPED) return null;
    let found: string | null = null;
    for (const glyph of this.#glyphs) {
      const missing = glyph.rows.length - rows.length;
      if (glyph.top !== top - baseline || missing <= 0 || missing > MOST_FOREIGN) continue;
      if (!rows.every((bits, row) => glyph.rows[row] === bits)) continue;
      if (found !== null && found !== glyph.text) return null;
      found = glyph.text;
    }
    return found;
  }

  /** The side of a block of inverse words before or behind the line, or what reaches over from the lines above and below. */
  #isForeign(cell: Cell, baseline: number, cells: readonly Cell[]): boolean {
    const { rows, top, bottom } = cell;
    if (top >= baseline || bottom <= baseline - this.#ascent) return true;
    if (rows.length < this.height - BLOCK_MARGIN) return false;
    const left = 1 << (this.width - 1);
    const isBefore = cell === cells[0] && rows.every((bits) => (bits & 1) === 1);
    const isBehind = cell === cells.at(-1) && rows.every((bits) => (bits & left) !== 0);
    return isBefore || isBehind;
  }

  /** The row in which most of the glyphs stand. */
  #baselineOf(cells: readonly Cell[]): number | null {
    const votes = new Map<number, number>();
    for (const { rows, top } of cells) {
      for (const row of new Set(this.#byRows.get(rowsKey(rows))?.map((glyph) => top - glyph.top))) {
        votes.set(row, (votes.get(row) ?? 0) + 1);
      }
    }
    const [most] = [...votes].sort((a, b) => b[1] - a[1]);
    return most === undefined ? null : most[0];
  }

  /** A letter under a block caret is ground in ink. */
  #inverse({ rows, top }: Cell, baseline: number): string | null {
    const all = (1 << this.width) - 1;
    if (rows.length < this.height - 2) return null;
    const ground = rows.map((bits) => all & ~bits);
    const first = ground.findIndex((bits) => bits !== 0);
    if (first < 0) return "";
    const last = ground.findLastIndex((bits) => bits !== 0);
    const glyphs = this.#byRows.get(rowsKey(ground.slice(first, last + 1))) ?? [];
    return glyphs.find((glyph) => Math.abs(top + first - glyph.top - baseline) <= 1)?.text ?? null;
  }

  /** The only glyph of which a cell differs by little. */
  #nearest({ rows, top }: Cell, baseline: number): string | null {
    const above = top - baseline;
    let found: string | null = null;
    let least = MOST_TOUCHED + 1;
    for (const glyph of this.#glyphs) {
      const from = Math.min(above, glyph.top);
      const to = Math.max(above + rows.length, glyph.top + glyph.rows.length);
      if (to - from > glyph.rows.length + MOST_TOUCHED) continue;
      let differs = 0;
      for (let y = from; y < to && differs <= least; y++) {
        differs += bitCount((rows[y - above] ?? 0) ^ (glyph.rows[y - glyph.top] ?? 0));
      }
      if (differs > least) continue;
      found = differs < least || found === glyph.text ? glyph.text : null;
      least = differs;
    }
    return least <= MOST_TOUCHED ? found : null;
  }
}

/** How many of some rows have ink. */
const inked = (rows: readonly number[], from: number, to: number): number => {
  let count = 0;
  for (let row = from; row < to; row++) if (rows[row] !== 0) count++;
  return count;
};

const rowsKey = (rows: readonly number[]): string => String.fromCharCode(...rows);

let atlas: Promise<readonly AtlasFont[]> | null = null;

/** Fonts of terminals that are known letter by letter, loaded when first asked for. */
export function fontAtlas(): Promise<readonly AtlasFont[]> {
  atlas ??= loadAtlas();
  return atlas;
}

async function loadAtlas(): Promise<readonly AtlasFont[]> {
  const sizes = new Map<string, { width: number; height: number; glyphs: Glyph[] }>();
  let font: { width: number; glyphs: Glyph[] } | null = null;
  const files = await Promise.all(FONTS.map(async (font) => (await readFile(font, "utf8")).trimEnd()));
  for (const line of files.join("\n").split("\n")) {
    const [text = "", top = "", hex = ""] = line.split(" ");
    const [, size, width, height] = /^font ((?:[a-z]+ )?(\d+)x(\d+))B?$/.exec(line) ?? [];
    if (size !== undefined) {
      const known = sizes.get(size) ?? { width: Number(width), height: Number(height), glyphs: [] };
      sizes.set(size, known);
      font = known;
      continue;
    }
    if (font === null) throw new VisionError("engine_failed", "the file of fonts begins without a font");
    font.glyphs.push({ text, top: Number(top), rows: rowsOf(hex, Math.ceil(font.width / 4)) });
  }
  return [...sizes.values()].map(({ width, height, glyphs }) => new AtlasFont(width, height, glyphs));
}

const rowsOf = (hex: string, digits: number): number[] =>
  Array.from({ length: hex.length / digits }, (_, row) =>
    Number.parseInt(hex.slice(row * digits, (row + 1) * digits), 16),
  );
