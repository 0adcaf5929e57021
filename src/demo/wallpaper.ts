import type { Point, Rect, Size } from "../framebuffer/rect.ts";
import type { Fade, Painter, Sprite } from "./painter.ts";

/** A sky from top to bottom and hills before it, the farthest first. */
interface Scenery {
  readonly sky: Fade;
  readonly hills: readonly string[];
}

const SCENERIES: readonly Scenery[] = [
  {
    sky: [
      [0, "#8fbcf0"],
      [0.55, "#c9dcf8"],
      [1, "#f6e9ea"],
    ],
    hills: ["#a9c3ee", "#8eaee6", "#7196da"],
  },
  {
    sky: [
      [0, "#f3c9a5"],
      [0.5, "#f8dfcf"],
      [1, "#f5edf3"],
    ],
    hills: ["#e8b3a8", "#cf94a3", "#a97a9c"],
  },
  {
    sky: [
      [0, "#a7d8cf"],
      [0.55, "#d5ece1"],
      [1, "#f6f3e4"],
    ],
    hills: ["#9fcdb8", "#7db8a4", "#5d9d8c"],
  },
];

export const WALLPAPERS = SCENERIES.length;

/**
 * The ground of the desktop, each monitor a view of its own. Colours change only downwards, so that lossless
 * encodings find long runs.
 */
export function paintWallpaper(
  painter: Painter,
  size: Size,
  monitors: readonly Rect[],
  index: number,
): Sprite {
  const { sky, hills } = SCENERIES[index % WALLPAPERS] ?? { sky: [], hills: [] };
  return painter.sprite(size, (own) => {
    own.fill({ x: 0, y: 0, ...size }, "#20262f");
    for (const monitor of monitors) {
      own.clipped(monitor, () => {
        own.fill(monitor, sky);
        for (const [i, colour] of hills.entries()) own.polygon(hill(monitor, i), colour);
      });
    }
  });
}

function hill({ x, y, width, height }: Rect, depth: number): Point[] {
  const base = y + height * (0.68 + depth * 0.1);
  const points: Point[] = [{ x, y: y + height }];
  for (let step = 0; step <= width; step += 4) {
    const phase = (step / 1280) * Math.PI * 2;
    const wave =
      Math.sin(phase * (0.8 + depth * 0.35) + depth * 1.9 + 0.6) + 0.4 * Math.sin(phase * 2.1 + depth);
    points.push({ x: x + step, y: base - wave * height * 0.06 });
  }
  points.push({ x: x + width + 4, y: base }, { x: x + width + 4, y: y + height });
  return points;
}
