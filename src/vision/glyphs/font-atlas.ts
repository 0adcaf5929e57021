import { readFile } from "node:fs/promises";
import { VisionError } from "../error.ts";
import { bitCount, type Cell } from "./cells.ts";

/** Glyphs of fonts that ship, from src/ and dist/ alike; scripts/font-atlas.ts writes them. */
const FONTS = new URL("../../../data/fonts/fixed.txt", import.meta.url);

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

/** The glyphs of fonts whose cells have one size: a font and its bold one stand in one line. */
export class AtlasFont {
  readonly width: number;
  readonly height: number;
  readonly #glyphs: readonly Glyph[];
  readonly #byRows = new Map<string, Glyph[]>();

  constructor(width: number, height: number, glyphs: readonly Glyph[]) {
    this.width = width;
    this.height = height;
    this.#glyphs = glyphs;
    for (const glyph of glyphs) {
      const key = rowsKey(glyph.rows);
      this.#byRows.set(key, [...(this.#byRows.get(key) ?? []), glyph]);
    }
  }

  /** How many of some cells are glyphs of it, wherever they stand. */
  known(cells: readonly Cell[]): number {
    return cells.reduce((sum, { rows }) => sum + (this.#byRows.has(rowsKey(rows)) ? 1 : 0), 0);
  }

  /** The letter of each cell of a line, "" for a block caret; null where they are not all letters of this font. */
  read(cells: readonly Cell[]): string[] | null {
    const baseline = this.#baselineOf(cells);
    if (baseline === null) return null;
    let exact = 0;
    const letters: string[] = [];
    for (const cell of cells) {
      const known = this.#byRows.get(rowsKey(cell.rows))?.find(({ top }) => cell.top - top === baseline);
      if (known !== undefined) exact++;
      const text = known?.text ?? this.#inverse(cell, baseline) ?? this.#nearest(cell, baseline);
      if (text === null) return null;
      letters.push(text);
    }
    return exact >= LEAST_EXACT * cells.length ? letters : null;
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
  for (const line of (await readFile(FONTS, "utf8")).trimEnd().split("\n")) {
    const [text = "", top = "", hex = ""] = line.split(" ");
    const [, size, width, height] = /^(?:font )((\d+)x(\d+))B?$/.exec(line) ?? [];
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
