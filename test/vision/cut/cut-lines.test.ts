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

t.test("rows of a table that are low and of two colours are cut cell by cell", async (t) => {
  // As Firefox draws it: cells of 22 rows, lines of half a colour over grounds that take turns, padding of 9 pixels.
  const [high, wide, rows, columns] = [22, 90, 6, 3];
  const lines = cutPicture(
    coloured(400, 200, (x, y) => {
      const [left, top] = [x - 20, y - 20];
      const [row, column] = [Math.floor(top / high), Math.floor(left / wide)];
      if (left < 0 || top < 0 || left > columns * wide || top > rows * high) return 0xffffffff;
      const [isAcross, isDown] = [top % high === 0, left % wide === 0];
      if (isAcross && isDown) return 0xff9a9a9a;
      if (isAcross) return 0xffc0c0c0;
      if (isDown) return row % 2 === 0 ? 0xffcfcfcf : 0xffc2c2c2;
      const [inX, inY] = [left - column * wide - 10, top - row * high];
      const isInk = inY >= 6 && inY < 16 && inX >= 0 && inX < 40 && inX % 6 < 2;
      return isInk ? 0xff101010 : row % 2 === 0 ? 0xffffffff : 0xffefefef;
    }),
  );
  const starts = lines.map(({ left, top }) => `${left},${top}`);
  const expected = Array.from({ length: rows * columns }, (_, cell) => {
    const [row, column] = [Math.floor(cell / columns), cell % columns];
    return `${30 + column * wide},${26 + row * high}`;
  });
  t.same(starts, expected);
});

t.test("the dot of a list and the ring of a radio button are no part of the line behind them", async (t) => {
  const isLine = (x: number, y: number): boolean => isStem(x, y) && x >= 42;
  const isDot = (x: number, y: number): boolean => (x - 33) ** 2 + (y - 24.5) ** 2 <= 6;
  const isRing = (x: number, y: number): boolean =>
    Math.abs(Math.hypot(x - 30.5, y - 24.5) - 6.5) <= 0.7 || Math.hypot(x - 30.5, y - 24.5) <= 2.5;
  for (const [what, isMark] of Object.entries({ dot: isDot, ring: isRing })) {
    const [line, ...others] = cutPicture(picture(120, 60, (x, y) => isLine(x, y) || isMark(x, y)));
    t.same(others, [], what);
    t.match(line, { left: 42, top: 20, bottom: 30 }, what);
  }
  // A letter of the same place, which is neither.
  const isLetter = (x: number, y: number): boolean =>
    x >= 30 && x < 37 && y >= 20 && y < 27 && (x < 32 || y < 22);
  t.match(cutPicture(picture(120, 60, (x, y) => isLine(x, y) || isLetter(x, y))), [{ left: 30 }]);
});

t.test(
  "a ring around a dot or a ground of its own is no part of a line whose letters are higher",
  async (t) => {
    // A line of 20 rows, with letters that reach below it; rings of 16, as Chromium draws them beside a large font.
    const isLine = (x: number, y: number): boolean => x >= 50 && x < 110 && y >= 20 && y < 40 && x % 6 < 2;
    const [ground, ink, fill] = [0xff383226, 0xffdddddd, 0xff3b3b3b];
    const drawn = (colourAt: (distance: number) => number | null): PixelPicture =>
      coloured(140, 70, (x, y) => {
        const mark = colourAt(Math.hypot(x - 30.5, y - 28.5));
        return isLine(x, y) ? ink : (mark ?? ground);
      });
    const dotted = drawn((away) => (Math.abs(away - 7) <= 1 || away <= 3.6 ? ink : null));
    const filled = drawn((away) => (Math.abs(away - 7) <= 1 ? ink : away < 7 ? fill : null));
    for (const [what, one] of Object.entries({ dotted, filled })) {
      const [line, ...others] = cutPicture(one);
      t.same(others, [], what);
      t.match(line, { left: 54, top: 20, bottom: 40 }, what);
    }
    const letter = drawn((away) => (Math.abs(away - 7) <= 1 ? ink : null));
    t.match(cutPicture(letter), [{ left: 23 }], "a letter O shows the ground of the line");
  },
);

/** White, with black where `isInk` says so. */
function picture(width: number, height: number, isInk: (x: number, y: number) => boolean): PixelPicture {
  return coloured(width, height, (x, y) => (isInk(x, y) ? 0xff000000 : 0xffffffff));
}

function coloured(width: number, height: number, colour: (x: number, y: number) => number): PixelPicture {
  const words = new Uint32Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) words[y * width + x] = colour(x, y);
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

t.test("two lines are two where a letter of one touches a letter of the next", async (t) => {
  const isIn = (y: number, top: number): boolean => y >= top && y < top + 6;
  const isLetter = (x: number, y: number): boolean =>
    x >= 20 && x < 100 && ((isIn(y, 20) && x % 5 < 2) || (isIn(y, 28) && (x + 3) % 5 < 2));
  const isDescender = (x: number, y: number): boolean => x >= 60 && x < 62 && y >= 20 && y < 28;
  const sides = (isInk: (x: number, y: number) => boolean): [number, number][] =>
    cutPicture(picture(140, 60, isInk)).map(({ left, right }) => [left, right]);
  const both = [
    [20, 97],
    [22, 99],
  ];
  t.same(
    sides((x, y) => isLetter(x, y) || isDescender(x, y)),
    both,
  );
  // The side of a frame beside them is none of their letters.
  const isSide = (x: number, y: number): boolean => x >= 112 && x < 114 && y >= 20 && y < 36;
  t.same(
    sides((x, y) => isLetter(x, y) || isSide(x, y)),
    both,
  );
  // Also where they are one stem: what stands beside it is a letter's, as of a "g" over a "#".
  const isStems = (x: number, y: number): boolean =>
    (x >= 60 && x < 62 && y >= 20 && y < 34) || (x >= 62 && x < 64 && (y === 25 || y === 30));
  t.same(
    sides((x, y) => isLetter(x, y) || isStems(x, y)),
    both,
  );
  // A bar between letters that stand in one line is a letter of it.
  const isBar = (x: number, y: number): boolean => x >= 60 && x < 62 && y >= 18 && y < 32;
  const isWord = (x: number, y: number): boolean =>
    x >= 20 && x < 100 && x % 5 < 2 && Math.abs(x - 61) > 3 && y >= 20 && y < 28;
  t.match(cutPicture(picture(140, 60, (x, y) => isWord(x, y) || isBar(x, y))), [{ top: 18, bottom: 32 }]);
});

t.test("the comma of a semicolon is its line's, and not the one's below", async (t) => {
  // As in X's 9x15: a comma that reaches three of its five rows below the letters, and a bracket of twelve in the next line.
  const isLetter = (x: number, y: number): boolean => x >= 27 && x < 130 && x % 9 < 3 && y >= 17 && y < 27;
  const isMark = (x: number, y: number): boolean =>
    x >= 134 && x < 137 && ((y >= 20 && y < 23) || (y >= 25 && y < 30));
  const isBelow = (x: number, y: number): boolean =>
    (x >= 20 && x < 22 && y >= 31 && y < 43) || (x >= 26 && x < 150 && x % 9 < 3 && y >= 33 && y < 43);
  t.match(cutPicture(picture(170, 60, (x, y) => isLetter(x, y) || isMark(x, y) || isBelow(x, y))), [
    { top: 17, right: 137, bottom: 30 },
    { bottom: 43 },
  ]);
});

t.test("the frame of a low field is no part of what stands in it, nor of the label beside it", async (t) => {
  // As Qt draws it: a round corner, a side three pixels before the letters, rows along top and bottom.
  const corners = new Map([
    ["84,13", 0xffe2e2e2],
    ["85,13", 0xffb6b6b6],
    ["84,14", 0xffb6b6b6],
    ["85,14", 0xffcecece],
  ]);
  const lines = cutPicture(
    coloured(160, 60, (x, y) => {
      if (x < 70) return isStem(x, y) ? 0xff000000 : 0xffececec;
      if (x < 84 || x >= 150 || y < 13 || y >= 38) return 0xffececec;
      const corner = corners.get(`${x},${y}`);
      if (corner !== undefined) return corner;
      if (x === 84 || x === 149 || y === 13 || y === 37) return 0xffababab;
      return y >= 20 && y < 30 && x >= 88 && x < 124 && (x - 88) % 6 < 2 ? 0xff000000 : 0xffffffff;
    }),
  );
  t.match(lines, [
    { left: 24, top: 20, right: 68, bottom: 30 },
    { left: 88, top: 20, right: 120, bottom: 30 },
  ]);
});

t.test("a box that is hardly seen, higher than the label behind it, is no letter of it", async (t) => {
  const isBox = (x: number, y: number): boolean =>
    x >= 4 && x < 18 && y >= 18 && y < 32 && (x < 5 || x >= 16 || y < 19 || y >= 31);
  const made = (box: number): PixelPicture =>
    coloured(120, 60, (x, y) => (isStem(x, y) && x >= 24 ? 0xffe0e0e0 : isBox(x, y) ? box : 0xff353535));
  t.match(cutPicture(made(0xff101010)), [{ left: 24, top: 20, bottom: 30 }]);
});
