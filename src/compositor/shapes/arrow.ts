import * as z from "zod";
import { boundRects, EMPTY_RECT, type Point, type Rect } from "../../framebuffer/rect.ts";
import { inkOn, withAlpha } from "../colour.ts";
import type { OverlaySpec } from "../overlay.ts";
import { type Context, defineShape, LABEL_LIMIT, presence } from "../shape.ts";
import { paintTag, type Tag, tagAt } from "../tag.ts";

const HEAD_LENGTH = 22;
const HEAD_HALF = 11;
const SHAFT_HALF = 2.5;
const TAIL_HALF = 1.5;
const HALO = 2;
/** Farthest from the line that a pixel may be: half the head and its halo, and their antialiasing. */
const REACH = HEAD_HALF + HALO + 1;
const TAG_GAP = 8;

/** A line from (x, y) whose head ends exactly at (x + width, y + height); the label stands at its tail. */
export const arrow = defineShape({
  kind: "arrow",
  summary: "an arrow from (x, y) to (x + width, y + height), with the label at its tail",
  schema: z.object({ label: z.string().max(LABEL_LIMIT).nullable() }),
  clamp(spec, room) {
    const from = pointInto({ x: spec.x, y: spec.y }, room);
    const to = pointInto({ x: spec.x + spec.width, y: spec.y + spec.height }, room);
    return { x: from.x, y: from.y, width: to.x - from.x, height: to.y - from.y };
  },
  bounds(overlay, room) {
    const { x, y, width, height } = overlay;
    const line = {
      x: Math.min(x, x + width) - REACH,
      y: Math.min(y, y + height) - REACH,
      width: Math.abs(width) + 2 * REACH + 1,
      height: Math.abs(height) + 2 * REACH + 1,
    };
    return boundRects(line, tagOf(overlay, room)?.rect ?? EMPTY_RECT);
  },
  paint(context, overlay, room) {
    const ink = inkOn(overlay.color);
    const outline = (): void => trace(context, overlay);
    outline();
    context.lineJoin = "round";
    context.lineWidth = 2 * HALO;
    context.strokeStyle = withAlpha(ink, 0.55);
    context.stroke();
    // The halo is cut out where the arrow lies, so that a translucent arrow shows the screen and not its halo.
    outline();
    context.globalCompositeOperation = "destination-out";
    context.fillStyle = "#000000";
    context.fill();
    context.globalCompositeOperation = "source-over";
    context.fillStyle = withAlpha(overlay.color, presence(overlay.opacity));
    context.fill();
    const tag = tagOf(overlay, room);
    if (tag !== null) paintTag(context, tag, overlay.color);
  },
});

function pointInto(p: Point, room: Rect): Point {
  return {
    x: Math.max(room.x, Math.min(p.x, room.x + room.width - 1)),
    y: Math.max(room.y, Math.min(p.y, room.y + room.height - 1)),
  };
}

/** Beside the tail, on the side away from the head. */
function tagOf(overlay: OverlaySpec, room: Rect): Tag | null {
  const tag = tagAt(overlay.label, overlay.x, overlay.y, room);
  if (tag === null) return null;
  const { width, height } = tag.rect;
  const isFlat = Math.abs(overlay.width) > Math.abs(overlay.height);
  const away = isFlat ? -Math.sign(overlay.width) : -Math.sign(overlay.height || 1);
  const beside = (extent: number): number => (away < 0 ? -extent - TAG_GAP : TAG_GAP);
  const x = overlay.x + (isFlat ? beside(width) : -Math.round(width / 2));
  const y = overlay.y + (isFlat ? -Math.round(height / 2) : beside(height));
  return tagAt(overlay.label, x, y, room);
}

/** The outline: round tail, widening shaft, head with a slightly drawn-in back; a dot where it has no length. */
function trace(context: Context, { x, y, width, height }: OverlaySpec): void {
  const length = Math.hypot(width, height);
  context.beginPath();
  if (length < 1) {
    context.arc(x + 0.5, y + 0.5, 5, 0, 2 * Math.PI);
    return;
  }
  const head = Math.min(1, length / (1.6 * HEAD_LENGTH));
  const back = length - HEAD_LENGTH * head;
  const notch = back + 4 * head;
  const angle = Math.atan2(height, width);
  const along = (distance: number, aside: number): [number, number] => [
    x + 0.5 + distance * Math.cos(angle) - aside * Math.sin(angle),
    y + 0.5 + distance * Math.sin(angle) + aside * Math.cos(angle),
  ];
  context.arc(x + 0.5, y + 0.5, TAIL_HALF * head, angle + Math.PI / 2, angle - Math.PI / 2);
  context.lineTo(...along(notch, -SHAFT_HALF * head));
  context.lineTo(...along(back, -HEAD_HALF * head));
  context.lineTo(...along(length, 0));
  context.lineTo(...along(back, HEAD_HALF * head));
  context.lineTo(...along(notch, SHAFT_HALF * head));
  context.closePath();
}
