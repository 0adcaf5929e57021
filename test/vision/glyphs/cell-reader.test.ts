import { readFileSync } from "node:fs";
import t from "tap";
import type { LineInk } from "../../../src/vision/cut/cut-line.ts";
import { cutPicture } from "../../../src/vision/cut/cut-lines.ts";
import { CellReader } from "../../../src/vision/glyphs/cell-reader.ts";
import { cellsOf } from "../../../src/vision/glyphs/cells.ts";
import type { GreyPicture } from "../../../src/vision/ocr-engine.ts";
import type { OcrWord } from "../../../src/vision/ocr-messages.ts";
import { readLines } from "../../../src/vision/read-line.ts";
import { inReadingOrder } from "../../../src/vision/reading-order.ts";
import { scenePicture } from "../scene-picture.ts";

/** Taken of xterm 379; beside each the lines that it was given. */
const linesOf = async (name: string): Promise<LineInk[]> =>
  inReadingOrder(cutPicture(await scenePicture(name)));
const textOf = (name: string): string[] =>
  readFileSync(new URL(`../scenes/${name}.txt`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
const written = (words: readonly OcrWord[] | null | undefined): string | null =>
  words?.map(({ text }) => text).join(" ") ?? null;

t.test("a terminal with one of X's fonts is read letter by letter, without an engine", async (t) => {
  const cells = await CellReader.open();
  const lines = await linesOf("xterm-6x13");
  const read = cells.read(lines);
  t.same(read.map(written), textOf("xterm-6x13"));
  for (const [index, words] of read.entries()) {
    const box = lines[index]?.inkBox;
    for (const { text, rect } of words ?? []) {
      const isLast = words?.at(-1)?.rect === rect;
      if (!isLast)
        t.match(rect, { x: Math.round(rect.x / 6) * 6, width: text.length * 6 }, "as wide as its cells");
      t.ok(box !== undefined && rect.x >= box.left && rect.x + rect.width <= box.right, "inside of its line");
    }
  }
});

t.test(
  "coloured, inverse and underlined words are read letter by letter, in the font that knows all of them",
  async (t) => {
    for (const [name, least] of [
      ["xterm-terminus-8x16", 0.95],
      ["xterm-9x15-bold", 0.95],
    ] as const) {
      const cells = await CellReader.open();
      const read = cells.read(await linesOf(name));
      const letters = textOf(name).map((line) => line.replaceAll(/\s/g, ""));
      const known = read.flatMap((words) => words ?? []);
      for (const { text } of known) {
        t.ok(
          letters.some((line) => line.includes(text)),
          `${name}: ${text}`,
        );
      }
      const share = known.map(({ text }) => text).join("").length / letters.join("").length;
      t.ok(share >= least, `${name}: ${share} of all letters`);
    }
  },
);

t.test(
  "ink beside a letter, as of a word below that stands in a block, does not hide the letter",
  async (t) => {
    const reader = await CellReader.open();
    const stained = (await linesOf("xterm-6x13")).map((line) => {
      const width = line.inkBox.right - line.inkBox.left;
      const ink = Uint8Array.from(line.ink);
      // The last row of the margin, under the first letter.
      ink[ink.length - width + 4] = 255;
      return { ...line, ink };
    });
    t.same(reader.read(stained).map(written), textOf("xterm-6x13"));
  },
);

t.test("a letter is known whose underline is seen only where its own ink was kept", async (t) => {
  const reader = await CellReader.open();
  const text = textOf("xterm-6x13");
  const lines = await linesOf("xterm-6x13");
  const at = text.findIndex((line) => line.includes("p"));
  const line = lines[at];
  if (line === undefined) throw new Error("no line has a p");
  const column = text[at]?.indexOf("p") ?? 0;
  const cell = cellsOf(line, { pitch: 6, phase: 0 }).find((one) => one.at === column);
  if (cell === undefined) throw new Error("the p is in no cell");
  const width = line.inkBox.right - line.inkBox.left;
  const ink = Uint8Array.from(line.ink);
  // Its first columns, in the last row of its stem.
  const from = (cell.bottom - 1) * width + column * 6 - line.inkBox.left;
  ink.fill(255, from, from + 5);
  t.same(reader.read(lines.with(at, { ...line, ink })).map(written), text);
});

/** What an engine would give that reads without faults: the true words, each where its letters are. */
function truth(line: LineInk, text: string): OcrWord[] {
  const places = [...text.matchAll(/\S+/g)];
  const grid = { pitch: 7, phase: 0 };
  const cells = cellsOf(line, grid);
  const first = cells[0]?.at ?? 0;
  // Words were joined by one blank, as they stand in the terminal.
  return places.map((match) => ({
    text: match[0],
    rect: {
      x: (first + match.index) * grid.pitch + 1,
      y: line.top,
      width: match[0].length * grid.pitch - 2,
      height: line.bottom - line.top,
    },
    confidence: 90,
  }));
}

t.test("another font is learned from what an engine reads, and its mistakes are outvoted", async (t) => {
  const cells = await CellReader.open();
  const lines = await linesOf("xterm-dejavu-9");
  const texts = textOf("xterm-dejavu-9");
  t.equal(lines.length, texts.length);
  const half = 26;
  const taught = lines.slice(0, half);
  t.same(new Set(cells.read(taught)), new Set([null]), "nothing is known at first");
  const asRead = taught.map((line, index) => truth(line, texts[index] ?? ""));
  const wrong = asRead.map((words, index) =>
    index !== half - 1 ? words : words.map((word) => ({ ...word, text: word.text.replaceAll("e", "c") })),
  );
  const learned = cells.learn(taught, wrong);
  t.equal(written(learned[half - 1]), texts[half - 1], "a line that was read wrong is set right");
  const rest = cells.read(lines.slice(half));
  const known = rest.filter((words) => words !== null).length;
  t.ok(known >= 1, `${known} of ${rest.length} lines are read without an engine`);
  for (const [index, words] of rest.entries()) {
    if (words !== null) t.equal(written(words), texts[half + index]);
  }
});

/** The mistake of an engine in so many of five words that have it, evenly spread. */
function mistaken(lines: readonly (readonly OcrWord[])[], from: string, to: string, ofFive: number) {
  let count = 0;
  return lines.map((words) =>
    words.map((word) => {
      if (!word.text.includes(from)) return word;
      return count++ % 5 < ofFive ? { ...word, text: word.text.replaceAll(from, to) } : word;
    }),
  );
}

t.test("a letter that is often read as another is known where that one has a glyph of its own", async (t) => {
  const lines = await linesOf("xterm-dejavu-9");
  const texts = textOf("xterm-dejavu-9");
  const asRead = lines.map((line, index) => truth(line, texts[index] ?? ""));
  for (const [from, to] of [
    ["e", "c"],
    ["o", "a"],
  ] as const) {
    const learned = (await CellReader.open()).learn(lines, mistaken(asRead, from, to, 2));
    t.same(learned.map(written), texts, `${from} was read as ${to} in two of five`);
  }
  const none = (await CellReader.open()).learn(lines, mistaken(asRead, "e", "\u00ae", 2));
  t.not(
    written(none.flat()),
    texts.join(" "),
    "a reading that is no other letter of the screen stays in doubt",
  );
});

t.test("a glyph that is read as straight and as typographic quotation marks is a straight one", async (t) => {
  const lines = await linesOf("xterm-dejavu-9");
  const texts = textOf("xterm-dejavu-9");
  const asRead = lines.map((line, index) => truth(line, texts[index] ?? ""));
  const quoted = mistaken(asRead, "o", '"', 5);
  const learned = (await CellReader.open()).learn(lines, mistaken(quoted, '"', "\u201d", 3));
  t.same(
    learned.map(written),
    texts.map((text) => text.replaceAll("o", '"')),
  );
});

t.test(
  "a word is known by its ink once it was read alike twice, also where its letters are not known",
  async (t) => {
    const cells = await CellReader.open();
    const lines = await linesOf("xterm-dejavu-9");
    const texts = textOf("xterm-dejavu-9");
    const misread = (words: readonly OcrWord[]): OcrWord[] =>
      words.map((word) => ({ ...word, text: word.text.replaceAll("e", "c") }));
    const asRead = lines.slice(0, 1).map((line) => truth(line, texts[0] ?? ""));
    const first = lines.slice(0, 1);
    cells.learn(first, asRead);
    t.equal(cells.read(first)[0], null, "read once");
    cells.learn(first, asRead);
    t.equal(written(cells.read(first)[0]), texts[0]);
    cells.learn(first, asRead.map(misread));
    t.equal(cells.read(first)[0], null, "and once as something else");
  },
);

t.test("what is set right alone teaches nothing", async (t) => {
  const cells = await CellReader.open();
  const texts = textOf("xterm-dejavu-9");
  const at = texts.findIndex((text) => /^Storm /.test(text));
  const line = (await linesOf("xterm-dejavu-9"))[at];
  if (line === undefined) throw new Error("no line of long words");
  const words = truth(line, texts[at] ?? "");
  cells.learn([line], [words]);
  for (let nth = 0; nth < 3; nth++) t.equal(written(cells.corrected(line, words)), texts[at]);
  t.equal(cells.read([line])[0], null, "its words were read once");
  cells.learn([line], [words]);
  t.equal(written(cells.read([line])[0]), texts[at]);
});

/** The line with a caret in the second cell behind its last letter: a block, or its frame. */
function withCaret(line: LineInk, isFrame: boolean): LineInk {
  const { ink, inkBox } = line;
  const [width, height] = [inkBox.right - inkBox.left, inkBox.bottom - inkBox.top];
  const from = (Math.floor((inkBox.right - 1) / 7) + 2) * 7;
  const wide = from + 7 - inkBox.left;
  const made = new Uint8Array(wide * height);
  for (let y = 0; y < height; y++) {
    made.set(ink.subarray(y * width, (y + 1) * width), y * wide);
    for (let x = 0; x < 7; x++) {
      const isEdge = y === 0 || y === height - 1 || x === 0 || x === 6;
      if (isEdge || !isFrame) made[y * wide + wide - 7 + x] = 255;
    }
  }
  return { ...line, ink: made, inkBox: { ...inkBox, right: from + 7 } };
}

t.test("a caret in a line of a font that was learned asks for no engine", async (t) => {
  const cells = await CellReader.open();
  const lines = await linesOf("xterm-dejavu-9");
  const texts = textOf("xterm-dejavu-9");
  cells.learn(
    lines,
    lines.map((line, index) => truth(line, texts[index] ?? "")),
  );
  const at = cells.read(lines).findIndex((words) => words !== null);
  const line = lines[at];
  if (line === undefined) throw new Error("no line is known");
  const [plain, block, frame] = cells.read([line, withCaret(line, false), withCaret(line, true)]);
  t.equal(written(plain), texts[at]);
  t.same(block, plain, "not a letter, and not of a word");
  t.same(frame, plain, "of a terminal without the keyboard");
});

t.test("an engine is asked only for lines that are no terminal's", async (t) => {
  const cells = await CellReader.open();
  const asked: number[] = [];
  const engine = {
    use: async () => undefined,
    read: async (pictures: Iterable<GreyPicture>) =>
      Array.from(pictures, ({ width }) => {
        asked.push(width);
        return [];
      }),
  };
  const terminal = await linesOf("xterm-6x13");
  const table = await linesOf("table-joints");
  const read = await readLines(engine, cells, [...terminal, ...table]);
  t.equal(asked.length, table.length);
  t.same(read.slice(0, terminal.length).map(written), textOf("xterm-6x13"));
});

t.test(
  "of a terminal that is shown at 1.25 what an engine loses or takes for another is set right, though cells are parts of a pixel",
  async (t) => {
    const cells = await CellReader.open();
    const lines = await linesOf("foot-1.25");
    const texts = textOf("foot-1.25");
    t.equal(lines.length, texts.length);
    const pitch = 8.75;
    // Underscores part words, tildes are hyphens, and in one line a full stop is a comma, as Tesseract read them.
    const read = lines.map((line, row): OcrWord[] =>
      [...(texts[row] ?? "").matchAll(/[^\s_]+/g)].map((match) => ({
        text: match[0].replace("~", "-").replace("[91033.", "[91033,"),
        rect: {
          x: 6 + match.index * pitch,
          y: line.top,
          width: match[0].length * pitch - 2,
          height: line.bottom - line.top,
        },
        confidence: 85,
      })),
    );
    t.notSame(read.map(written), texts);
    t.same(cells.learn(lines, read).map(written), texts);
  },
);
