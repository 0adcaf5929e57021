import { BYTES_PER_PIXEL, type Framebuffer } from "../../../framebuffer/framebuffer.ts";
import type { Point, Rect, Size } from "../../../framebuffer/rect.ts";

const AREA: Size = Object.freeze({ width: 320, height: 180 });

/** By what factor a picture is widened at most, in steps of two: 1280x720 around a click. */
export const MOST_WIDENED = 4;

/** Rows that are looked at in one go. */
const STRIP_ROWS = 32;

/** What a yes is bound to: 320x180 pixels around the point, moved to lie within. */
export function areaAround(point: Point, desktop: Size): Rect {
  return within({ x: point.x - (AREA.width >> 1), y: point.y - (AREA.height >> 1), ...AREA }, desktop);
}

/** An area `times` as wide and as high, around the same middle as far as the desktop goes. */
export function widened(area: Rect, times: number, desktop: Size): Rect {
  const width = area.width * times;
  const height = area.height * times;
  const x = area.x - ((width - area.width) >> 1);
  const y = area.y - ((height - area.height) >> 1);
  return within({ x, y, width, height }, desktop);
}

function within(area: Rect, desktop: Size): Rect {
  const width = Math.min(area.width, desktop.width);
  const height = Math.min(area.height, desktop.height);
  return {
    x: Math.max(0, Math.min(area.x, desktop.width - width)),
    y: Math.max(0, Math.min(area.y, desktop.height - height)),
    width,
    height,
  };
}

/** Whether an area of a frame shows nothing: all of its pixels are the same. Most are found out in their first rows. */
export function isOneColour(frame: Framebuffer, area: Rect): boolean {
  let colour: number | undefined;
  for (let row = 0; row < area.height; row += STRIP_ROWS) {
    const height = Math.min(STRIP_ROWS, area.height - row);
    const bytes = frame.read({ x: area.x, y: area.y + row, width: area.width, height });
    const words = new Uint32Array(bytes.buffer, 0, bytes.length / BYTES_PER_PIXEL);
    colour ??= words[0];
    for (const word of words) if (word !== colour) return false;
  }
  return true;
}
