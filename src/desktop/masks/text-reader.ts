import type { CopyMove } from "../../framebuffer/picture.ts";
import type { Rect, Size } from "../../framebuffer/rect.ts";
import type { PrivateKind } from "./private-kinds.ts";

/** Pixels of a rectangle, RGBA, row after row. */
export interface PaintedPart {
  readonly rect: Rect;
  readonly pixels: Uint8Array<ArrayBuffer>;
}

/** Text that a mask hides wherever it stands: of these kinds, what a pattern matches, or what secrets say. */
export interface TextTerms {
  readonly kinds: readonly PrivateKind[];
  /** A regular expression of JavaScript with the flag `u`, within one line; null: none. */
  readonly pattern: string | null;
  /** Names of stored secrets; who reads text has their values from elsewhere, and nobody here. Absent: none. */
  readonly secrets?: readonly string[];
}

/** Terms under the id of their mask. */
export interface NamedTerms extends TextTerms {
  readonly id: string;
}

export interface FoundText {
  /** Of the terms. */
  readonly id: string;
  readonly rect: Rect;
}

/** A picture as far as it was read. */
export interface TextRead {
  /** Lines of which nobody knows yet what they say. */
  readonly unread: readonly Rect[];
  /** The others, also those that turned out to be no text. */
  readonly lines: readonly Rect[];
  readonly found: readonly FoundText[];
}

export interface TextReaderEvents {
  /** The answer to the question asked first of those that were not answered. */
  read(read: TextRead): void;
  /** More of what was unread is read by now: asking again pays. */
  news(): void;
  /** It answers no more. */
  lost(): void;
}

/**
 * What reads the real picture, which nobody else outside of this room is given: it says where text stands, never what it
 * says. It is told what the picture is in the order in which that changed.
 */
export interface TextReader {
  /** The picture has this size, and all of it comes. */
  resize(size: Size): void;
  take(copies: readonly CopyMove[], parts: readonly PaintedPart[]): void;
  /** What is found in all that was taken so far. `isPointed`: the target may have drawn its pointer into it, anywhere. */
  ask(terms: readonly NamedTerms[], isPointed: boolean): void;
  close(): void;
}

export type OpenTextReader = (desktopId: string, events: TextReaderEvents) => TextReader;
