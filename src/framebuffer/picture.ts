import type { Rect, Size } from "./rect.ts";

/** RGBA pixels: the rectangle's top left pixel is at `offset` in `bytes`. */
export interface Pixels {
  readonly bytes: Uint8Array;
  readonly offset: number;
  readonly strideBytes: number;
}

/** What a desktop shows. `pixels` may hand out the same scratch memory at the next call. */
export interface Picture extends Size {
  pixels(rect: Rect): Pixels;
}

/** A rectangle whose pixels are those that stood at (fromX, fromY). */
export interface CopyMove {
  readonly fromX: number;
  readonly fromY: number;
  readonly to: Rect;
}
