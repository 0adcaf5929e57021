import { readFileSync } from "node:fs";
import t from "tap";
import { cutPicture } from "../../../src/vision/cut/cut-lines.ts";
import type { PixelPicture } from "../../../src/vision/cut/pixel-picture.ts";
import { scenePicture } from "../scene-picture.ts";

t.test("a table whose lines are darker where they cross is cut cell by cell", async (t) => {
  // Chromium, lines of half a colour: no vertical line is of one colour over the whole table.
  const lines = cutPicture(await scenePicture("table-joints"));
  const rows = readFileSync(new URL("../scenes/table-joints.txt", import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  t.ok(lines.length >= rows.length * 0.8, `${lines.length} lines of ${rows.length}`);
});

/** White, with black where `isInk` says so. */
function picture(width: number, height: number, isInk: (x: number, y: number) => boolean): PixelPicture {
  const words = new Uint32Array(width * height).fill(0xffffffff);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) if (isInk(x, y)) words[y * width + x] = 0xff000000;
  }
  return { width, height, words };
}

/** Letters of nothing but stems, ten pixels high, from (20, 20) on. */
const isStem = (x: number, y: number): boolean => y >= 20 && y < 30 && x >= 20 && x < 80 && x % 6 < 2;

t.test("the side of a window that letters touch is no part of their line", async (t) => {
  const [line, ...others] = cutPicture(picture(120, 60, (x, y) => x === 18 || isStem(x, y)));
  t.same(others, []);
  t.match(line, { top: 20, bottom: 30 });
  t.ok((line?.left ?? 0) > 18, `begins at ${line?.left}`);
});

t.test("round sides of a frame and dots of a list are no text", async (t) => {
  const isSide = (x: number, y: number): boolean =>
    (x === 20 && y > 21 && y < 46) || (x > 20 && x < 23 && (y === 21 || y === 46));
  t.same(cutPicture(picture(80, 70, isSide)), []);
  t.same(cutPicture(picture(80, 70, (x, y) => x >= 20 && x < 26 && y >= 20 && y < 26)), []);
});
