import { Path2D } from "@napi-rs/canvas";
import * as z from "zod";
import { boundRects, EMPTY_RECT, type Point, type Rect } from "../../framebuffer/rect.ts";
import { inkOn, withAlpha } from "../look/contrast.ts";
import { freehandLine, freehandPath, intoRoom, markOpacity } from "../look/placement.ts";
import { defineShape, LABEL_LIMIT } from "../shape.ts";
import { paintTag, tagOn } from "../tag.ts";

const LINE = 3;
const HALO = 1.5;
/** Farthest from the line that a pixel may be, antialiasing included. */
const REACH = Math.ceil(LINE / 2 + HALO) + 1;
export const POINT_LIMIT = 2000;

const offset = z.number().min(-65_535).max(65_535);

/** A line through points, as a hand draws it; without points a ring around the region that does not quite close. */
export const freehand = defineShape({
  kind: "freehand",
  summary: "a line through `points`, or without them a hand-drawn ring around the region",
  schema: z.object({
    label: z.string().max(LABEL_LIMIT).nullable(),
    points: z
      .array(z.object({ x: offset, y: offset }))
      .min(1)
      .max(POINT_LIMIT)
      .optional(),
  }),
  // Moved, not cut: its points are relative to its corner.
  clamp: (spec, room) =>
    intoRoom({ ...spec, width: Math.max(1, spec.width), height: Math.max(1, spec.height) }, room),
  bounds(overlay, room) {
    const tag = tagOn(overlay.label, overlay, room)?.rect ?? EMPTY_RECT;
    const extent = extentOf(freehandLine(overlay, overlay.points));
    return boundRects({ ...extent, x: overlay.x + extent.x, y: overlay.y + extent.y }, tag);
  },
  paint(context, overlay, room) {
    const line = new Path2D(freehandPath(overlay, overlay.points));
    context.save();
    context.translate(overlay.x, overlay.y);
    context.lineCap = "round";
    context.lineJoin = "round";
    context.lineWidth = LINE + 2 * HALO;
    context.strokeStyle = withAlpha(inkOn(overlay.color), 0.4);
    context.stroke(line);
    context.lineWidth = LINE;
    context.strokeStyle = withAlpha(overlay.color, markOpacity(overlay.opacity));
    context.stroke(line);
    context.restore();
    const tag = tagOn(overlay.label, overlay, room);
    if (tag !== null) paintTag(context, tag, overlay.color);
  },
});

function extentOf(points: readonly Point[]): Rect {
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  const left = Math.floor(Math.min(...xs)) - REACH;
  const top = Math.floor(Math.min(...ys)) - REACH;
  return {
    x: left,
    y: top,
    width: Math.ceil(Math.max(...xs)) + REACH - left,
    height: Math.ceil(Math.max(...ys)) + REACH - top,
  };
}
