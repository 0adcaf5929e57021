import * as z from "zod";
import { boundRects, EMPTY_RECT } from "../../framebuffer/rect.ts";
import { defineShape, LABEL_LIMIT } from "../shape.ts";
import { paintTag, tagOn } from "../tag.ts";

/** What is under it is mixed by whoever puts the picture together (blur.ts); painted is the label alone. */
export const blur = defineShape({
  kind: "blur",
  isBlur: true,
  summary:
    "a region out of focus, below all other overlays, with the label in a tab above it: it draws the eye elsewhere and hides nothing, for the pixels are still in the pictures that agents and recordings have; masks hide",
  schema: z.object({ label: z.string().max(LABEL_LIMIT).nullable() }),
  bounds: (overlay, room) => boundRects(overlay, tagOn(overlay.label, overlay, room)?.rect ?? EMPTY_RECT),
  paint(context, overlay, room) {
    const tag = tagOn(overlay.label, overlay, room);
    if (tag !== null) paintTag(context, tag, overlay.color);
  },
});
