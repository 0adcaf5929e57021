import type { Point, Rect, Size } from "../../framebuffer/rect.ts";

/*
 * Where the parts of an overlay lie and how they are drawn, in desktop pixels: the browser's layer draws by the same
 * numbers as the compositor, so nothing here needs a canvas. An arrow's width and height may be negative; `room` is the
 * monitor that an overlay stays on.
 */

/** Opacity of plates, lines, arrows and icons: these carry the message, so they never fade below 0.7. */
export function markOpacity(opacity: number): number {
  return 0.7 + 0.3 * opacity;
}

/** Width of a box's frame: thinner in a box too small for the usual 3. */
export function borderOf(size: Size): number {
  return Math.max(1, Math.min(3, Math.floor(Math.min(size.width, size.height) / 4)));
}

/** `r` moved, not cut, so that it lies in the room; cut only where it is larger than the room. */
export function intoRoom(r: Rect, room: Rect): Rect {
  const width = Math.min(r.width, room.width);
  const height = Math.min(r.height, room.height);
  return {
    x: Math.max(room.x, Math.min(r.x, room.x + room.width - width)),
    y: Math.max(room.y, Math.min(r.y, room.y + room.height - height)),
    width,
    height,
  };
}

/** The tab of a rectangle: above it, or inside its top edge where the monitor ends above. */
export function boxTagPlace(box: Rect, tag: Size, room: Rect): Rect & { readonly isAbove: boolean } {
  const above = box.y - tag.height;
  const isAbove = above >= room.y;
  return { ...intoRoom({ ...tag, x: box.x, y: isAbove ? above : box.y }, room), isAbove };
}

const TAG_GAP = 8;

/** An arrow's tag: beside the tail, on the side away from the head. */
export function arrowTagPlace(arrow: Rect, tag: Size, room: Rect): Rect {
  const isFlat = Math.abs(arrow.width) > Math.abs(arrow.height);
  const away = isFlat ? -Math.sign(arrow.width) : -Math.sign(arrow.height || 1);
  const beside = (extent: number): number => (away < 0 ? -extent - TAG_GAP : TAG_GAP);
  const x = arrow.x + (isFlat ? beside(tag.width) : -Math.round(tag.width / 2));
  const y = arrow.y + (isFlat ? -Math.round(tag.height / 2) : beside(tag.height));
  return intoRoom({ ...tag, x, y }, room);
}

const HEAD_LENGTH = 22;
/** Half the width of an arrow's head, its widest part. */
export const ARROW_HALF = 11;
const SHAFT_HALF = 2.5;
const TAIL_HALF = 1.5;

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The outline of an arrow from 0,0 whose tip is at (width, height), as SVG path data; a dot where it has no length. */
export function arrowPath(width: number, height: number): string {
  const length = Math.hypot(width, height);
  if (length < 1) return "M-4.5 0.5a5 5 0 1 1 10 0a5 5 0 1 1 -10 0z";
  const head = Math.min(1, length / (1.6 * HEAD_LENGTH));
  const back = length - HEAD_LENGTH * head;
  const notch = back + 4 * head;
  const cos = width / length;
  const sin = height / length;
  const at = (distance: number, aside: number): string =>
    `${round(0.5 + distance * cos - aside * sin)} ${round(0.5 + distance * sin + aside * cos)}`;
  const tail = TAIL_HALF * head;
  return [
    `M${at(0, tail)}`,
    `A${round(tail)} ${round(tail)} 0 0 1 ${at(0, -tail)}`,
    `L${at(notch, -SHAFT_HALF * head)}`,
    `L${at(back, -ARROW_HALF * head)}`,
    `L${at(length, 0)}`,
    `L${at(back, ARROW_HALF * head)}`,
    `L${at(notch, SHAFT_HALF * head)}z`,
  ].join("");
}

const DEFAULT_SIDE = 32;
const LEAST_SIDE = 12;
const MOST_SIDE = 256;

/** The square an icon is drawn in: the middle of its overlay; a pointer's tip is the overlay's corner. */
export function iconSquare(icon: Rect, isPointer: boolean, room: Rect): Rect {
  const least = Math.min(icon.width, icon.height);
  const side = least < LEAST_SIDE ? DEFAULT_SIDE : Math.min(least, MOST_SIDE);
  if (isPointer) return { x: icon.x, y: icon.y, width: side, height: side };
  const middle = (from: number, extent: number): number =>
    from + Math.max(0, Math.floor((extent - side) / 2));
  return intoRoom(
    { x: middle(icon.x, icon.width), y: middle(icon.y, icon.height), width: side, height: side },
    room,
  );
}

/** Where a pointer's words stand: below and right of it. */
export function iconTagPlace(square: Rect, tag: Size, room: Rect): Rect {
  const corner: Point = {
    x: square.x + Math.round(square.width * 0.66) + 4,
    y: square.y + Math.round(square.height * 0.66) + 4,
  };
  return intoRoom({ ...tag, ...corner }, room);
}

/** Radius of a rectangle's corners: `most`, less where the rectangle is small. */
export function cornerOf(size: Size, most: number): number {
  return Math.min(most, size.width / 4, size.height / 4);
}

/** A ring inside the rectangle: its radii, and how wide its line is without the pixel of halo at each side. */
export function ringOf(size: Size): { readonly rx: number; readonly ry: number; readonly border: number } {
  const border = Math.max(1, Math.min(3, Math.min(size.width, size.height) / 4));
  const inset = border / 2 + 1;
  return { rx: Math.max(0.5, size.width / 2 - inset), ry: Math.max(0.5, size.height / 2 - inset), border };
}

/** A hand's line, relative to the overlay's corner; without points a ring that does not quite close. */
export function freehandLine(size: Size, points: readonly Point[] | undefined): readonly Point[] {
  return points ?? handDrawnRing(size);
}

/** The same line as SVG path data. */
export function freehandPath(size: Size, points: readonly Point[] | undefined): string {
  const line = freehandLine(size, points);
  const at = ({ x, y }: Point): string => `${round(x)} ${round(y)}`;
  // The first point is gone to as well: one alone is a dot.
  return line.map((point, i) => (i === 0 ? `M${at(point)}L${at(point)}` : `L${at(point)}`)).join("");
}

function handDrawnRing({ width, height }: Size): readonly Point[] {
  return Array.from({ length: 49 }, (_, i) => {
    const angle = -2 + (2 * Math.PI * 1.06 * i) / 48;
    // Slowly inwards, so that the end passes the beginning on the inside.
    const share = 1 - 0.08 * (i / 48);
    return {
      x: (width / 2) * (1 + share * Math.cos(angle)),
      y: (height / 2) * (1 + share * Math.sin(angle)),
    };
  });
}

/** All of the room but the rectangle, relative to the rectangle's corner: path data to be filled by the even-odd rule. */
export function aroundPath(box: Rect, room: Rect): string {
  const { width, height } = box;
  const radius = round(cornerOf(box, 8));
  const arc = (x: number, y: number): string => `a${radius} ${radius} 0 0 1 ${x} ${y}`;
  return [
    `M${room.x - box.x} ${room.y - box.y}h${room.width}v${room.height}h${-room.width}z`,
    `M${radius} 0H${width - radius}${arc(radius, radius)}V${height - radius}${arc(-radius, radius)}`,
    `H${radius}${arc(-radius, -radius)}V${radius}${arc(radius, -radius)}z`,
  ].join("");
}
