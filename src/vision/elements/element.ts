import type { Rect } from "../../framebuffer/rect.ts";

export const ELEMENT_KINDS = ["button", "field", "check_box", "row", "icon", "text"] as const;
export type ElementKind = (typeof ELEMENT_KINDS)[number];

/** Something on a desktop that may be pressed or filled in, as far as pixels tell. */
export interface ScreenElement {
  /** The same while its picture stays, wherever it moves. */
  readonly id: string;
  readonly kind: ElementKind;
  /** What stands in it or beside it; null where nothing does. */
  readonly label: string | null;
  readonly rect: Rect;
  /** 0 to 1: how sure its kind is. */
  readonly score: number;
}

export interface ElementsNow {
  readonly generation: number;
  readonly elements: readonly ScreenElement[];
}

/** Where a known element is now. */
export interface ElementFound {
  readonly generation: number;
  readonly element: ScreenElement;
  /** It is elsewhere than it was told last. */
  readonly isMoved: boolean;
}
