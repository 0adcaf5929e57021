import type { Cursor } from "../../../framebuffer/cursor.ts";
import { equalRects, type Rect, rect } from "../../../framebuffer/rect.ts";

/** The largest coordinate of RFB: a place that nobody told is anywhere. */
const MOST = 0xffff;

/** How far a pointer of which no picture was sent may reach from its tip, each way. */
const REACH = 64;

/**
 * Where a VNC target may have drawn the pointer into the picture itself. TigerVNC and KasmVNC do so while it stands
 * where somebody else put it, and until a connection's first move; they then send an empty pointer instead of its
 * picture, and tell where it is put, except of where it is at first (TigerVNC 1.12, KasmVNC 1.5.0, 2026-11-25). A
 * program may hide its pointer, which looks the same: so it is a place in doubt, no more. A server that sends no
 * pointers at all says nothing of this.
 */
export class DrawnPointer {
  #shape = { left: REACH, top: REACH, width: 2 * REACH, height: 2 * REACH };
  #at: { readonly x: number; readonly y: number } | null = null;
  #isDrawn = false;
  #area: Rect | null = null;
  readonly #changed: (area: Rect | null) => void;

  /** `changed` hears each new place: desktop pixels, which may lie outside the desktop; null: none is drawn. */
  constructor(changed: (area: Rect | null) => void) {
    this.#changed = changed;
  }

  /** The target sent a pointer's picture; null: an empty one. */
  shaped(cursor: Cursor | null): void {
    this.#isDrawn = cursor === null;
    if (cursor !== null) {
      const { hotspotX: left, hotspotY: top, width, height } = cursor;
      this.#shape = { left, top, width, height };
    }
    this.#tell();
  }

  /** The target told where it was put, by somebody else. */
  moved(x: number, y: number): void {
    this.#at = { x, y };
    this.#tell();
  }

  /** We put it there. One that is drawn elsewhere stays until the target has heard of that and sends its picture. */
  put(x: number, y: number): void {
    if (this.#isDrawn && this.#at !== null) return;
    this.#at = { x, y };
    this.#tell();
  }

  #tell(): void {
    const area = this.#isDrawn ? this.#place() : null;
    const isSame = area === null || this.#area === null ? area === this.#area : equalRects(area, this.#area);
    if (isSame) return;
    this.#area = area;
    this.#changed(area);
  }

  #place(): Rect {
    if (this.#at === null) return rect(0, 0, MOST, MOST);
    const { left, top, width, height } = this.#shape;
    return rect(this.#at.x - left, this.#at.y - top, width, height);
  }
}
