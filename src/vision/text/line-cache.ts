import { translateRect } from "../../framebuffer/rect.ts";
import type { Box } from "../cut/box.ts";
import type { OcrWord } from "../ocr-messages.ts";

/** What was read of a line; its words lie relative to the line's corner. No words: no text, as an icon. */
export interface Reading {
  readonly words: readonly OcrWord[];
}

/** Of words that lie in the picture. */
export function readingOf({ left, top }: Pick<Box, "left" | "top">, words: readonly OcrWord[]): Reading {
  return { words: words.map((word) => ({ ...word, rect: translateRect(word.rect, -left, -top) })) };
}

/** A reading is about a kilobyte; a desktop shows some hundred lines. */
const MOST_READINGS = 8000;

/** What lines of known ink say: what was read once is not read again, wherever it stands. Forgets what was used least lately. */
export class LineCache {
  readonly #readings = new Map<string, Reading>();

  get(hash: string): Reading | null {
    const reading = this.#readings.get(hash);
    if (reading === undefined) return null;
    this.#readings.delete(hash);
    this.#readings.set(hash, reading);
    return reading;
  }

  set(hash: string, reading: Reading): void {
    this.#readings.set(hash, reading);
    if (this.#readings.size <= MOST_READINGS) return;
    for (const oldest of this.#readings.keys()) {
      this.#readings.delete(oldest);
      return;
    }
  }
}
