import type { Rect } from "../../../framebuffer/rect.ts";
import { ofServer, t } from "../language/language.ts";

/** What is said of an overlay: desktop pixels; an arrow's width and height may be negative. */
export interface OverlayPlace extends Rect {
  readonly kind: string;
  readonly label: string | null;
}

/** Whether both ends of an overlay are in the room. */
export function liesIn(box: Rect, room: Rect): boolean {
  const isWithin = (from: number, extent: number, start: number, length: number): boolean =>
    Math.min(from, from + extent) >= start && Math.max(from, from + extent) <= start + length;
  return isWithin(box.x, box.width, room.x, room.width) && isWithin(box.y, box.height, room.y, room.height);
}

/** How far a room reaches beyond an element at `box`, as CSS `inset()` for its clip-path. */
export function roomInset(box: Rect, room: Rect): string {
  const right = box.x + Math.max(0, box.width) - (room.x + room.width);
  const bottom = box.y + Math.max(0, box.height) - (room.y + room.height);
  return `inset(${room.y - box.y}px ${right}px ${bottom}px ${room.x - box.x}px)`;
}

/** The overlay in words, for people who do not see it. */
export function overlayWords(overlay: OverlayPlace): string {
  const kind = ofServer(overlay.kind);
  const name = overlay.label === null || overlay.label === "" ? kind : t`${kind} “${overlay.label}”`;
  return t`${name} at ${overlay.x}, ${overlay.y}`;
}
