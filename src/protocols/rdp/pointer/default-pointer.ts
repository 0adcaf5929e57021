import type { Cursor } from "../../../framebuffer/cursor.ts";

/** The arrow: "#" black, "." white. */
const ARROW = [
  "#",
  "##",
  "#.#",
  "#..#",
  "#...#",
  "#....#",
  "#.....#",
  "#......#",
  "#.......#",
  "#........#",
  "#.....#####",
  "#..#..#",
  "#.# #..#",
  "##  #..#",
  "#    #..#",
  "     #..#",
  "      ##",
] as const;

const WIDTH = 12;

/** What a host means that asks for its default pointer: an arrow, its tip at 0,0. */
export const DEFAULT_POINTER: Cursor = {
  width: WIDTH,
  height: ARROW.length,
  hotspotX: 0,
  hotspotY: 0,
  rgba: draw(),
};

function draw(): Uint8Array {
  const rgba = new Uint8Array(WIDTH * ARROW.length * 4);
  for (const [y, row] of ARROW.entries()) {
    for (const [x, sign] of Array.from(row).entries()) {
      if (sign === " ") continue;
      const light = sign === "." ? 255 : 0;
      rgba.set([light, light, light, 255], (y * WIDTH + x) * 4);
    }
  }
  return rgba;
}
