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
  /** Absent where nothing is drawn over it. */
  readonly composition?: Composition | undefined;
}

/** Draws over a copy of one rectangle of a picture: RGBA, no padding between rows. */
export type DrawOver = (rect: Rect, rgba: Uint8Array) => void;

/** Of what a picture is composed: what lies below is copied quickly, what is drawn over that may take long. */
export interface Composition {
  readonly below: Picture;
  /** What lies over it at this moment, to be drawn later, whatever changes meanwhile. */
  over(): DrawOver;
}

/** A rectangle whose pixels are those that stood at (fromX, fromY). */
export interface CopyMove {
  readonly fromX: number;
  readonly fromY: number;
  readonly to: Rect;
}
