import { Path2D } from "@napi-rs/canvas";
import * as z from "zod";
import { boundRects, EMPTY_RECT, type Rect } from "../../framebuffer/rect.ts";
import { inkOn, withAlpha } from "../look/contrast.ts";
import { glyphNamed, ICON_NAMES } from "../look/glyphs.ts";
import { iconSquare, iconTagPlace, markOpacity } from "../look/placement.ts";
import type { OverlaySpec } from "../overlay.ts";
import { defineShape, LABEL_LIMIT } from "../shape.ts";
import { paintTag, type Tag, tagBy } from "../tag.ts";

/** The signs are drawn in a square of this side. */
const GRID = 24;

/** A named sign; a label that names none is written beside a pointer. */
export const icon = defineShape({
  kind: "icon",
  summary: `a sign chosen by the label (${ICON_NAMES.join(", ")}); any other label is written beside a pointer`,
  schema: z.object({ label: z.string().max(LABEL_LIMIT).nullable() }),
  bounds: (overlay, room) => boundRects(squareOf(overlay, room), tagOf(overlay, room)?.rect ?? EMPTY_RECT),
  paint(context, overlay, room) {
    const square = squareOf(overlay, room);
    const { glyph } = glyphNamed(overlay.label);
    const ink = inkOn(overlay.color);
    context.save();
    context.translate(square.x, square.y);
    context.scale(square.width / GRID, square.height / GRID);
    context.lineJoin = "round";
    context.lineCap = "round";
    const body = new Path2D(glyph.body);
    context.fillStyle = withAlpha(overlay.color, markOpacity(overlay.opacity));
    context.fill(body);
    context.strokeStyle = withAlpha(ink, 0.8);
    context.lineWidth = 1;
    context.stroke(body);
    if (glyph.marks !== "") {
      context.strokeStyle = ink;
      context.lineWidth = 2.3;
      context.stroke(new Path2D(glyph.marks));
    }
    context.restore();
    const tag = tagOf(overlay, room);
    if (tag !== null) paintTag(context, tag, overlay.color);
  },
});

function squareOf(overlay: OverlaySpec, room: Rect): Rect {
  return iconSquare(overlay, glyphNamed(overlay.label).isPointer, room);
}

function tagOf(overlay: OverlaySpec, room: Rect): Tag | null {
  const square = squareOf(overlay, room);
  return tagBy(glyphNamed(overlay.label).words, room, (size) => iconTagPlace(square, size, room));
}
