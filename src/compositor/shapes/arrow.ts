import { Path2D } from "@napi-rs/canvas";
import * as z from "zod";
import { boundRects, EMPTY_RECT, type Point, type Rect } from "../../framebuffer/rect.ts";
import { inkOn, withAlpha } from "../look/contrast.ts";
import { ARROW_HALF, arrowPath, arrowTagPlace, markOpacity } from "../look/placement.ts";
import type { OverlaySpec } from "../overlay.ts";
import { defineShape, LABEL_LIMIT } from "../shape.ts";
import { paintTag, type Tag, tagBy } from "../tag.ts";

const HALO = 2;
/** Farthest from the line that a pixel may be: half the head and its halo, and their antialiasing. */
const REACH = ARROW_HALF + HALO + 1;

/** A line from (x, y) whose head ends exactly at (x + width, y + height); the label stands at its tail. */
export const arrow = defineShape({
  kind: "arrow",
  summary: "an arrow from (x, y) to (x + width, y + height), with the label at its tail",
  schema: z.object({ label: z.string().max(LABEL_LIMIT).nullable() }),
  clamp(spec, room) {
    const from = pointInto({ x: spec.x, y: spec.y }, room);
    const to = pointInto({ x: spec.x + spec.width, y: spec.y + spec.height }, room);
    return { x: from.x, y: from.y, width: to.x - from.x, height: to.y - from.y };
  },
  bounds(overlay, room) {
    const { x, y, width, height } = overlay;
    const line = {
      x: Math.min(x, x + width) - REACH,
      y: Math.min(y, y + height) - REACH,
      width: Math.abs(width) + 2 * REACH + 1,
      height: Math.abs(height) + 2 * REACH + 1,
    };
    return boundRects(line, tagOf(overlay, room)?.rect ?? EMPTY_RECT);
  },
  paint(context, overlay, room) {
    const ink = inkOn(overlay.color);
    const outline = new Path2D(arrowPath(overlay.width, overlay.height));
    context.save();
    context.translate(overlay.x, overlay.y);
    context.lineJoin = "round";
    context.lineWidth = 2 * HALO;
    context.strokeStyle = withAlpha(ink, 0.55);
    context.stroke(outline);
    // The halo is cut out where the arrow lies, so that a translucent arrow shows the screen and not its halo.
    context.globalCompositeOperation = "destination-out";
    context.fillStyle = "#000000";
    context.fill(outline);
    context.globalCompositeOperation = "source-over";
    context.fillStyle = withAlpha(overlay.color, markOpacity(overlay.opacity));
    context.fill(outline);
    context.restore();
    const tag = tagOf(overlay, room);
    if (tag !== null) paintTag(context, tag, overlay.color);
  },
});

function pointInto(p: Point, room: Rect): Point {
  return {
    x: Math.max(room.x, Math.min(p.x, room.x + room.width - 1)),
    y: Math.max(room.y, Math.min(p.y, room.y + room.height - 1)),
  };
}

function tagOf(overlay: OverlaySpec, room: Rect): Tag | null {
  return tagBy(overlay.label, room, (size) => arrowTagPlace(overlay, size, room));
}
