import { RefusedError } from "../../desktop/error.ts";
import {
  areaOfRect,
  holdsPoint,
  intersectRects,
  isEmptyRect,
  type Point,
  type Rect,
  rectOfSize,
  translateRect,
} from "../../framebuffer/rect.ts";
import type { McpDesktop } from "./ports.ts";

/** Where a caller's coordinates lie: a monitor, or the whole desktop. Bounds are desktop pixels. */
export interface Place {
  /** What coordinates are relative to and rectangles are clamped to. */
  readonly bounds: Rect;
  /** As the caller named it; null for the whole desktop. */
  readonly monitorIndex: number | null;
}

/** Throws RefusedError out_of_bounds for a monitor that is not there. */
export function placeOf(desktop: McpDesktop, monitorIndex: number | undefined): Place {
  if (monitorIndex === undefined) return { bounds: rectOfSize(desktop.size), monitorIndex: null };
  const screen = desktop.screens[monitorIndex];
  if (screen === undefined) {
    const last = desktop.screens.length - 1;
    throw new RefusedError(
      "out_of_bounds",
      `got monitor_index ${monitorIndex}, expected 0${last > 0 ? ` to ${last}` : ", the only monitor"}`,
    );
  }
  return { bounds: screen.rect, monitorIndex };
}

/** The rectangle of whole pixels next to one between them: both its corners, and so also what has a negative size. */
export function wholePixels({ x, y, width, height }: Rect): Rect {
  const left = Math.round(x);
  const top = Math.round(y);
  return { x: left, y: top, width: Math.round(x + width) - left, height: Math.round(y + height) - top };
}

/** The pixel next to a point within a length: half a pixel from its end is still its last one. */
function wholePixel(at: number, length: number): number {
  return Math.min(length - 1, Math.round(at));
}

/** A caller's point in desktop pixels; throws RefusedError out_of_bounds with the bounds. */
export function pointIn(place: Place, point: Point): Point {
  const { bounds } = place;
  if (!holdsPoint(rectOfSize(bounds), point.x, point.y)) {
    throw new RefusedError("out_of_bounds", `got ${point.x},${point.y}, expected a point in ${name(place)}`);
  }
  return {
    x: bounds.x + wholePixel(point.x, bounds.width),
    y: bounds.y + wholePixel(point.y, bounds.height),
  };
}

/** A caller's rectangle in desktop pixels, clamped; throws RefusedError out_of_bounds where nothing is left. */
export function rectIn(place: Place, rect: Rect): Rect {
  const found = intersectRects(
    translateRect(atLeastOne(wholePixels(rect)), place.bounds.x, place.bounds.y),
    place.bounds,
  );
  if (isEmptyRect(found)) {
    const got = `${rect.width}x${rect.height} at ${rect.x},${rect.y}`;
    throw new RefusedError(
      "out_of_bounds",
      `got the rectangle ${got}, expected one that meets ${name(place)}`,
    );
  }
  return found;
}

function atLeastOne({ x, y, width, height }: Rect): Rect {
  return { x, y, width: Math.max(1, width), height: Math.max(1, height) };
}

/** The monitor that shows most of a rectangle. */
export function monitorOf(desktop: McpDesktop, rect: Rect): number {
  let best = 0;
  let bestArea = -1;
  desktop.screens.forEach((screen, index) => {
    const area = areaOfRect(intersectRects(screen.rect, rect));
    if (area > bestArea) {
      best = index;
      bestArea = area;
    }
  });
  return best;
}

function name({ bounds, monitorIndex }: Place): string {
  const size = `${bounds.width}x${bounds.height} (x 0 to ${bounds.width - 1}, y 0 to ${bounds.height - 1})`;
  return monitorIndex === null ? `the desktop of ${size}` : `monitor ${monitorIndex} of ${size}`;
}
