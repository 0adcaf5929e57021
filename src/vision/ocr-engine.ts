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

/** What reads letters. It holds its thread while it reads. */
export interface OcrEngine {
  /** What is read from now on is in these languages, the most likely first. Rejects with VisionError models_missing. */
  use(languages: readonly string[]): Promise<void>;
  /** The words of one line of dark text on white ground, from left to right. Throws VisionError engine_failed. */
  readLine(picture: GreyPicture): readonly EngineWord[];
}
