import { composeCursor, maskedPicture } from "../../compositor/compose.ts";
import type { Cursor } from "../../framebuffer/cursor.ts";
import type { CopyMove, Picture } from "../../framebuffer/picture.ts";
import {
  EMPTY_RECT,
  equalRects,
  intersectRects,
  overlapRects,
  type Point,
  type Rect,
  rectOfSize,
  type Size,
} from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";

export interface PointedDesktop {
  readonly size: Size;
  readonly cursor: Cursor | null;
  /** Where the pointer was last put. */
  readonly pointer: Point;
}

/** Numbers of the pointers that were drawn in. */
const numbers = new WeakMap<Cursor, number>();
let numbered = 0;

/** The target's pointer, drawn into the picture of one viewer that draws none itself. */
export class PaintedPointer {
  readonly #desktop: PointedDesktop;
  #cursor: Cursor | null = null;
  #at: Point = { x: 0, y: 0 };
  #place: Rect = EMPTY_RECT;

  constructor(desktop: PointedDesktop) {
    this.#desktop = desktop;
  }

  /** Looks where the pointer is now; returns what that changes in the viewer's picture. */
  look(isPainted: boolean): Region {
    if (this.isAsDesktop(isPainted)) return Region.empty;
    const { cursor, pointer, size } = this.#desktop;
    const shown = isPainted ? cursor : null;
    const place = this.#placeNow(shown);
    const before = this.#place;
    this.#cursor = shown;
    this.#at = { x: pointer.x, y: pointer.y };
    this.#place = place;
    return Region.of(before, place).clip(rectOfSize(size));
  }

  /** True where `look` would find nothing changed. */
  isAsDesktop(isPainted: boolean): boolean {
    const shown = isPainted ? this.#desktop.cursor : null;
    if (shown !== this.#cursor) return false;
    return shown === null || equalRects(this.#placeNow(shown), this.#place);
  }

  #placeNow(shown: Cursor | null): Rect {
    if (shown === null) return EMPTY_RECT;
    const { pointer, size } = this.#desktop;
    return intersectRects(placeOf(shown, pointer), rectOfSize(size));
  }

  /** `hidden`: what is kept from the viewer, and with it where the pointer is there. */
  over(picture: Picture, hidden: Region): Picture {
    const cursor = this.#cursor;
    if (cursor === null) return picture;
    return maskedPicture(composeCursor(picture, cursor, this.#at.x, this.#at.y), hidden);
  }

  /** Names what is drawn in, and where: the same for all viewers that have the same drawn in there; empty for none. */
  get name(): string {
    const cursor = this.#cursor;
    if (cursor === null) return "";
    const number = numbers.get(cursor) ?? ++numbered;
    numbers.set(cursor, number);
    return ` pointer ${number} ${this.#at.x} ${this.#at.y}`;
  }

  /** True where the pointer lies in these pixels. */
  touches(rect: Rect): boolean {
    return overlapRects(this.#place, rect);
  }

  /** True where moves on the viewer's side would take a part of the pointer along, or wipe it out. */
  isMovedBy(moves: readonly CopyMove[]): boolean {
    return (
      this.#cursor !== null &&
      moves.some(({ fromX, fromY, to }) => this.touches(to) || this.touches({ ...to, x: fromX, y: fromY }))
    );
  }
}

function placeOf({ width, height, hotspotX, hotspotY }: Cursor, { x, y }: Point): Rect {
  return { x: x - hotspotX, y: y - hotspotY, width, height };
}
