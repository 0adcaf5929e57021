import * as z from "zod";
import { boundRects, EMPTY_RECT } from "../../framebuffer/rect.ts";
import { inkOn, withAlpha } from "../look/contrast.ts";
import { ringOf } from "../look/placement.ts";
import { defineShape, LABEL_LIMIT } from "../shape.ts";
import { paintTag, tagOn } from "../tag.ts";

const HALO = 1;

/** A ring that fills the rectangle, its inside tinted at the opacity, its label in a tab above. */
export const ellipse = defineShape({
  kind: "ellipse",
  summary: "a ring around a region, tinted at the opacity, with the label in a tab above it",
  schema: z.object({ label: z.string().max(LABEL_LIMIT).nullable() }),
  bounds: (overlay, room) => boundRects(overlay, tagOn(overlay.label, overlay, room)?.rect ?? EMPTY_RECT),
  paint(context, overlay, room) {
    const { x, y, width, height, color } = overlay;
    const { rx, ry, border } = ringOf(overlay);
    context.save();
    // A ring of a pixel or two would be wider than its region.
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    context.beginPath();
    context.ellipse(x + width / 2, y + height / 2, rx, ry, 0, 0, 2 * Math.PI);
    context.fillStyle = withAlpha(color, overlay.opacity);
    context.fill();
    context.lineWidth = border + 2 * HALO;
    context.strokeStyle = withAlpha(inkOn(color), 0.4);
    context.stroke();
    context.lineWidth = border;
    context.strokeStyle = color;
    context.stroke();
    context.restore();
    const tag = tagOn(overlay.label, overlay, room);
    if (tag !== null) paintTag(context, tag, color);
  },
});
