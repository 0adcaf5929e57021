import { holdsRect, overlapRects, rectOfSize, type Size } from "../framebuffer/rect.ts";
import type { Screen } from "../framebuffer/screen.ts";
import { RESIZE_STATUS, type ResizeStatus } from "../protocols/rfb/resize-status.ts";

/** What the demo shows at first: two monitors side by side. */
export const FIRST_SIZE: Size = { width: 2080, height: 800 };
export const FIRST_SCREENS: readonly Screen[] = [
  { id: 1, rect: { x: 0, y: 0, width: 1280, height: 800 }, flags: 0 },
  { id: 2, rect: { x: 1280, y: 0, width: 800, height: 800 }, flags: 0 },
];

const LEAST: Size = { width: 320, height: 240 };
/** A canvas and a framebuffer of this many pixels take 64 MiB together. */
const MOST_AREA = 3840 * 2160;
const MOST_SCREENS = 4;

/** Whether the demo can take a layout that a viewer asks for, rfbproto SetDesktopSize. */
export function judgeLayout(size: Size, screens: readonly Screen[]): ResizeStatus {
  if (size.width * size.height > MOST_AREA) return RESIZE_STATUS.outOfResources;
  const isWhole = screens.length >= 1 && screens.length <= MOST_SCREENS;
  const isValid = screens.every(
    ({ id, rect }, i) =>
      rect.width >= LEAST.width &&
      rect.height >= LEAST.height &&
      holdsRect(rectOfSize(size), rect) &&
      screens.slice(0, i).every((other) => other.id !== id && !overlapRects(other.rect, rect)),
  );
  return isWhole && isValid ? RESIZE_STATUS.done : RESIZE_STATUS.invalidLayout;
}

/** The monitor that has the bar and the dock: the leftmost of the topmost. */
export function mainMonitor(screens: readonly Screen[]): Screen {
  const [first, ...rest] = screens;
  if (first === undefined) throw new RangeError("a desktop without a monitor, expected at least one");
  return rest.reduce((best, screen) => {
    const isHigher = screen.rect.y < best.rect.y;
    const isLeft = screen.rect.y === best.rect.y && screen.rect.x < best.rect.x;
    return isHigher || isLeft ? screen : best;
  }, first);
}
