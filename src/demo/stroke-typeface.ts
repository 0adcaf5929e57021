import { Path2D, type SKRSContext2D } from "@napi-rs/canvas";
import type { Font } from "./theme.ts";

/**
 * A 5x7 face of our own, each character with one base-32 digit a row from the top, bit 4 the leftmost of the five
 * columns; an eighth and a ninth row lie below the baseline. Printable ASCII and the letters people try first.
 */
const FACE = [
  "! 4444404 \" aaa0000 # 0avavaa $ 4fke5u4 % op248j3 & cik8lid ' 4440000 ( 2488842 ) 8422248 * 04lel40",
  "+ 044v440 , 00000448 - 000e000 . 0000004 / 1122488 0 ehjlphe 1 4c4444e 2 eh1248v 3 eh161he 4 26aiv22",
  "5 vgu11he 6 68guhhe 7 v122444 8 ehhehhe 9 ehhf12c : 0040040 ; 00400448 < 0248420 = 00v0v00 > 0842480",
  "? eh12404 @ ehnlmge A ehhvhhh B uhhuhhu C ehggghe D uhhhhhu E vgguggv F vgguggg G ehgnhhf H hhhvhhh",
  "I e44444e J 72222ic K hikokih L ggggggv M hrllhhh N hhpljhh O ehhhhhe P uhhuggg Q ehhhlid R uhhukih",
  "S ehge1he T v444444 U hhhhhhe V hhhhaa4 W hhhllra X hha4ahh Y hha4444 Z v12488v [ e88888e \\ 8842211",
  "] e22222e ^ 4ah0000 _ 0000000v ` 8400000 a 00e1fhf b gguhhhu c 00ehghe d 11fhhhf e 00ehvgf f 698s888",
  "g 00fhhhf1e h ggmphhh i 4044444 j 2022222ic k ggikoki l c444446 m 00qllll n 00mphhh o 00ehhhe",
  "p 00uhhhugg q 00fhhhf11 r 00mpggg s 00fge1u t 88s8896 u 00hhhjd v 00hhha4 w 00hhlla x 00ha4ah",
  "y 00hhhhf1e z 00v248v { 2448442 | 44444444 } 8442448 ~ 0008l20 Ä h0ehvhh Ö h0ehhhe Ü h0hhhhe",
  "ä a0e1fhf ö a0ehhhe ü a0hhhjd ß cikihhm é 24ehvgf è 84ehvgf ñ d0mphhh € 69s8s96 Ω 0ehhhar · 0004000",
  "… 000000l – 000v000 − 000v000 × 00a4a00 → 042v240",
].join(" ");

export const GLYPHS: ReadonlyMap<string, string> = new Map(
  Array.from(FACE.matchAll(/(\S) (\S+)/gu), ([, character = "", rows = ""]) => [character, rows]),
);

/** An empty box, for what has no glyph. */
const MISSING = "vhhhhhv";
/** Rows above the baseline; glyphs may have two more below it. */
const ABOVE_BASELINE = 7;
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
    if (GLYPHS.has(character) || character === " ") this.#glyphs.set(character, made);
    return made;
  }
}

function stepPx(font: Font): number {
  return (font.sizePx * CAP_HEIGHT) / (ABOVE_BASELINE - 0.2);
}

/** One number a row, bit 4 leftmost. */
function rowsOf(character: string): number[] {
  return [...(GLYPHS.get(character) ?? MISSING)].map((digit) => Number.parseInt(digit, 32));
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
