import type { Size } from "./rect.ts";

/** A pointer picture. `rgba` is width * height * 4 bytes, straight (not premultiplied) alpha. */
export interface Cursor extends Size {
  readonly hotspotX: number;
  readonly hotspotY: number;
  readonly rgba: Uint8Array;
}
