import type { Rect } from "../framebuffer/rect.ts";
import type { Overlay } from "./overlay.ts";
import type { Shape } from "./shape.ts";

/** An overlay and its position. Never changed: an overlay that moves is replaced. */
export interface PlacedOverlay {
  readonly overlay: Overlay;
  readonly shape: Shape;
  /** The monitor, or what is left of it, that it stays on. */
  readonly room: Rect;
  /** The pixels it may touch, within the room. */
  readonly bounds: Rect;
}
