import * as z from "zod";
import { inkOn, withAlpha } from "../look/contrast.ts";
import { defineShape, LABEL_LIMIT } from "../shape.ts";
import { paintTag, tagAt } from "../tag.ts";

/** A tag with one line of text: the smallest way to name a place. It is always solid, so that it can be read. */
export const label = defineShape({
  kind: "label",
  summary: "a small tag with one line of text at the given corner",
  schema: z.object({ label: z.string().trim().min(1).max(LABEL_LIMIT) }),
  bounds: (overlay, room) => tagAt(overlay.label, overlay.x, overlay.y, room)?.rect ?? overlay,
  paint(context, overlay, room) {
    const tag = tagAt(overlay.label, overlay.x, overlay.y, room);
    if (tag === null) return;
    const { x, y, width, height } = tag.rect;
    paintTag(context, tag, overlay.color);
    context.beginPath();
    context.roundRect(x + 0.5, y + 0.5, width - 1, height - 1, 3.5);
    context.strokeStyle = withAlpha(inkOn(overlay.color), 0.35);
    context.lineWidth = 1;
    context.stroke();
  },
});
