import * as z from "zod";
import { boundRects, EMPTY_RECT, type Rect } from "../../framebuffer/rect.ts";
import { withAlpha } from "../look/contrast.ts";
import { borderOf } from "../look/placement.ts";
import { type Context, defineShape, LABEL_LIMIT } from "../shape.ts";
import { paintTag, tagOn } from "../tag.ts";

/** A frame thinner than this has no room for a hairline beside it. */
const HAIRLINE_FROM = 3;

/** A frame of whole pixels around a region, its inside filled at the overlay's opacity, its label in a tab. */
export const box = defineShape({
  kind: "box",
  summary: "a frame around a region, tinted at the opacity, with the label in a tab above it",
  schema: z.object({ label: z.string().max(LABEL_LIMIT).nullable() }),
  bounds: (overlay, room) => boundRects(overlay, tagOn(overlay.label, overlay, room)?.rect ?? EMPTY_RECT),
  paint(context, overlay, room) {
    const { x, y, width, height, color } = overlay;
    const border = borderOf(overlay);
    const inside = {
      x: x + border,
      y: y + border,
      width: width - 2 * border,
      height: height - 2 * border,
    };
    context.fillStyle = color;
    context.fillRect(x, y, width, height);
    if (inside.width > 0 && inside.height > 0) {
      context.clearRect(inside.x, inside.y, inside.width, inside.height);
      context.fillStyle = withAlpha(color, overlay.opacity);
      context.fillRect(inside.x, inside.y, inside.width, inside.height);
      if (border >= HAIRLINE_FROM) paintHairline(context, inside);
    }
    const tag = tagOn(overlay.label, overlay, room);
    if (tag === null) return;
    const isAbove = tag.rect.y < y;
    paintTag(context, tag, color, isAbove ? [4, 4, 0, 0] : [0, 0, 4, 0]);
  },
});

/** Sets the frame off from a ground of its own colour. */
function paintHairline(context: Context, { x, y, width, height }: Rect): void {
  context.strokeStyle = "rgba(0, 0, 0, 0.4)";
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
}
