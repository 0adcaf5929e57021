import { isAcceptableSize } from "../../../framebuffer/framebuffer.ts";
import { holdsRect, isEmptyRect } from "../../../framebuffer/rect.ts";
import { RfbError } from "../error.ts";
import type { Layout } from "./announcements.ts";

/** Whether a layout can be: of a size we take, with screens, each of them within it. */
export function isLayout({ width, height, screens }: Layout): boolean {
  const whole = { x: 0, y: 0, width, height };
  const areWithin = screens.every(({ rect }) => !isEmptyRect(rect) && holdsRect(whole, rect));
  return isAcceptableSize({ width, height }) && screens.length > 0 && areWithin;
}

/** What ends a viewer that would have to follow a change of size and cannot. */
export function cannotResize({ width, height }: Layout): RfbError {
  const got = `the desktop is ${width}x${height} now, expected a viewer that can resize`;
  return new RfbError("refused", "message", got);
}
