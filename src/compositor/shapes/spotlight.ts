import * as z from "zod";
import { withAlpha } from "../look/contrast.ts";
import { cornerOf } from "../look/placement.ts";
import { defineShape, LABEL_LIMIT } from "../shape.ts";
import { paintTag, tagOn } from "../tag.ts";

const BORDER = 2;
const MOST_RADIUS = 8;

/** The rest of the monitor is dimmed at the opacity, so that one region stands out. */
export const spotlight = defineShape({
  kind: "spotlight",
  summary: "dims the rest of the monitor at the opacity, with a thin frame and the label at the region",
  schema: z.object({ label: z.string().max(LABEL_LIMIT).nullable() }),
  bounds: (_overlay, room) => room,
  paint(context, overlay, room) {
    const { x, y, width, height, color } = overlay;
    const radius = cornerOf(overlay, MOST_RADIUS);
    context.fillStyle = `rgba(0, 0, 0, ${overlay.opacity})`;
    context.fillRect(room.x, room.y, room.width, room.height);
    context.beginPath();
    context.roundRect(x, y, width, height, radius);
    context.globalCompositeOperation = "destination-out";
    context.fillStyle = "#000000";
    context.fill();
    context.globalCompositeOperation = "source-over";
    context.save();
    context.clip();
    context.lineWidth = 2 * BORDER;
    context.strokeStyle = withAlpha(color, 0.9);
    context.stroke();
    context.restore();
    const tag = tagOn(overlay.label, overlay, room);
    if (tag !== null) paintTag(context, tag, color);
  },
});
