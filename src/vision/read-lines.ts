import type { Point, Rect } from "../framebuffer/rect.ts";
import { type Engine, type EngineWord, PSM_SPARSE } from "./engine.ts";
import { doubled, type GreyPicture, levelled } from "./grey-picture.ts";
import type { OcrLine, OcrWord } from "./ocr-messages.ts";

/** The lines of text of a picture in reading order. `origin`: where its first pixel lies for who asks. */
export function readLines(engine: Engine, picture: GreyPicture, origin: Point): OcrLine[] {
  const lines = new Map<string, OcrWord[]>();
  for (const { line, rect, ...word } of engine.read(doubled(levelled(picture)), PSM_SPARSE)) {
    const words = lines.get(line) ?? [];
    words.push({ ...word, rect: halved(rect, origin) });
    lines.set(line, words);
  }
  return [...lines.values()].map(lineOf);
}

function halved({ x, y, width, height }: EngineWord["rect"], origin: Point): Rect {
  const left = Math.floor(x / 2);
  const top = Math.floor(y / 2);
  return {
    x: origin.x + left,
    y: origin.y + top,
    width: Math.max(1, Math.ceil((x + width) / 2) - left),
    height: Math.max(1, Math.ceil((y + height) / 2) - top),
  };
}

/** A line of one word at least. */
function lineOf(words: readonly OcrWord[]): OcrLine {
  const left = Math.min(...words.map(({ rect }) => rect.x));
  const top = Math.min(...words.map(({ rect }) => rect.y));
  const right = Math.max(...words.map(({ rect }) => rect.x + rect.width));
  const bottom = Math.max(...words.map(({ rect }) => rect.y + rect.height));
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  const sure = words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0);
  return {
    text: words.map(({ text }) => text).join(" "),
    rect: { x: left, y: top, width: right - left, height: bottom - top },
    confidence: sure / letters,
    words,
  };
}
