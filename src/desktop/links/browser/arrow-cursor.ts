import type { Cursor } from "../../../framebuffer/cursor.ts";

/** `#` black, `.` white: pages say nothing of the pointer's picture. */
const ARROW = [
  "#           ",
  "##          ",
  "#.#         ",
  "#..#        ",
  "#...#       ",
  "#....#      ",
  "#.....#     ",
  "#......#    ",
  "#.......#   ",
  "#........#  ",
  "#.....##### ",
  "#..#..#     ",
  "#.# #..#    ",
  "##  #..#    ",
  "#    #..#   ",
  "     #..#   ",
  "      ##    ",
];
const WORDS: Readonly<Record<string, readonly number[]>> = {
  "#": [0, 0, 0, 255],
  ".": [255, 255, 255, 255],
};

export const ARROW_CURSOR: Cursor = {
  width: 12,
  height: ARROW.length,
  hotspotX: 0,
  hotspotY: 0,
  rgba: Uint8Array.from(
    ARROW.flatMap((row) => Array.from(row, (pixel) => WORDS[pixel] ?? [0, 0, 0, 0]).flat()),
  ),
};
