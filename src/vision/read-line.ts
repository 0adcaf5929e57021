import { type Box, heightOf, joinBoxes, rectOfBox, widthOf } from "./cut/box.ts";
import type { LineInk } from "./cut/cut-line.ts";
import { type CellReader, withUnknown } from "./glyphs/cell-reader.ts";
import type { EngineWord, GreyPicture, OcrEngine } from "./ocr-engine.ts";
import type { OcrLine, OcrWord } from "./ocr-messages.ts";

/** The network was taught with letters of about this height: a line and its margin are brought to it, within limits. */
const READ_HEIGHT = 36;
const LEAST_SCALE = 1.5;
const MOST_SCALE = 4;
/** The engine counts pixels in 15 bits. */
const LONGEST_READ = 32_000;
/** White around a line, without which letters at its ends are lost. */
const FRAME = 10;

/** Fainter ink parts words as well as none. */
const SURE_INK = 40;

/**
 * The words of each line, in the box of their own ink; none where the engine finds nothing worth telling. Rejects as
 * `OcrEngine.read` does.
 */
export async function readByEngine(engine: OcrEngine, lines: readonly LineInk[]): Promise<OcrWord[][]> {
  const scales = lines.map(({ inkBox }) => {
    const wanted = Math.max(LEAST_SCALE, Math.min(MOST_SCALE, READ_HEIGHT / heightOf(inkBox)));
    return Math.min(wanted, LONGEST_READ / widthOf(inkBox));
  });
  const found = await engine.read(picturesOf(lines, scales));
  return lines.map((line, index) => {
    const scale = scales[index] ?? 1;
    const read = (found[index] ?? []).map(({ text, rect, confidence }) => ({
      text,
      confidence,
      left: (rect.x - FRAME) / scale,
      right: (rect.x + rect.width - FRAME) / scale,
    }));
    return isText(read) ? placed(line, read) : [];
  });
}

/** Lines as an engine reads them, each when it is taken: all of a screen's are many bytes. */
function* picturesOf(lines: readonly LineInk[], scales: readonly number[]): Generator<GreyPicture> {
  for (const [index, line] of lines.entries()) yield enlarged(line, scales[index] ?? 1);
}

/** The words of a line as a line; null for none. */
export function ocrLineOf(words: readonly OcrWord[]): OcrLine | null {
  const [first, ...others] = words;
  if (first === undefined) return null;
  const box = others.reduce((all, { rect }) => joinBoxes(all, boxOf(rect)), boxOf(first.rect));
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  const sure = words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0);
  return {
    text: words.map(({ text }) => text).join(" "),
    rect: rectOfBox(box),
    confidence: sure / letters,
    words,
  };
}

const boxOf = ({ x, y, width, height }: OcrWord["rect"]): Box => ({
  left: x,
  top: y,
  right: x + width,
  bottom: y + height,
});

/** A word of so many letters and digits is none that an engine finds in an icon, however unsure it is. */
const SURELY_TEXT = 8;

/**
 * An engine finds marks in every icon and frame: a line of nothing but uncertain marks is none of text. Of a key, which is
 * no word that it knows, it is never sure.
 */
function isText(words: readonly Pick<EngineWord, "text" | "confidence">[]): boolean {
  return words.some(({ text, confidence }) => {
    const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
    return letters >= SURELY_TEXT || (confidence >= 20 && (letters > 0 || confidence >= 60));
  });
}

interface ReadWord {
  readonly text: string;
  readonly confidence: number;
  /** Columns of the line's ink, as the engine says. */
  readonly left: number;
  readonly right: number;
}

/**
 * Words on the gaps of their line: engines see where one begins only roughly. Of all gaps those are taken, one less than
 * words, that are wide and near to where the engine parts them.
 */
function placed({ ink, inkBox, top, bottom }: LineInk, words: readonly ReadWord[]): OcrWord[] {
  const { gaps, first, last } = gapsOf(ink, widthOf(inkBox), heightOf(inkBox));
  const inPicture = ({ from, to }: Gap): Gap => ({ from: from + inkBox.left, to: to + inkBox.left });
  const chosen = chooseGaps(
    gaps,
    words.slice(1).map(({ left }, index) => ((words[index]?.right ?? left) + left) / 2),
  );
  return words.flatMap(({ text, confidence, left, right }, index) => {
    const [from, to] =
      chosen === null
        ? [Math.max(first, Math.floor(left)), Math.min(last, Math.ceil(right))]
        : [chosen[index - 1]?.to ?? first, chosen[index]?.from ?? last];
    const rect = { x: inkBox.left + from, y: top, width: Math.max(1, to - from), height: bottom - top };
    const within = gaps.filter((gap) => gap.from > from && gap.to < to).map(inPicture);
    return withCurrencyApart({ text, rect, confidence }, within);
  });
}

/** An amount, and the sign behind it. */
const AMOUNT = /^(.*\d)([€$£¥])$/u;
/** A blank of the narrowest fonts; and how many times as wide as the gaps between letters it is, at least. */
const LEAST_BLANK = 2;
const BLANK_OF_GAP = 1.5;

/** An amount and its sign as two words where a blank parts them: engines read over one that is narrow, only there. */
function withCurrencyApart(word: OcrWord, gaps: readonly Gap[]): OcrWord[] {
  const [, amount, sign] = AMOUNT.exec(word.text) ?? [];
  const gap = gaps.at(-1);
  if (amount === undefined || sign === undefined || gap === undefined) return [word];
  const others = gaps.slice(0, -1).map(widthOfGap);
  const middle = others.sort((a, b) => a - b)[others.length >> 1] ?? 0;
  if (widthOfGap(gap) < Math.max(LEAST_BLANK, BLANK_OF_GAP * middle)) return [word];
  const { x, y, width, height } = word.rect;
  return [
    { ...word, text: amount, rect: { x, y, width: gap.from - x, height } },
    { ...word, text: sign, rect: { x: gap.to, y, width: x + width - gap.to, height } },
  ];
}

const widthOfGap = ({ from, to }: Gap): number => to - from;

interface Gap {
  readonly from: number;
  readonly to: number;
}

/** Columns without ink between those with it. */
function gapsOf(
  ink: Uint8Array,
  width: number,
  height: number,
): { gaps: Gap[]; first: number; last: number } {
  const gaps: Gap[] = [];
  let first = -1;
  let last = 0;
  for (let x = 0; x < width; x++) {
    let isInk = false;
    for (let y = 0; y < height && !isInk; y++) isInk = ink[y * width + x]! > SURE_INK;
    if (!isInk) continue;
    if (first < 0) first = x;
    else if (x > last) gaps.push({ from: last, to: x });
    last = x + 1;
  }
  return { gaps, first: Math.max(0, first), last };
}

/** For each cut a gap further right than the one before; null where there are fewer gaps than cuts. */
function chooseGaps(gaps: readonly Gap[], cuts: readonly number[]): readonly Gap[] | null {
  if (gaps.length < cuts.length) return null;
  // best[j]: the most that the cuts so far gain within the first j gaps; taken: which gap is the last of them.
  let best = new Float64Array(gaps.length + 1);
  const taken: Int32Array[] = [];
  for (const cut of cuts) {
    const next = new Float64Array(gaps.length + 1).fill(Number.NEGATIVE_INFINITY);
    const last = new Int32Array(gaps.length + 1);
    gaps.forEach(({ from, to }, index) => {
      const gain = best[index]! + 2 * (to - from) - Math.abs((from + to) / 2 - cut);
      const isBetter = gain > next[index]!;
      next[index + 1] = isBetter ? gain : next[index]!;
      last[index + 1] = isBetter ? index : last[index]!;
    });
    best = next;
    taken.push(last);
  }
  const chosen: Gap[] = [];
  let within = gaps.length;
  for (const last of taken.reverse()) {
    const index = last[within] ?? 0;
    const gap = gaps[index];
    if (gap === undefined) return null;
    chosen.unshift(gap);
    within = index;
  }
  return chosen;
}

/** The ink as black on white, larger by a factor, in a white frame. Catmull-Rom. */
function enlarged({ ink, inkBox }: LineInk, scale: number): GreyPicture {
  const [width, height] = [widthOf(inkBox), heightOf(inkBox)];
  const across = tapsOf(width, Math.round(width * scale), scale);
  const down = tapsOf(height, Math.round(height * scale), scale);
  const wide = across.length;
  const rows = new Float32Array(wide * height);
  for (let y = 0; y < height; y++) {
    across.forEach(({ at, weights }, x) => {
      let value = 0;
      for (let k = 0; k < 4; k++) value += ink[y * width + at[k]!]! * weights[k]!;
      rows[y * wide + x] = value;
    });
  }
  const made = { width: wide + 2 * FRAME, height: down.length + 2 * FRAME };
  const grey = new Uint8Array(made.width * made.height).fill(255);
  down.forEach(({ at, weights }, y) => {
    const to = (y + FRAME) * made.width + FRAME;
    for (let x = 0; x < wide; x++) {
      let value = 0;
      for (let k = 0; k < 4; k++) value += rows[at[k]! * wide + x]! * weights[k]!;
      grey[to + x] = 255 - Math.max(0, Math.min(255, value));
    }
  });
  return { ...made, grey };
}

/** Four pixels around a point between them, and what each counts. */
interface Taps {
  readonly at: Int32Array;
  readonly weights: Float32Array;
}

function tapsOf(from: number, to: number, scale: number): Taps[] {
  return Array.from({ length: to }, (_, index) => {
    const centre = (index + 0.5) / scale - 0.5;
    const first = Math.floor(centre) - 1;
    const at = Int32Array.from({ length: 4 }, (_, k) => Math.max(0, Math.min(from - 1, first + k)));
    const raw = Array.from({ length: 4 }, (_, k) => catmullRom(centre - first - k));
    const sum = raw.reduce((a, b) => a + b, 0);
    return { at, weights: Float32Array.from(raw, (weight) => weight / sum) };
  });
}

function catmullRom(distance: number): number {
  const t = Math.abs(distance);
  if (t < 1) return 1.5 * t ** 3 - 2.5 * t ** 2 + 1;
  return t < 2 ? -0.5 * t ** 3 + 2.5 * t ** 2 - 4 * t + 2 : 0;
}

/** The words of each line: of terminals' fonts letter by letter, of others as the engine reads them. */
export async function readLines(
  engine: OcrEngine,
  cells: CellReader,
  lines: readonly LineInk[],
): Promise<(readonly OcrWord[])[]> {
  const known = cells.read(lines);
  const unknown = lines.filter((_, index) => known[index] === null);
  return withUnknown(known, cells.learn(unknown, await readByEngine(engine, unknown)));
}
