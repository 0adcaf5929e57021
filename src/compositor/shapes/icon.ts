import { Path2D } from "@napi-rs/canvas";
import * as z from "zod";
import { boundRects, EMPTY_RECT, type Rect } from "../../framebuffer/rect.ts";
import { inkOn, withAlpha } from "../colour.ts";
import type { OverlaySpec } from "../overlay.ts";
import { defineShape, intoRoom, LABEL_LIMIT, presence } from "../shape.ts";
import { paintTag, type Tag, tagAt } from "../tag.ts";

/** A body filled with the colour and, on it, strokes in black or white; drawn in a square of 24 x 24. */
interface Glyph {
  readonly body: string;
  readonly marks: string;
}

const DISC = "M12 2.5a9.5 9.5 0 1 0 0 19a9.5 9.5 0 1 0 0-19z";

const GLYPHS: ReadonlyMap<string, Glyph> = new Map([
  ["check", { body: DISC, marks: "M7.6 12.4l3 3l5.9-6.2" }],
  ["cross", { body: DISC, marks: "M8.4 8.4l7.2 7.2M15.6 8.4l-7.2 7.2" }],
  [
    "warning",
    {
      body: "M10.4 3.6L2.3 18a1.85 1.85 0 0 0 1.6 2.8h16.2a1.85 1.85 0 0 0 1.6-2.8L13.6 3.6a1.85 1.85 0 0 0-3.2 0z",
      marks: "M12 9v4.6M12 17.1v.2",
    },
  ],
  ["info", { body: DISC, marks: "M12 11.2v5.4M12 7.5v.2" }],
  // Its tip is the square's top left corner, one pixel in for the outline.
  ["pointer", { body: "M1.5 1.5v17.2l4.5-4.1l3 6.9l3.5-1.5l-3-6.8h6.1z", marks: "" }],
  [
    "star",
    {
      body: "M12 2.2l2.95 6.35l6.95.8l-5.15 4.7l1.4 6.85L12 17.45L5.85 20.9l1.4-6.85L2.1 9.35l6.95-.8z",
      marks: "",
    },
  ],
]);

/** What the label of an icon may name. */
export const ICON_NAMES: readonly string[] = [...GLYPHS.keys()];

const GRID = 24;
const DEFAULT_SIDE = 32;
const LEAST_SIDE = 12;
const MOST_SIDE = 256;
const TAG_GAP = 4;

/** A named sign; a label that names none is written beside a pointer. */
export const icon = defineShape({
  kind: "icon",
  summary: `a sign chosen by the label (${ICON_NAMES.join(", ")}); any other label is written beside a pointer`,
  schema: z.object({ label: z.string().max(LABEL_LIMIT).nullable() }),
  bounds: (overlay, room) => boundRects(squareOf(overlay, room), tagOf(overlay, room)?.rect ?? EMPTY_RECT),
  paint(context, overlay, room) {
    const square = squareOf(overlay, room);
    const glyph = GLYPHS.get(nameOf(overlay));
    if (glyph === undefined) return;
    const ink = inkOn(overlay.color);
    context.save();
    context.translate(square.x, square.y);
    context.scale(square.width / GRID, square.height / GRID);
    context.lineJoin = "round";
    context.lineCap = "round";
    const body = new Path2D(glyph.body);
    context.fillStyle = withAlpha(overlay.color, presence(overlay.opacity));
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

function nameOf(overlay: OverlaySpec): string {
  const name = (overlay.label ?? "").trim().toLowerCase();
  return GLYPHS.has(name) ? name : "pointer";
}

/** In the middle of the overlay; a pointer's tip is the overlay's corner, wherever that is. */
function squareOf(overlay: OverlaySpec, room: Rect): Rect {
  const least = Math.min(overlay.width, overlay.height);
  const side = least < LEAST_SIDE ? DEFAULT_SIDE : Math.min(least, MOST_SIDE);
  if (nameOf(overlay) === "pointer") return { x: overlay.x, y: overlay.y, width: side, height: side };
  const middle = (from: number, extent: number): number =>
    from + Math.max(0, Math.floor((extent - side) / 2));
  const x = middle(overlay.x, overlay.width);
  const y = middle(overlay.y, overlay.height);
  return intoRoom({ x, y, width: side, height: side }, room);
}

function tagOf(overlay: OverlaySpec, room: Rect): Tag | null {
  if (GLYPHS.has((overlay.label ?? "").trim().toLowerCase())) return null;
  const square = squareOf(overlay, room);
  return tagAt(
    overlay.label,
    square.x + Math.round(square.width * 0.66) + TAG_GAP,
    square.y + Math.round(square.height * 0.66) + TAG_GAP,
    room,
  );
}
