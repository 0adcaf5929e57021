import * as z from "zod";
import { boundRects, EMPTY_RECT } from "../../framebuffer/rect.ts";
import { withAlpha } from "../look/contrast.ts";
import { cornerOf } from "../look/placement.ts";
import { defineShape, LABEL_LIMIT } from "../shape.ts";
import { paintTag, tagOn } from "../tag.ts";

const MOST_RADIUS = 4;

/** Colour over a region as a marker pen leaves it: no frame, what is under it stays readable. */
export const highlight = defineShape({
  kind: "highlight",
  summary: "a marker pen's stroke over a region, at the opacity, with the label in a tab above it",
  schema: z.object({ label: z.string().max(LABEL_LIMIT).nullable() }),
  bounds: (overlay, room) => boundRects(overlay, tagOn(overlay.label, overlay, room)?.rect ?? EMPTY_RECT),
  paint(context, overlay, room) {
    const { x, y, width, height, color } = overlay;
    context.beginPath();
    context.roundRect(x, y, width, height, cornerOf(overlay, MOST_RADIUS));
    // At no opacity at all it would not be there.
    context.fillStyle = withAlpha(color, Math.max(0.05, overlay.opacity));
    context.fill();
    const tag = tagOn(overlay.label, overlay, room);
    if (tag !== null) paintTag(context, tag, color);
  },
});
