import { equalRects, type Rect, type Size } from "../../framebuffer/rect.ts";
import type { Pixels } from "./encodings/encoding.ts";

/** One monitor of a desktop, rfbproto ExtendedDesktopSize. */
export interface Screen {
  /** Unsigned 32-bit, chosen by whoever made the layout. */
  readonly id: number;
  readonly rect: Rect;
  readonly flags: number;
}

/** Whether two layouts are the same monitors at the same places; flags do not count. */
export function equalScreens(a: readonly Screen[], b: readonly Screen[]): boolean {
  return (
    a.length === b.length &&
    a.every((screen, i) => {
      const other = b[i];
      return other !== undefined && screen.id === other.id && equalRects(screen.rect, other.rect);
    })
  );
}

/** A pointer picture. `rgba` is width * height * 4 bytes, straight (not premultiplied) alpha. */
export interface Cursor extends Size {
  readonly hotspotX: number;
  readonly hotspotY: number;
  readonly rgba: Uint8Array;
}

/** A rectangle whose pixels are those that stood at (fromX, fromY): CopyRect. */
export interface CopyMove {
  readonly fromX: number;
  readonly fromY: number;
  readonly to: Rect;
}

/** What a server shows. `pixels` may hand out the same scratch memory at the next call. */
export interface Picture extends Size {
  pixels(rect: Rect): Pixels;
}

/** The outcome of SetDesktopSize, rfbproto ExtendedDesktopSize. */
export const RESIZE_STATUS = {
  done: 0,
  prohibited: 1,
  outOfResources: 2,
  invalidLayout: 3,
  forwarded: 4,
} as const;

export type ResizeStatus = (typeof RESIZE_STATUS)[keyof typeof RESIZE_STATUS];
