import { readFileSync } from "node:fs";
import t from "tap";
import { decodePicture } from "../../../src/compositor/picture-file.ts";
import type { Rect } from "../../../src/framebuffer/rect.ts";
import type { LineInk } from "../../../src/vision/cut/cut-line.ts";
import type { LineWords } from "../../../src/vision/ocr-messages.ts";
import { LineCache } from "../../../src/vision/text/line-cache.ts";
import { TextIndex } from "../../../src/vision/text/text-index.ts";
import { scenePicture } from "../scene-picture.ts";
import { RandomScreen } from "./random-steps.ts";

/** Dark text on light ground on the left, light on dark on the right. */
const PAGE = await decodePicture(readFileSync(new URL("../page.png", import.meta.url)));
const SIZE = { width: 640, height: 420 };
const never = new AbortController().signal;

/** A picture and its index, which is told all that is done to it; reading a line tells which ink it is. */
function indexed(cache = new LineCache()) {
  const words = new Uint32Array(SIZE.width * SIZE.height).fill(0xfffafafa);
  const bytes = new Uint8Array(words.buffer);
  const index = new TextIndex(SIZE, cache);
  const asked: LineInk[] = [];
  let generation = 0;
  const paint = (rect: Rect): void => {
    const pixels = new Uint8Array(rect.width * rect.height * 4);
    for (let y = 0; y < rect.height; y++) {
      const from = ((rect.y + y) * SIZE.width + rect.x) * 4;
      pixels.set(bytes.subarray(from, from + rect.width * 4), y * rect.width * 4);
    }
    index.paint(rect, pixels);
  };
  return {
    index,
    words,
    asked,
    /** A part of the page at another place. */
    put(from: Rect, x: number, y: number): void {
      for (let row = 0; row < from.height; row++) {
        for (let column = 0; column < from.width; column++) {
          const at = ((from.y + row) * PAGE.width + from.x + column) * 4;
          const [red = 0, green = 0, blue = 0] = PAGE.rgba.subarray(at, at + 3);
          words[(y + row) * SIZE.width + x + column] = (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
        }
      }
      paint({ x, y, width: from.width, height: from.height });
    },
    fill(rect: Rect, colour: number): void {
      for (let y = rect.y; y < rect.y + rect.height; y++) {
        words.fill(colour, y * SIZE.width + rect.x, y * SIZE.width + rect.x + rect.width);
      }
      paint(rect);
    },
    move(from: Rect, x: number, y: number): void {
      const kept = words.slice();
      for (let row = 0; row < from.height; row++) {
        const at = (from.y + row) * SIZE.width + from.x;
        words.set(kept.subarray(at, at + from.width), (y + row) * SIZE.width + x);
      }
      index.copy({ fromX: from.x, fromY: from.y, to: { x, y, width: from.width, height: from.height } });
    },
    settle: (): number => {
      index.settle(++generation);
      return generation;
    },
    async read(lines: readonly LineInk[]): Promise<LineWords> {
      asked.push(...lines);
      return lines.map(({ ink, inkBox, top, bottom }) => {
        const sum = ink.reduce((a, b) => (a * 31 + b) % 1_000_003, 7);
        const rect = {
          x: inkBox.left + 2,
          y: top,
          width: inkBox.right - inkBox.left - 4,
          height: bottom - top,
        };
        return [{ text: `ink${sum}`, rect, confidence: 90 }];
      });
    },
  };
}

t.test("after every step the lines are those of a fresh cut of the whole picture", async (t) => {
  const frames = await Promise.all(["xterm-6x13", "xterm-dejavu-9", "table-joints"].map(scenePicture));
  for (const seed of [3, 11, 27]) {
    const screen = new RandomScreen(SIZE, frames, seed);
    for (let step = 0; step < 40; step++) {
      const done = screen.step();
      t.same(screen.kept(), screen.fresh(), `seed ${seed}, step ${step}: ${done}`);
    }
  }
});

t.test(
  "a dense page that stands still in the rows of what changes is kept as a fresh cut has it",
  async (t) => {
    const frames = await Promise.all(["xterm-6x13", "xterm-dejavu-9", "table-joints"].map(scenePicture));
    for (const [at, seed] of [5, 12].entries()) {
      const screen = new RandomScreen(SIZE, frames, seed, frames[at] ?? null);
      for (let step = 0; step < 40; step++) {
        const done = screen.step();
        t.same(screen.kept(), screen.fresh(), `seed ${seed}, step ${step}: ${done}`);
      }
    }
  },
);

t.test("what is cut again reaches as far as a change does, over what is no line as well", async (t) => {
  const frames = await Promise.all(["xterm-6x13", "xterm-dejavu-9", "table-joints"].map(scenePicture));
  // Step 44 changes the mask 26 rows above what is painted. Step 49 takes a part from a piece that is too high to be a line,
  // before and after; that sets free what is a line then, 60 rows above.
  const screen = new RandomScreen(SIZE, frames, 538);
  for (let step = 0; step < 50; step++) {
    const done = screen.step();
    if (step >= 44) t.same(screen.kept(), screen.fresh(), `step ${step}: ${done}`);
  }
});

t.test("a line that reaches into two places that are cut again is told once", async (t) => {
  const frames = await Promise.all(["xterm-6x13", "xterm-dejavu-9", "table-joints"].map(scenePicture));
  // Step 35 changes rows 282 to 290 and 326 to 333, and the pixels beside a line from row 298 to 326.
  const screen = new RandomScreen(SIZE, frames, 1010);
  for (let step = 0; step < 36; step++) {
    const done = screen.step();
    if (step >= 35) t.same(screen.kept(), screen.fresh(), `step ${step}: ${done}`);
  }
});

t.test("ink that was seen once is not read again, wherever it stands", async (t) => {
  const { index, asked, put, fill, move, settle, read } = indexed();
  fill({ x: 0, y: 0, ...SIZE }, 0xfffafafa);
  const half = { x: 0, y: 0, width: 320, height: 200 };
  put(half, 0, 0);
  const first = settle();
  const before = await index.lines(null, read, never);
  t.ok(before.lines.length >= 4, `${before.lines.length} lines`);
  t.equal(asked.length, before.lines.length);

  move(half, 0, 200);
  fill({ ...half, height: 200 }, 0xfffafafa);
  settle();
  const after = await index.lines(null, read, never);
  t.same(
    after.lines.map(({ text }) => text),
    before.lines.map(({ text }) => text),
  );
  t.equal(asked.length, before.lines.length, "nothing was read");
  const since = await index.since(first, null, read, never);
  t.same(
    since.changes?.map(({ change, rect }) => `${change} ${rect.y}`),
    before.lines.map(({ rect }) => `moved ${rect.y + 200}`),
    "a found move is told as one",
  );
});

t.test(
  "what came and went since a generation is told, and that it is not known where it is not",
  async (t) => {
    const { index, put, fill, settle, read } = indexed();
    fill({ x: 0, y: 0, ...SIZE }, 0xfffafafa);
    const half = { x: 0, y: 0, width: 320, height: 200 };
    put(half, 0, 0);
    const first = settle();
    const { lines } = await index.lines(null, read, never);
    const [line] = lines;
    if (line === undefined) throw new Error("no line");
    t.same((await index.since(first, null, read, never)).changes, []);
    t.equal((await index.since(first - 1, null, read, never)).changes, null, "before the first look");

    const { rect } = line;
    fill({ x: rect.x - 2, y: rect.y - 2, width: rect.width + 4, height: rect.height + 4 }, 0xfffafafa);
    const second = settle();
    const gone = await index.since(first, null, read, never);
    t.same(gone, { generation: second, changes: [{ change: "gone", text: line.text, rect }] });

    put(half, 0, 0);
    const third = settle();
    const back = await index.since(second, null, read, never);
    t.match(back, { generation: third, changes: [{ change: "added", text: line.text, rect }] });
    t.same((await index.since(first, null, read, never)).changes, [], "it is again as it was");
    const elsewhere = { x: 0, y: rect.y + rect.height + 4, width: 640, height: 200 };
    t.same((await index.since(second, elsewhere, read, never)).changes, [], "and nothing elsewhere");
  },
);

t.test("only what is asked for is read, and a reader that fails takes nothing with it", async (t) => {
  const { index, asked, put, fill, settle, read } = indexed();
  fill({ x: 0, y: 0, ...SIZE }, 0xfffafafa);
  put({ x: 0, y: 0, width: 640, height: 200 }, 0, 0);
  settle();
  const area = { x: 320, y: 0, width: 320, height: 60 };
  await t.rejects(
    index.lines(area, () => Promise.reject(new Error("lost")), never),
    /lost/,
  );
  const { lines } = await index.lines(area, read, never);
  t.equal(lines.length, asked.length);
  t.ok(lines.length >= 1 && lines.every(({ rect }) => rect.x >= 320 && rect.y < 60), JSON.stringify(lines));
  const ended = AbortSignal.abort(new Error("gone"));
  await t.rejects(index.lines(null, read, ended), /gone/);
});
