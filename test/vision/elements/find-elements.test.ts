import t from "tap";
import type { Box } from "../../../src/vision/cut/box.ts";
import { InkMask } from "../../../src/vision/cut/ink-mask.ts";
import {
  type FoundElement,
  findElements,
  type PlacedLine,
} from "../../../src/vision/elements/find-elements.ts";
import { DrawnPicture, GROUND } from "./drawn-picture.ts";

const WHITE = 0xffffffff;
const GREY = 0xff909090;
const BLUE = 0xffe87010;

const box = (left: number, top: number, right: number, bottom: number): Box => ({ left, top, right, bottom });

/** A picture with lines whose text is known. */
function scene(width = 640, height = 400) {
  const picture = new DrawnPicture(width, height);
  const lines: PlacedLine[] = [];
  return {
    picture,
    /** `lefts`: where its words begin, every 20 pixels by default. */
    write(text: string | null, at: Box, colour?: number, lefts?: readonly number[]): void {
      picture.ink(at, colour);
      const words = (text ?? "")
        .split(" ")
        .map((word, index) => ({ text: word, left: lefts?.[index] ?? at.left + index * 20 }));
      lines.push({ ...at, text, confidence: 0.9, words });
    },
    found(): FoundElement[] {
      const mask = new InkMask(picture);
      mask.update(picture, box(0, 0, width, height));
      return findElements(picture, mask.bytes, lines);
    },
  };
}

const told = (found: readonly FoundElement[]): string[] =>
  found.map(
    ({ kind, label, box: { left, top, right, bottom } }) =>
      `${kind} ${label} ${left},${top},${right},${bottom}`,
  );

t.test("buttons, fields and check boxes are found with their labels, what is left is text", async (t) => {
  const { picture, write, found } = scene();
  write("Name", box(20, 30, 60, 42));
  picture.framed(box(100, 22, 300, 48), WHITE, GREY);
  write("Street", box(20, 70, 70, 82));
  picture.framed(box(100, 62, 300, 88), WHITE, GREY);
  write("Main Road 5", box(108, 69, 190, 81));
  picture.framed(box(20, 110, 33, 123), WHITE, GREY);
  write("Remember me", box(40, 110, 130, 122));
  picture.fill(box(100, 150, 180, 178), BLUE);
  write("Save", box(122, 158, 158, 170), WHITE);
  picture.framed(box(200, 150, 280, 178), 0xfffafafa, GREY);
  write("Cancel", box(216, 158, 264, 170));
  write("Forgot it?", box(400, 158, 470, 170));
  t.same(told(found()).sort(), [
    "button Cancel 200,150,280,178",
    "button Save 100,150,180,178",
    "check_box Remember me 20,110,33,123",
    "field Name 100,22,300,48",
    "field Street 100,62,300,88",
    "text Forgot it? 400,158,470,170",
    "text Main Road 5 108,69,190,81",
    "text Name 20,30,60,42",
    "text Remember me 40,110,130,122",
    "text Street 20,70,70,82",
  ]);
});

t.test("a gradient is one area, a rounded shape a shape, and a window none", async (t) => {
  const { picture, write, found } = scene();
  for (let y = 0; y < 30; y++) {
    const grey = 0xe0 - 2 * y;
    picture.fill(box(50, 50 + y, 150, 51 + y), (0xff000000 | (grey << 16) | (grey << 8) | grey) >>> 0);
  }
  write("Open", box(82, 59, 118, 71));
  for (let y = -14; y < 14; y++) {
    const side = Math.round(14 - Math.sqrt(14 * 14 - (y + 0.5) ** 2));
    picture.fill(box(250 + side, 84 + y, 350 - side, 85 + y), BLUE);
  }
  write("Pill", box(286, 78, 314, 90), WHITE);
  picture.framed(box(20, 200, 620, 390), WHITE, GREY);
  const shapes = found().filter(({ kind }) => kind !== "text");
  t.same(told(shapes).sort(), ["button Open 50,50,150,80", "button Pill 250,70,350,98"]);
  t.ok(shapes.every(({ score }) => score >= 0.7));
});

t.test("cells of a table and lines of a list are rows, whatever stands in their middle", async (t) => {
  const { picture, write, found } = scene();
  for (const [row, column] of [0, 1, 2].flatMap((r) => [0, 1, 2].map((c) => [r, c] as const))) {
    const cell = box(50 + column * 121, 50 + row * 25, 170 + column * 121, 74 + row * 25);
    picture.framed(cell, WHITE, GREY);
    write(`c${row}${column}`, box(cell.left + 40, cell.top + 6, cell.right - 40, cell.top + 18));
  }
  picture.fill(box(50, 200, 400, 226), BLUE);
  write("Selected", box(60, 207, 120, 219), WHITE);
  const kinds = found().filter(({ kind }) => kind !== "text");
  t.equal(kinds.length, 10);
  t.same(new Set(kinds.map(({ kind }) => kind)), new Set(["row"]), JSON.stringify(told(kinds)));
});

t.test("what is drawn and says nothing is an icon, the holes of letters are nothing", async (t) => {
  const { picture, write, found } = scene();
  for (let k = 0; k < 20; k += 4) picture.fill(box(100 + k, 100, 102 + k, 120), 0xff3030c0);
  write("O", box(200, 100, 230, 140));
  picture.fill(box(208, 108, 222, 132), GROUND);
  for (let k = 0; k < 20; k += 4) picture.fill(box(300 + k, 100, 302 + k, 116), 0xff202020);
  write(null, box(300, 100, 318, 116));
  const icons = found().filter(({ kind }) => kind !== "text");
  t.same(
    icons.map(({ kind }) => kind),
    ["icon", "icon"],
  );
  t.same(
    icons.map(({ box: { left } }) => left),
    [100, 300],
  );
});

t.test("noise is no element, and costs no more than a second of looking", async (t) => {
  const { picture, found } = scene(1920, 1080);
  let state = 7;
  for (let at = 0; at < picture.words.length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    picture.words[at] = 0xff000000 | (state >>> 8);
  }
  t.ok(found().length <= 300);
});

t.test("a check box that was cut as the first letter of its label is one", async (t) => {
  const { picture, write, found } = scene();
  write("D Remember me", box(20, 109, 130, 124));
  picture.fill(box(18, 107, 36, 126), GROUND);
  picture.framed(box(21, 110, 33, 122), WHITE, GREY);
  t.same(told(found()).sort(), ["check_box Remember me 21,110,33,122", "text Remember me 40,109,130,124"]);
});

t.test("a box that a tick parts in two is a check box", async (t) => {
  const { picture, write, found } = scene();
  picture.framed(box(20, 110, 36, 126), BLUE, GREY);
  for (let x = 20; x < 36; x++) {
    const y = x < 26 ? 116 + (x - 20) / 2 : 119 - (x - 26) / 2;
    picture.fill(box(x, Math.floor(y), x + 1, Math.floor(y) + 2), WHITE);
  }
  write("Remember me", box(44, 112, 130, 124));
  t.same(told(found()).sort(), ["check_box Remember me 20,110,36,126", "text Remember me 44,112,130,124"]);
});

t.test("of a line that was cut over two buttons each has its own word", async (t) => {
  const { picture, write, found } = scene();
  write("Save Cancel", box(122, 158, 264, 170), undefined, [122, 216]);
  picture.framed(box(100, 150, 180, 178), 0xfffafafa, GREY);
  picture.framed(box(200, 150, 280, 178), 0xfffafafa, GREY);
  picture.ink(box(122, 158, 158, 170));
  picture.ink(box(216, 158, 264, 170));
  const buttons = found().filter(({ kind }) => kind !== "text");
  t.same(told(buttons).sort(), ["button Cancel 200,150,280,178", "button Save 100,150,180,178"]);
});

t.test("a ring beside a text is a check box, a mark that its mirror differs from an icon", async (t) => {
  const { picture, write, found } = scene();
  const ring = (left: number, top: number): void => {
    for (let y = 0; y < 16; y++) {
      for (let x = 0; x < 16; x++) {
        const far = Math.hypot(x - 7.5, y - 7.5);
        if (far > 6 && far <= 8) picture.fill(box(left + x, top + y, left + x + 1, top + y + 1), 0xff202020);
      }
    }
  };
  ring(20, 110);
  write("By train", box(44, 112, 110, 124));
  for (let k = 0; k < 16; k++) picture.fill(box(20, 150 + k, 21 + k, 151 + k), 0xff202020);
  write("Back", box(44, 152, 80, 164));
  const marks = found().filter(({ kind }) => kind !== "text");
  t.same(marks.map(({ kind, label }) => `${kind} ${label}`).sort(), ["check_box By train", "icon null"]);
});
