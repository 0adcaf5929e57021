import type { NamedTerms, PaintedPart, TextRead } from "../../desktop/masks/text-reader.ts";
import type { CopyMove } from "../../framebuffer/picture.ts";
import type { Size } from "../../framebuffer/rect.ts";
import type { EngineAnswer, EngineQuestion } from "../text/engine-lines.ts";

/** Terms with the values of the secrets that they name: they are nowhere but between these two threads. */
export interface KnownTerms extends NamedTerms {
  readonly values?: readonly string[];
}

export type ToLiveThread =
  /** The picture has this size from now on, and nothing of it is known. */
  | { readonly kind: "size"; readonly size: Size }
  | { readonly kind: "pixels"; readonly copies: readonly CopyMove[]; readonly parts: readonly PaintedPart[] }
  /** `isPointed`: the target may have drawn its pointer into the picture. */
  | { readonly kind: "ask"; readonly terms: readonly KnownTerms[]; readonly isPointed: boolean }
  | EngineAnswer;

export type FromLiveThread =
  /** Answers "ask". */
  | { readonly kind: "seen"; readonly read: TextRead }
  /** Something that was unread is read. */
  | { readonly kind: "news" }
  | EngineQuestion;
