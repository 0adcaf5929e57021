import type { SKRSContext2D } from "@napi-rs/canvas";
import type * as z from "zod";
import { intersectRects, isEmptyRect, type Rect } from "../framebuffer/rect.ts";
import { intoRoom } from "./look/placement.ts";
import type { OverlaySpec } from "./overlay.ts";

/** What shapes draw on: a layer of their own that is transparent at first. */
export type Context = SKRSContext2D;

/** Characters a label may have. */
export const LABEL_LIMIT = 2000;

/** What a shape's author writes; see `Shape`. */
export interface ShapeDefinition {
  readonly kind: string;
  /** What it looks like, in one sentence for docs and tools. */
  readonly summary: string;
  /** What this kind asks of the fields whose meaning depends on it. */
  readonly schema: z.ZodType<{ readonly label: string | null }>;
  /** What is under it is shown out of focus. */
  readonly isBlur?: true;
  /** Where it is drawn when asked for at `spec`; default `clampRect`. */
  clamp?(spec: OverlaySpec, room: Rect): Rect;
  bounds(overlay: OverlaySpec, room: Rect): Rect;
  paint(context: Context, overlay: OverlaySpec, room: Rect): void;
}

/**
 * How one kind of overlay lies and looks. `room` is the monitor it must stay on; all coordinates are desktop pixels,
 * in `paint` too, where the context was moved and is clipped to the bounds. `bounds` are the pixels it may touch.
 */
export interface Shape extends ShapeDefinition {
  clamp(spec: OverlaySpec, room: Rect): Rect;
}

/** Makes a Shape; its bounds never leave the room. */
export function defineShape(definition: ShapeDefinition): Shape {
  return {
    kind: definition.kind,
    summary: definition.summary,
    schema: definition.schema,
    ...(definition.isBlur === true ? { isBlur: true } : {}),
    clamp: (spec, room) => (definition.clamp ?? clampRect)(spec, room),
    bounds: (overlay, room) => intersectRects(definition.bounds(overlay, room), room),
    paint: (context, overlay, room) => definition.paint(context, overlay, room),
  };
}

/**
 * The part of `r` (at least 1x1) that lies in the room; where none does, `r` moved to the nearest edge, so that what
 * was asked for off screen is still seen and its place is said.
 */
function clampRect(r: Rect, room: Rect): Rect {
  const grown = { x: r.x, y: r.y, width: Math.max(1, r.width), height: Math.max(1, r.height) };
  const inside = intersectRects(grown, room);
  return isEmptyRect(inside) ? intoRoom(grown, room) : inside;
}
