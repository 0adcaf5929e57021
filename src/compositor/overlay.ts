import type { Point } from "../framebuffer/rect.ts";

/** What a caller asks for. Coordinates are desktop pixels; `color` is "#rrggbb". */
export interface OverlaySpec {
  /** A shape's kind, from SHAPES. */
  readonly kind: string;
  readonly x: number;
  readonly y: number;
  /** An arrow's may be negative: it points to (x + width, y + height). */
  readonly width: number;
  readonly height: number;
  readonly color: string;
  /** 0 to 1. */
  readonly opacity: number;
  readonly label: string | null;
  /** Removes itself after so long; null stays. */
  readonly temporaryMs: number | null;
  readonly clickThrough: boolean;
  readonly monitorIndex: number;
  /** Of a freehand line, relative to (x, y). */
  readonly points?: readonly Point[];
  /** The anchor it moves with, where it has one. */
  readonly anchorId?: string | null;
}

/** An overlay on the screen, clamped to its monitor. */
export interface Overlay extends OverlaySpec {
  readonly id: string;
  /** The principal that drew it. */
  readonly ownerId: string;
  /** ISO 8601. */
  readonly createdAt: string;
}
