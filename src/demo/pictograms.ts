import type { Rect } from "../framebuffer/rect.ts";
import type { Painter } from "./painter.ts";

const WHITE = "#ffffff";

/** A sheet with lines of text. */
export function notesPicture(painter: Painter): void {
  painter.fillRound({ x: 12, y: 9, width: 20, height: 26 }, 3, WHITE);
  for (const [y, width] of [
    [15, 12],
    [20, 12],
    [25, 8],
  ] as const) {
    painter.fillRound({ x: 16, y, width, height: 2 }, 1, "#d9912b");
  }
}

/** Three sliders. */
export function controlsPicture(painter: Painter): void {
  for (const [y, knobX] of [
    [13, 27],
    [22, 17],
    [31, 24],
  ] as const) {
    painter.fillRound({ x: 10, y: y - 1, width: 24, height: 2 }, 1, WHITE);
    painter.disc(knobX, y, 4, WHITE);
  }
}

/** A folder. */
export function filesPicture(painter: Painter): void {
  const tab: Rect = { x: 9, y: 11, width: 12, height: 8 };
  painter.fillRound(tab, 2, "#d7e6ff");
  painter.fillRound({ x: 9, y: 15, width: 26, height: 18 }, 3, WHITE);
}

/** A pulse. */
export function statusPicture(painter: Painter): void {
  const points = [
    [9, 23],
    [15, 23],
    [19, 13],
    [25, 32],
    [29, 23],
    [35, 23],
  ] as const;
  painter.line(
    points.map(([x, y]) => ({ x, y })),
    WHITE,
    2.5,
  );
}
