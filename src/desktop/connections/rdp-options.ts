import { placesIn } from "../../framebuffer/places.ts";
import { boundRects, EMPTY_RECT, overlapRects, type Rect } from "../../framebuffer/rect.ts";
import { RefusedError } from "../error.ts";
import { LEAST_SIDE, MOST_MONITORS, MOST_SIDE, type RdpFields } from "./connection-fields.ts";

/**
 * The query of `rdp://user:password@host?size=1280x800&depth=32&graphics=pipeline&require_nla=on&keyboard_layout=0x407`;
 * instead of a size `monitors=1280x800+0+0,1024x768+1280+0`. Throws RefusedError invalid_parameters.
 */
export function rdpFieldsIn(params: URLSearchParams): Record<string, unknown> {
  return Object.assign(
    {},
    ...Object.entries(QUERY).map(([name, read]) => {
      const text = params.get(name);
      return text === null ? {} : read(text);
    }),
  );
}

/** The fields that each word of the query gives. */
const QUERY: Readonly<Record<string, (text: string) => Record<string, unknown>>> = {
  size: sizeOf,
  monitors: (text) => ({ monitors: monitorsIn(text) }),
  depth: (text) => ({ depth: Number(text) }),
  graphics: (text) => ({ graphics: text }),
  require_nla: (text) => ({ require_nla: switchOf(text) }),
  keyboard_layout: (text) => ({ keyboard_layout: layoutOf(text) }),
};

function sizeOf(text: string): { readonly width: number; readonly height: number } {
  const [, width, height] = text.match(/^(\d{1,5})x(\d{1,5})$/) ?? [];
  const size = { width: Number(width), height: Number(height) };
  const isSide = (side: number): boolean => side >= LEAST_SIDE && side <= MOST_SIDE;
  if (isSide(size.width) && isSide(size.height)) return size;
  throw new RefusedError("invalid_parameters", `got size "${text}", expected one such as 1280x800`);
}

function monitorsIn(text: string): Rect[] {
  const monitors = placesIn(text);
  if (monitors !== null) {
    checkMonitors({ monitors });
    return monitors;
  }
  throw new RefusedError(
    "invalid_parameters",
    `got monitors "${text}", expected places such as 1280x800+0+0,1024x768+1280+0`,
  );
}

/** Refuses monitors that no host takes, and a size beside them: the desktop is as large as they are together. */
export function checkMonitors({ monitors, width, height }: RdpFields): void {
  if (monitors === undefined) return;
  const hasSize = width !== undefined || height !== undefined;
  const refusal = hasSize ? "a size beside them: they make the desktop's size" : faultOf(monitors);
  if (refusal === null) return;
  throw new RefusedError("invalid_parameters", `got monitors with ${refusal}`);
}

/** What is wrong with them, as it follows "got monitors with"; null where nothing is. */
function faultOf(monitors: readonly Rect[]): string | null {
  if (monitors.length === 0 || monitors.length > MOST_MONITORS) {
    return `a count of ${monitors.length}, expected 1 to ${MOST_MONITORS}`;
  }
  for (const { width, height } of monitors) {
    if (Math.min(width, height) < LEAST_SIDE || Math.max(width, height) > MOST_SIDE) {
      return `one of ${width}x${height}, expected sides of ${LEAST_SIDE} to ${MOST_SIDE}`;
    }
  }
  const { x, y, width, height } = monitors.reduce(boundRects, EMPTY_RECT);
  if (x !== 0 || y !== 0) return `their upper left corner at ${x},${y}, expected 0,0`;
  if (width > MOST_SIDE || height > MOST_SIDE) {
    return `${width}x${height} pixels together, expected sides of at most ${MOST_SIDE}`;
  }
  const isShared = monitors.some((a, i) => monitors.slice(i + 1).some((b) => overlapRects(a, b)));
  return isShared ? "places that overlap, expected each pixel on one of them" : null;
}

function layoutOf(text: string): number {
  const number = /^(0x[0-9a-f]{1,8}|\d{1,10})$/i.test(text) ? Number(text) : Number.NaN;
  if (number >= 0 && number <= 0xffff_ffff) return number;
  throw new RefusedError("invalid_parameters", `got keyboard_layout "${text}", expected one such as 0x409`);
}

function switchOf(text: string): boolean {
  if (text === "on" || text === "off") return text === "on";
  throw new RefusedError("invalid_parameters", `got require_nla "${text}", expected one of on, off`);
}
