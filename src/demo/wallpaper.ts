import type { Point, Rect, Size } from "../framebuffer/rect.ts";
import type { Drawing, Fade, Sprite } from "./drawing.ts";

/** A sky from top to bottom and hills before it, the farthest first. */
const SCENERIES = [
  { sky: ["#8fbcf0", "#c9dcf8", "#f6e9ea"], hills: ["#a9c3ee", "#8eaee6", "#7196da"], middle: 0.55 },
  { sky: ["#f3c9a5", "#f8dfcf", "#f5edf3"], hills: ["#e8b3a8", "#cf94a3", "#a97a9c"], middle: 0.5 },
  { sky: ["#a7d8cf", "#d5ece1", "#f6f3e4"], hills: ["#9fcdb8", "#7db8a4", "#5d9d8c"], middle: 0.55 },
] as const;

export const WALLPAPERS = SCENERIES.length;

/**
 * The ground of the desktop, each monitor a view of its own. Colours change only downwards, so that lossless
 * encodings find long runs.
 */
export function wallpaper(drawing: Drawing, size: Size, monitors: readonly Rect[], index: number): Sprite {
  const { sky, hills, middle } = SCENERIES[index % WALLPAPERS] ?? SCENERIES[0];
  const fade: Fade = [
    [0, sky[0]],
    [middle, sky[1]],
    [1, sky[2]],
  ];
  return drawing.sprite(`wallpaper ${index} ${JSON.stringify([size, monitors])}`, size, (own) => {
    own.fill({ x: 0, y: 0, ...size }, "#20262f");
    for (const monitor of monitors) {
      own.clipped(monitor, () => {
        own.fill(monitor, fade);
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
