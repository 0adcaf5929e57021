import type { Rect } from "../framebuffer/rect.ts";
import type { LineInk } from "./cut/cut-line.ts";
import type { VisionErrorCode } from "./error.ts";
import type { EngineChoice } from "./ocr-engine.ts";

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
export interface PictureTask {
  readonly kind: "picture";
  /** PNG, JPEG or WebP. */
  readonly file: Uint8Array;
  /** Pixels of the picture; null for all of it. */
  readonly part: Rect | null;
}

/** Or lines that are cut already. */
export interface LinesTask {
  readonly kind: "lines";
  readonly lines: readonly LineInk[];
}

export type OcrTask = (PictureTask | LinesTask) & {
  /** Names of models, the most likely language first. */
  readonly languages: readonly string[];
};

/** The words of each line, where they lie in the picture that they were cut out of. */
export type LineWords = readonly (readonly OcrWord[])[];

export interface ToOcrThread {
  readonly id: number;
  /** Opened with the first task. */
  readonly engine: EngineChoice;
  readonly task: OcrTask;
}

export type FromOcrThread =
  | { readonly kind: "done"; readonly id: number; readonly lines: LineWords }
  | {
      readonly kind: "failed";
      readonly id: number;
      readonly code: VisionErrorCode;
      readonly message: string;
    };
