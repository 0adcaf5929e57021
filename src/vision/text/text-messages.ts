import type { PaintedPart } from "../../desktop/masks/text-reader.ts";
import type { CopyMove } from "../../framebuffer/picture.ts";
import type { Rect, Size } from "../../framebuffer/rect.ts";
import type { ElementFound, ElementsNow } from "../elements/element.ts";
import type { EngineAnswer, EngineQuestion, Fault } from "./engine-lines.ts";
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
  | EngineAnswer;

export type FromTextThread =
  | EngineQuestion
  | { readonly kind: "answer"; readonly id: number; readonly answer: TextAnswer }
  | { readonly kind: "failed"; readonly id: number; readonly fault: Fault };
