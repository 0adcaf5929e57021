import type { Rect } from "../../framebuffer/rect.ts";

/** A rectangle by its edges, half-open: joining and comparing edges is most of what cutting lines does. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export function joinBoxes(a: Box, b: Box): Box {
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  };
}

export function rectOfBox({ left, top, right, bottom }: Box): Rect {
  return { x: left, y: top, width: right - left, height: bottom - top };
}

export function boxOfRect({ x, y, width, height }: Rect): Box {
  return { left: x, top: y, right: x + width, bottom: y + height };
}

export function boxesOverlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** Rows that both have; negative: how far they are apart. */
export function commonRows(a: Box, b: Box): number {
  return Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
}

export const heightOf = ({ top, bottom }: Box): number => bottom - top;
export const widthOf = ({ left, right }: Box): number => right - left;
