import type { Rect } from "../../framebuffer/rect.ts";
import type { OcrLine, OcrWord } from "../ocr-messages.ts";

/** A line that a desktop shows. `rect`: desktop pixels. */
export type TextLine = OcrLine;
export type TextWord = OcrWord;

/** All lines as of one generation, in reading order. */
export interface TextNow {
  readonly generation: number;
  readonly lines: readonly TextLine[];
}

export interface TextChange {
  readonly change: "added" | "gone" | "moved";
  readonly text: string;
  /** Where it is, or was last. */
  readonly rect: Rect;
}

/** What came, went and moved after a generation; null: that is too long ago, or was never looked at. */
export interface TextSince {
  readonly generation: number;
  readonly changes: readonly TextChange[] | null;
}

export const TEXT_MATCHES = ["exact", "words", "regex", "fuzzy"] as const;

export interface TextQuery {
  readonly text: string;
  /** exact: anywhere. words: no letter or digit before and after. fuzzy: alike, for what may be misread. */
  readonly match: (typeof TEXT_MATCHES)[number];
  readonly isCaseSensitive: boolean;
}

/** A place where a text stands. */
export interface TextMatch {
  /** As it was read. */
  readonly text: string;
  readonly rect: Rect;
  /** The whole line. */
  readonly line: string;
  /** 0 to 1: how sure the letters are, and how much they are alike. */
  readonly score: number;
}

export interface TextFound {
  readonly generation: number;
  readonly matches: readonly TextMatch[];
}
