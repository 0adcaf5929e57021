import { createCanvas } from "@napi-rs/canvas";
import type { Context } from "./shape.ts";

/** A size of type; `css` as canvas takes it. */
export interface Font {
  readonly css: string;
  readonly sizePx: number;
  readonly lineHeightPx: number;
}

const FAMILY = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif';

export const TAG_FONT: Font = { css: `600 13px ${FAMILY}`, sizePx: 13, lineHeightPx: 20 };
export const TEXT_FONT: Font = { css: `500 16px ${FAMILY}`, sizePx: 16, lineHeightPx: 22 };

/** Share of the size a letter takes on average: what we assume where no font is installed. */
const LETTER_SHARE = 0.58;

/** Widths kept of one font: letters, pairs of them, and texts that must be measured whole. */
const MOST_KEPT = 20_000;

/**
 * Letters whose widths add up, with what a pair of them is drawn nearer: Latin, Greek, Cyrillic, punctuation and
 * symbols, Chinese, Japanese, Korean. Others join, reorder or combine, and are measured whole.
 */
const ADDS_UP =
  /^[ -~\u00a0-\u02ff\u0370-\u0482\u048a-\u058f\u1e00-\u1fff\u2010-\u2027\u2030-\u20cf\u2100-\u2bff\u2e80-\ud7ff\uf900-\ufaff\uff01-\uffee]*$/;

/** Fonts draw pairs of letters and marks below this nearer to each other, also an ASCII one and another. */
const KERNED_BELOW = "\u2030";

/** What adding letters may be off, in pixels: an even width stays even. */
const ADDED_SLACK = 0.05;

/** Measures in one font. Canvas takes 20 µs for a word and a millisecond for a long text: what is known is added up. */
class Ruler {
  readonly #context = createCanvas(1, 1).getContext("2d");
  readonly #sizePx: number;
  readonly #known = new Map<string, number>();

  constructor(font: Font) {
    this.#context.font = font.css;
    this.#sizePx = font.sizePx;
  }

  width(text: string): number {
    if (!ADDS_UP.test(text)) return this.#measured(text);
    let sum = 0;
    let before = "";
    for (const letter of text) {
      const isPair = before !== "" && before < KERNED_BELOW && letter < KERNED_BELOW;
      sum += isPair ? this.#measured(before + letter) - this.#measured(before) : this.#measured(letter);
      before = letter;
    }
    return Math.max(0, sum - ADDED_SLACK);
  }

  #measured(text: string): number {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const { width } = this.#context.measureText(text);
    const isKnown = Number.isFinite(width) && width > 0;
    const measured = isKnown ? width : text.length * this.#sizePx * LETTER_SHARE;
    if (this.#known.size >= MOST_KEPT) this.#known.clear();
    this.#known.set(text, measured);
    return measured;
  }
}

const rulers = new Map<Font, Ruler>();

/** The width in pixels, rounded up; an estimate where no font is installed. */
export function textWidth(font: Font, text: string): number {
  if (text === "") return 0;
  const ruler = rulers.get(font) ?? new Ruler(font);
  rulers.set(font, ruler);
  return Math.ceil(ruler.width(text));
}

/**
 * One line that shows nothing but letters: control and direction-changing characters and halves of pairs become
 * spaces. Canvas throws for some of them, so all text comes through here.
 */
export function cleanLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, " ")
    .replace(/ {2,}/g, " ")
    .trim();
}

/** The text, or as much of its beginning as fits before an ellipsis. */
export function fitText(font: Font, text: string, mostPx: number): string {
  if (textWidth(font, text) <= mostPx) return text;
  const letters = [...text];
  return `${letters
    .slice(0, longestFit(font, letters, "…", mostPx))
    .join("")
    .trimEnd()}…`;
}

/** Lines no wider than `mostPx`, broken at spaces and, where a word alone is wider, within it; the last may end in "…". */
export function wrapText(font: Font, text: string, mostPx: number, mostLines: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split(/\r\n|\r|\n/)) {
    // One line too many tells that there are more.
    if (lines.length > mostLines) break;
    lines.push(...wrapParagraph(font, cleanLine(paragraph), mostPx, mostLines + 1 - lines.length));
  }
  const last = lines[mostLines - 1];
  if (lines.length <= mostLines || last === undefined) return lines;
  return [...lines.slice(0, mostLines - 1), fitText(font, `${last}…`, mostPx)];
}

/** At most `mostLines`; what would stand below them is not even measured. */
function wrapParagraph(font: Font, text: string, mostPx: number, mostLines: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (textWidth(font, longer) <= mostPx) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    let rest = [...word];
    while (lines.length < mostLines) {
      const count = Math.max(1, longestFit(font, rest, "", mostPx));
      if (count >= rest.length) break;
      lines.push(rest.slice(0, count).join(""));
      rest = rest.slice(count);
    }
    if (lines.length >= mostLines) return lines;
    line = rest.join("");
  }
  lines.push(line);
  return lines;
}

/** How many letters from the first on fit together with `tail`; measures little more than those. */
function longestFit(font: Font, letters: readonly string[], tail: string, mostPx: number): number {
  const fit = (count: number): boolean => textWidth(font, letters.slice(0, count).join("") + tail) <= mostPx;
  let fits = 0;
  let tooMany = 1;
  while (tooMany <= letters.length && fit(tooMany)) {
    fits = tooMany;
    tooMany *= 2;
  }
  tooMany = Math.min(tooMany, letters.length + 1);
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1;
    if (fit(middle)) fits = middle;
    else tooMany = middle;
  }
  return fits;
}

/** Draws one line whose box of `lineHeightPx` has its top left corner at (x, y). */
export function drawLine(
  context: Context,
  font: Font,
  text: string,
  x: number,
  y: number,
  ink: string,
): void {
  context.font = font.css;
  context.fillStyle = ink;
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  // Capitals are about 0.72 of the size tall: this puts their middle on the line's middle, whatever the font says.
  context.fillText(text, x, Math.round(y + (font.lineHeightPx + font.sizePx * 0.72) / 2));
}
