import type { Rect } from "../framebuffer/rect.ts";
import type { VisionErrorCode } from "./error.ts";

/** A word as the engine read it. `rect`: pixels of the picture. */
export interface OcrWord {
  readonly text: string;
  readonly rect: Rect;
  /** 0 to 100, as the engine judges itself. */
  readonly confidence: number;
}

/** Words that stand in one line, from left to right. */
export interface OcrLine {
  /** Its words with blanks between them. */
  readonly text: string;
  readonly rect: Rect;
  /** The mean of its words, by their length. */
  readonly confidence: number;
  readonly words: readonly OcrWord[];
}

/** What an engine thread is asked: a picture file of ours, and the part of it that is to be read. */
export interface OcrTask {
  /** PNG, JPEG or WebP. */
  readonly file: Uint8Array;
  /** Pixels of the picture; null for all of it. */
  readonly part: Rect | null;
  /** Names of models, the most likely language first. */
  readonly languages: readonly string[];
}

export interface ToOcrThread {
  readonly id: number;
  readonly task: OcrTask;
}

export type FromOcrThread =
  | { readonly kind: "done"; readonly id: number; readonly lines: readonly OcrLine[] }
  | {
      readonly kind: "failed";
      readonly id: number;
      readonly code: VisionErrorCode;
      readonly message: string;
    };
