import * as z from "zod";
import type { Rect } from "../../framebuffer/rect.ts";
import { drawLine, TEXT_FONT, textWidth, wrapText } from "../lettering.ts";
import { groundUnder, withAlpha } from "../look/contrast.ts";
import { intoRoom, markOpacity } from "../look/placement.ts";
import type { OverlaySpec } from "../overlay.ts";
import { defineShape, LABEL_LIMIT } from "../shape.ts";

const PADDING_X = 10;
const PADDING_Y = 6;
const RADIUS = 6;
/** Narrower than this nothing is readable, so a width below it means "as wide as it needs". */
const LEAST_WIDTH = 60;
const NATURAL_WIDTH = 420;

/** Lines of text in the overlay's colour on a soft plate, wrapped at its width. */
export const text = defineShape({
  kind: "text",
  summary: "text in the colour on a soft contrasting plate, wrapped at the width",
  schema: z.object({ label: z.string().trim().min(1).max(LABEL_LIMIT) }),
  bounds: (overlay, room) => layOut(overlay, room).plate,
  paint(context, overlay, room) {
    const { lines, plate } = layOut(overlay, room);
    context.beginPath();
    context.roundRect(plate.x, plate.y, plate.width, plate.height, RADIUS);
    context.fillStyle = withAlpha(groundUnder(overlay.color), markOpacity(overlay.opacity));
    context.fill();
    context.beginPath();
    context.roundRect(plate.x + 0.5, plate.y + 0.5, plate.width - 1, plate.height - 1, RADIUS - 0.5);
    context.strokeStyle = withAlpha(overlay.color, 0.35);
    context.lineWidth = 1;
    context.stroke();
    lines.forEach((line, i) => {
      const y = plate.y + PADDING_Y + i * TEXT_FONT.lineHeightPx;
      drawLine(context, TEXT_FONT, line, plate.x + PADDING_X, y, overlay.color);
    });
  },
});

function layOut(
  overlay: OverlaySpec,
  room: Rect,
): { readonly lines: readonly string[]; readonly plate: Rect } {
  const wanted = overlay.width < LEAST_WIDTH ? NATURAL_WIDTH : overlay.width;
  const most = Math.max(1, Math.min(wanted, room.width) - 2 * PADDING_X);
  const mostLines = Math.max(1, Math.floor((room.height - 2 * PADDING_Y) / TEXT_FONT.lineHeightPx));
  const lines = wrapText(TEXT_FONT, (overlay.label ?? "").trim(), most, mostLines);
  const widest = lines.reduce((width, line) => Math.max(width, textWidth(TEXT_FONT, line)), 0);
  const size = {
    width: widest + 2 * PADDING_X,
    height: lines.length * TEXT_FONT.lineHeightPx + 2 * PADDING_Y,
  };
  return { lines, plate: intoRoom({ x: overlay.x, y: overlay.y, ...size }, room) };
}
