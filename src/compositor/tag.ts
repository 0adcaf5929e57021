import type { Rect, Size } from "../framebuffer/rect.ts";
import { cleanLine, drawLine, fitText, TAG_FONT, textWidth } from "./lettering.ts";
import { inkOn } from "./look/contrast.ts";
import { boxTagPlace, intoRoom } from "./look/placement.ts";
import type { Context } from "./shape.ts";

const PADDING = 7;
const RADIUS = 4;
const MOST_WIDTH = 360;

/** A small filled tab with one line of text. */
export interface Tag {
  readonly text: string;
  readonly rect: Rect;
}

/** A tag where `place` puts one of its size; null where the label shows no letter. */
export function tagBy(label: string | null, room: Rect, place: (size: Size) => Rect): Tag | null {
  const whole = label === null ? "" : cleanLine(label);
  if (whole === "") return null;
  const most = Math.max(1, Math.min(MOST_WIDTH, room.width) - 2 * PADDING);
  const text = fitText(TAG_FONT, whole, most);
  const size = { width: textWidth(TAG_FONT, text) + 2 * PADDING, height: TAG_FONT.lineHeightPx };
  return { text, rect: place(size) };
}

/** A tag whose top left corner is near (x, y), moved into the room. */
export function tagAt(label: string | null, x: number, y: number, room: Rect): Tag | null {
  return tagBy(label, room, (size) => intoRoom({ x, y, ...size }, room));
}

/** The tag of a rectangle: above it, or inside its top edge where there is no room above. */
export function tagOn(label: string | null, r: Rect, room: Rect): Tag | null {
  return tagBy(label, room, (size) => boxTagPlace(r, size, room));
}

/** `corners`: radius at top left, top right, bottom right, bottom left. */
export function paintTag(
  context: Context,
  tag: Tag,
  colour: string,
  corners: readonly [number, number, number, number] = [RADIUS, RADIUS, RADIUS, RADIUS],
): void {
  const { x, y, width, height } = tag.rect;
  context.beginPath();
  context.roundRect(x, y, width, height, [...corners]);
  context.fillStyle = colour;
  context.fill();
  drawLine(context, TAG_FONT, tag.text, x + PADDING, y, inkOn(colour));
}
