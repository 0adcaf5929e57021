import { Path2D, type SKRSContext2D } from "@napi-rs/canvas";
import { ABOVE_BASELINE, GLYPHS, MISSING } from "./glyphs.ts";
import type { Font } from "./theme.ts";

const COLUMNS = 5;
const SPACE_COLUMNS = 3;
/** Height of a capital in the em, as in common sans fonts. */
const CAP_HEIGHT = 0.72;

interface Glyph {
  readonly path: Path2D;
  /** In grid steps, the gap to the next glyph included. */
  readonly advance: number;
}

/**
 * Text without any font: each glyph's grid of dots, neighbours joined by round strokes, so that it is smooth at
 * every size.
 */
export class StrokeTypeface {
  readonly #glyphs = new Map<string, Glyph>();

  measure(text: string, font: Font): number {
    let steps = 0;
    for (const character of text) steps += this.#glyph(character).advance;
    return steps * stepPx(font);
  }

  draw(context: SKRSContext2D, text: string, x: number, baselineY: number, font: Font, colour: string): void {
    const step = stepPx(font);
    context.save();
    context.strokeStyle = colour;
    context.lineCap = "round";
    context.lineJoin = "round";
    context.lineWidth = font.weight === "bold" ? 1.25 : 0.9;
    context.translate(x, baselineY);
    context.scale(step, step);
    for (const character of text) {
      const glyph = this.#glyph(character);
      context.stroke(glyph.path);
      context.translate(glyph.advance, 0);
    }
    context.restore();
  }

  #glyph(character: string): Glyph {
    const known = this.#glyphs.get(character);
    if (known !== undefined) return known;
    const made = character === " " ? { path: new Path2D(), advance: SPACE_COLUMNS } : join(rowsOf(character));
    // What is missing shares one box, so that text from outside cannot fill the memory.
    if (GLYPHS[character] !== undefined || character === " ") this.#glyphs.set(character, made);
    return made;
  }
}

function stepPx(font: Font): number {
  return (font.sizePx * CAP_HEIGHT) / (ABOVE_BASELINE - 0.2);
}

/** One number a row, bit 4 leftmost. */
function rowsOf(character: string): number[] {
  return [...(GLYPHS[character] ?? MISSING)].map((digit) => Number.parseInt(digit, 32));
}

/** Strokes between lit neighbours; diagonals only where no straight way joins them. The baseline is y = 0. */
function join(rows: readonly number[]): Glyph {
  const path = new Path2D();
  const isLit = (x: number, y: number): boolean =>
    (((rows[y] ?? 0) << x) & 16) !== 0 && x >= 0 && x < COLUMNS;
  const all = rows.reduce((bits, row) => bits | row, 0);
  const left = Math.clz32(all) - 27;
  const width = COLUMNS - left - (31 - Math.clz32(all & -all));
  for (let y = 0; y < rows.length; y++) {
    for (let x = left; x < left + width; x++) {
      if (!isLit(x, y)) continue;
      const isRight = isLit(x + 1, y);
      const isBelow = isLit(x, y + 1);
      const isLeft = isLit(x - 1, y);
      stroke(path, x - left, y, 0, 0);
      if (isRight) stroke(path, x - left, y, 1, 0);
      if (isBelow) stroke(path, x - left, y, 0, 1);
      if (isLit(x + 1, y + 1) && !isRight && !isBelow) stroke(path, x - left, y, 1, 1);
      if (isLit(x - 1, y + 1) && !isLeft && !isBelow) stroke(path, x - left, y, -1, 1);
    }
  }
  return { path, advance: width + 1 };
}

function stroke(path: Path2D, column: number, row: number, dx: number, dy: number): void {
  const x = column + 0.5;
  const y = row - ABOVE_BASELINE + 0.5;
  path.moveTo(x, y);
  path.lineTo(x + (dx === 0 && dy === 0 ? 0.01 : dx), y + dy);
}
