import { MAX_SIDE } from "../../framebuffer/framebuffer.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import type { Audience } from "../view.ts";
import type { MaskMark } from "./mask-mark.ts";
import type { TextTerms } from "./text-reader.ts";

/** All of a desktop, whatever its size. */
export const EVERYWHERE: Rect = { x: 0, y: 0, width: MAX_SIDE, height: MAX_SIDE };

/** What is asked to be hidden, from whom. */
export interface MaskSpec {
  /**
   * Desktop pixels; of the monitor where one is named, of the mark's corner where one is followed. With `text` where that
   * is looked for.
   */
  readonly rect: Rect;
  /** From 1 on; null: of the whole desktop. */
  readonly monitor: number | null;
  /** What it follows; null: it stays where it is. */
  readonly mark: MaskMark | null;
  /** Text that is hidden, with everything that was not read yet; absent: all of the rectangle is hidden. */
  readonly text?: TextTerms;
  /** A selector of CSS: only its elements in shared tabs are hidden, wherever they are seen; absent: none are meant. */
  readonly element?: string;
  readonly audiences: readonly Audience[];
  readonly label: string | null;
}

/**
 * fixed: it stays where it is. found: where its mark stands. lost: where that last stood, which stays hidden. text:
 * wherever its text is found. element: wherever its elements are seen.
 */
export type MaskState = "fixed" | "found" | "lost" | "text" | "element";

export interface Mask extends MaskSpec {
  readonly id: string;
  /** By the configuration, which alone takes it away again. */
  readonly isConfigured: boolean;
  readonly createdAt: string;
  readonly state: MaskState;
  /** What is hidden by it now, in desktop pixels. */
  readonly places: readonly Rect[];
}
