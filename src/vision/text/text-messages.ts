import type { CopyMove } from "../../framebuffer/picture.ts";
import type { Rect, Size } from "../../framebuffer/rect.ts";
import type { LineInk } from "../cut/cut-line.ts";
import type { ElementFound, ElementsNow } from "../elements/element.ts";
import type { VisionErrorCode } from "../error.ts";
import type { LineWords } from "../ocr-messages.ts";
import type { TextFound, TextNow, TextQuery, TextSince } from "./text-line.ts";

/** What is asked about a text; `area`: desktop pixels, null for all. */
export type TextQuestion =
  | { readonly kind: "now"; readonly area: Rect | null }
  | { readonly kind: "since"; readonly area: Rect | null; readonly generation: number }
  | { readonly kind: "find"; readonly area: Rect | null; readonly query: TextQuery }
  | ({ readonly kind: "elements"; readonly area: Rect | null } & ElementsTerms)
  | ({ readonly kind: "element"; readonly id: string } & ElementsTerms);

/** How elements are looked for. */
export interface ElementsTerms {
  /** Places that change by themselves, and so tell nothing. */
  readonly except: readonly Rect[];
  /** New elements have this number or a higher one: what was told before this thread is never meant again. */
  readonly firstNumber: number;
  /** Stands before the number in an id. */
  readonly prefix: string;
}

export type TextAnswer =
  | { readonly kind: "now"; readonly answer: TextNow }
  | { readonly kind: "since"; readonly answer: TextSince }
  | { readonly kind: "find"; readonly answer: TextFound }
  /** `nextNumber`: no element has this number or a higher one. */
  | { readonly kind: "elements"; readonly answer: ElementsNow; readonly nextNumber: number }
  | { readonly kind: "element"; readonly answer: ElementFound; readonly nextNumber: number };

/** Pixels of a rectangle, RGBA, row after row. */
export interface PaintedPart {
  readonly rect: Rect;
  readonly pixels: Uint8Array<ArrayBuffer>;
}

interface Fault {
  readonly code: VisionErrorCode;
  readonly message: string;
}

export type ToTextThread =
  /** The picture has this size from now on, and nothing of it is known. */
  | { readonly kind: "size"; readonly size: Size }
  | { readonly kind: "pixels"; readonly copies: readonly CopyMove[]; readonly parts: readonly PaintedPart[] }
  /** What was sent so far is the picture of that generation. */
  | {
      readonly kind: "ask";
      readonly id: number;
      readonly generation: number;
      readonly question: TextQuestion;
    }
  | { readonly kind: "cancel"; readonly id: number }
  | { readonly kind: "words"; readonly id: number; readonly words: LineWords }
  | { readonly kind: "unread"; readonly id: number; readonly fault: Fault };

export type FromTextThread =
  /** Lines for an engine; "words" or "unread" of this id answers. */
  | { readonly kind: "read"; readonly id: number; readonly lines: readonly LineInk[] }
  | { readonly kind: "answer"; readonly id: number; readonly answer: TextAnswer }
  | { readonly kind: "failed"; readonly id: number; readonly fault: Fault };
