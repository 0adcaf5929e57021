import type { Rect, Size } from "../framebuffer/rect.ts";

/** One byte a pixel, without padding between rows; 255 is white. */
export interface GreyPicture extends Size {
  readonly grey: Uint8Array;
}

/** A word where it lies in the picture that the engine was given. */
export interface EngineWord {
  readonly text: string;
  readonly rect: Rect;
  /** 0 to 100. */
  readonly confidence: number;
}

/** What reads letters. It may hold its thread while it reads. */
export interface OcrEngine {
  /** What is read from now on is in these languages, the most likely first. Rejects with VisionError models_missing. */
  use(languages: readonly string[]): Promise<void>;
  /**
   * The words of each picture, one line of dark text on white ground, from left to right. Pictures are taken as they are
   * needed. Rejects with VisionError engine_failed, engine_missing.
   */
  read(pictures: Iterable<GreyPicture>): Promise<readonly (readonly EngineWord[])[]>;
}

/** Tesseract as WebAssembly, which ships; or the program of that name that the operator installed. */
export const OCR_ENGINES = ["embedded", "tesseract"] as const;

/** Which engine threads open. `program`: where Tesseract's own was found. */
export type EngineChoice =
  | { readonly kind: "embedded" }
  | { readonly kind: "tesseract"; readonly program: string };

/** The level of Tesseract's table whose rows are words. */
const WORD_LEVEL = "5";

/**
 * The words of Tesseract's table (TSV), by page from 0 on. Rows of: level, page, block, paragraph, line, word, left, top,
 * width, height, confidence, text; others are no words.
 */
export function wordsOfTable(table: string, pages: number): EngineWord[][] {
  const words: EngineWord[][] = Array.from({ length: pages }, () => []);
  for (const row of table.split("\n")) {
    const [level, page, , , , , left, top, width, height, confidence, text = ""] = row.split("\t");
    if (level !== WORD_LEVEL || text.trim() === "") continue;
    const rect = { x: Number(left), y: Number(top), width: Number(width), height: Number(height) };
    const sure = Math.max(0, Math.min(100, Number(confidence)));
    const isSound = [rect.x, rect.y, rect.width, rect.height, sure].every(Number.isFinite);
    if (isSound) words[Number(page) - 1]?.push({ text: text.trim(), rect, confidence: sure });
  }
  return words;
}
