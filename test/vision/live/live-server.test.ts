import { readFileSync } from "node:fs";
import t from "tap";
import { decodePicture } from "../../../src/compositor/picture-file.ts";
import type { NamedTerms, TextRead } from "../../../src/desktop/masks/text-reader.ts";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { type Box, boxOfRect, rectOfBox, widthOf } from "../../../src/vision/cut/box.ts";
import { fontAtlas } from "../../../src/vision/glyphs/font-atlas.ts";
import type { FromLiveThread, KnownTerms } from "../../../src/vision/live/live-messages.ts";
import { LiveServer } from "../../../src/vision/live/live-server.ts";
import { TermMatcher } from "../../../src/vision/private/match-terms.ts";
import { settle } from "../../fake-clock.ts";
import { until } from "../../support/until.ts";

const PAGE = await decodePicture(readFileSync(new URL("../page.png", import.meta.url)));
const TERMINAL = await decodePicture(readFileSync(new URL("../scenes/xterm-6x13.png", import.meta.url)));
const EMAIL: NamedTerms = { id: "m", kinds: ["email"], pattern: null };

/** A server that was given a picture, and the engine's side of it. */
function open(picture = PAGE) {
  const told: FromLiveThread[] = [];
  const retries: (() => void)[] = [];
  const server = new LiveServer((message) => told.push(message), {
    after: (_delayMs, call) => retries.push(call),
  });
  const { width, height } = picture;
  server.take({ kind: "size", size: picture });
  const pixels = Uint8Array.from(picture.rgba);
  server.take({ kind: "pixels", copies: [], parts: [{ rect: rect(0, 0, width, height), pixels }] });
  let isPointed = false;
  const point = (isDrawn: boolean): void => {
    isPointed = isDrawn;
  };
  const ask = (...terms: readonly KnownTerms[]): TextRead => {
    server.take({ kind: "ask", terms, isPointed });
    const answer = told.findLast((one) => one.kind === "seen");
    if (answer === undefined) throw new Error("no answer");
    return answer.read;
  };
  /** The next lines that an engine is asked for, each of which says `text`; null: the engine fails. */
  const answer = async (text: string | null, confidence = 90): Promise<number> => {
    const at = await until("a question", () => {
      const first = told.findIndex((one) => one.kind === "read");
      return first < 0 ? null : { first };
    });
    const [question] = told.splice(at.first, 1);
    if (question?.kind !== "read") throw new Error("no question");
    const words = question.lines.map(({ inkBox }) =>
      text === null || text === "" ? [] : [{ text, rect: rectOfBox(inkBox), confidence }],
    );
    if (text === null) {
      server.take({ kind: "unread", id: question.id, fault: { code: "engine_failed", message: "so it is" } });
    } else server.take({ kind: "words", id: question.id, words });
    await settle();
    return question.lines.length;
  };
  /** Until no line is left. */
  const readAll = async (text: string, confidence?: number): Promise<number> => {
    let lines = 0;
    while (ask(EMAIL).unread.length > 0) lines += await answer(text, confidence);
    return lines;
  };
  return { server, told, retries, point, ask, answer, readAll };
}

t.test(
  "lines are unread until an engine said what they say, and what is meant is found in them",
  async (t) => {
    const { ask, readAll, told, answer } = open();
    const first = ask(EMAIL);
    t.ok(first.unread.length > 3, `${first.unread.length} lines`);
    t.same(first.found, []);
    const some = await answer("bob@example.com");
    t.ok(some > 0 && some < first.unread.length, "a few at a time");
    t.ok(told.some(({ kind }) => kind === "news"));
    const second = ask(EMAIL);
    t.equal(second.unread.length, first.unread.length - some);
    t.equal(second.found.length, some);
    for (const { id, rect: at } of second.found) {
      t.equal(id, "m");
      t.ok(first.unread.some((line) => at.y >= line.y && at.y + at.height <= line.y + line.height));
    }
    await readAll("nothing private");
    const third = ask(EMAIL);
    t.same(third.unread, []);
    t.equal(third.found.length, some);
    t.equal(
      ask({ ...EMAIL, id: "p", kinds: [], pattern: "priv\\w+" }).found.length,
      first.unread.length - some,
    );
  },
);

t.test("lines of letters that are known are read before the answer, without an engine", async (t) => {
  await fontAtlas();
  const { ask, told } = open(TERMINAL);
  await settle();
  t.same(ask(EMAIL).unread, []);
  t.notOk(told.some(({ kind }) => kind === "read"));
  t.ok(ask({ id: "all", kinds: [], pattern: "\\p{L}" }).found.length > 10, "and what they say is known");
});

t.test("of lines that came together the short ones are read first", async (t) => {
  const { ask, answer, told } = open();
  const widths: number[] = [];
  while (ask(EMAIL).unread.length > 0) {
    const question = await until("a question", () => told.find((one) => one.kind === "read") ?? null);
    widths.push(...question.lines.map(({ inkBox }) => inkBox.right - inkBox.left));
    await answer("nothing private");
  }
  t.ok(widths.length > 3, `${widths.length} lines`);
  // The ink lies in a margin, which may be cut off.
  const isLater = (width: number, index: number): boolean => width + 8 >= (widths[index - 1] ?? 0);
  t.ok(widths.every(isLater), widths.join(" "));
});

/** The first letters of a line once more, further right in it. */
function written({ left, top, right, bottom }: Box): {
  readonly at: Rect;
  readonly pixels: Uint8Array<ArrayBuffer>;
} {
  const at = rect(left + Math.floor((right - left) / 2), top, 24, bottom - top);
  const pixels = new Uint8Array(at.width * at.height * 4);
  for (let y = 0; y < at.height; y++) {
    const from = ((at.y + y) * PAGE.width + left) * 4;
    pixels.set(PAGE.rgba.subarray(from, from + at.width * 4), y * at.width * 4);
  }
  return { at, pixels };
}

/** A line from right to left. */
function mirrored(box: Box): { readonly rect: Rect; readonly pixels: Uint8Array<ArrayBuffer> } {
  const at = rectOfBox(box);
  const pixels = new Uint8Array(at.width * at.height * 4);
  for (let y = 0; y < at.height; y++) {
    for (let x = 0; x < at.width; x++) {
      const from = ((at.y + y) * PAGE.width + at.x + at.width - 1 - x) * 4;
      pixels.set(PAGE.rgba.subarray(from, from + 4), (y * at.width + x) * 4);
    }
  }
  return { rect: at, pixels };
}

/** The widest of the lines that an engine is asked for, of which nobody has answered any. */
async function asked(told: readonly FromLiveThread[]): Promise<Box> {
  const boxes = await until("questions", () => {
    const lines = told.flatMap((one) => (one.kind === "read" ? one.lines : []));
    return lines.length < 2 ? null : lines.map(({ inkBox }) => inkBox);
  });
  const box = boxes.find(({ left, right }) => right - left > 80);
  if (box === undefined) throw new Error("no long line");
  return box;
}

t.test("of a line that changes while it is read only what changed is unread then", async (t) => {
  for (const text of ["nothing private", "bob@example.com"]) {
    const { server, told, ask, answer } = open();
    ask(EMAIL);
    const box = await asked(told);
    const isOf = ({ x, y, width, height }: Rect): boolean =>
      y < box.bottom && y + height > box.top && x < box.right && x + width > box.left;
    const { at, pixels } = written(box);
    server.take({ kind: "pixels", copies: [], parts: [{ rect: at, pixels }] });
    const [whole] = ask(EMAIL).unread.filter(isOf);
    t.ok(whole !== undefined && whole.width >= box.right - box.left, "all of it, before anybody answered");
    await answer(text);
    await answer(text);
    const { unread, found, lines } = ask(EMAIL);
    const [part, ...others] = unread.filter(isOf);
    t.same(others, []);
    t.ok(
      part !== undefined && part.x >= at.x - 4 && part.x + part.width <= at.x + at.width + 4,
      `${part?.x}`,
    );
    t.ok(lines.some(isOf), "it is a line of those over which a film may play");
    const hidden = found.filter((one) => isOf(one.rect));
    t.equal(hidden.length > 0, text.startsWith("bob"), "what was private in it is, whatever came");
  }
});

t.test("what was painted since a line was cut is not taken for read with it", async (t) => {
  const { server, told, ask, answer } = open();
  const [widest] = [...ask(EMAIL).unread].sort((a, b) => b.width - a.width);
  if (widest === undefined) throw new Error("no line");
  const box = boxOfRect(widest);
  const questions = (): boolean => told.some(({ kind }) => kind === "read");
  await until("a question", () => questions() || null);
  t.notOk(
    told.some(
      (one) => one.kind === "read" && one.lines.some(({ inkBox }) => widthOf(inkBox) > widest.width - 20),
    ),
    "it waits, as the widest",
  );
  const { at, pixels } = written(box);
  server.take({ kind: "pixels", copies: [], parts: [{ rect: at, pixels: Uint8Array.from(pixels) }] });
  while (questions()) {
    await answer("nothing private");
    await settle();
  }
  const later = { ...at, x: at.x + 60 };
  server.take({ kind: "pixels", copies: [], parts: [{ rect: later, pixels }] });
  const isAt = ({ x, y, width, height }: Rect): boolean =>
    x <= at.x && x + width >= at.x + at.width && y <= at.y && y + height >= at.y + at.height;
  t.ok(ask(EMAIL).unread.some(isAt), "the letters that nobody read");
});

/** Lines of the page, all read, of which `type` changes one; what engines are asked for then. */
async function typed() {
  const opened = open();
  const { server, ask, readAll, told, answer } = opened;
  const isMidOf = ({ left, top, right, bottom }: Box, box: Box): boolean => {
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    return box.left < x && x < box.right && box.top < y && y < box.bottom;
  };
  const boxes = ask(EMAIL)
    .unread.map(boxOfRect)
    .filter((box) => widthOf(box) > 120);
  await readAll("nothing private");
  t.ok(boxes.length >= 5, `${boxes.length} lines`);
  const type = async (line: number, letter = 0): Promise<void> => {
    const box = boxes[line];
    if (box === undefined) throw new Error("no such line");
    const { at, pixels } = written(box);
    server.take({ kind: "pixels", copies: [], parts: [{ rect: { ...at, x: at.x + 7 * letter }, pixels }] });
    ask(EMAIL);
    await settle();
  };
  /** All of a line is another one: from right to left what it was. */
  const replace = async (line: number): Promise<void> => {
    const box = boxes[line];
    if (box === undefined) throw new Error("no such line");
    server.take({ kind: "pixels", copies: [], parts: [mirrored(box)] });
    ask(EMAIL);
    await settle();
  };
  /** The lines that engines read now, in the order of the questions. */
  const asked = async (count: number): Promise<number[]> =>
    await until(`${count} questions`, () => {
      const lines = told.flatMap((one) => (one.kind === "read" ? one.lines : []));
      if (lines.length !== count) return null;
      return lines.map((line) => boxes.findIndex((box) => isMidOf(line.inkBox, box)));
    });
  return { ...opened, type, replace, asked, answerFirst: () => answer("nothing private") };
}

t.test("of two lines that are typed each has an engine, whichever changed last", async (t) => {
  const { type, asked, answerFirst } = await typed();
  await type(0);
  await type(1);
  t.same(await asked(2), [0, 1]);
  await type(0, 1);
  await type(1, 1);
  await answerFirst();
  t.same(await asked(2), [1, 0], "the other one is being read");
  await answerFirst();
  t.same(await asked(2), [0, 1]);
});

t.test("of more lines that are typed than there are engines each has its turn", async (t) => {
  const { type, asked, answerFirst } = await typed();
  for (const line of [0, 1, 2, 3]) await type(line);
  t.same(await asked(2), [0, 1]);
  const read: number[] = [];
  for (let letter = 1; letter <= 6; letter++) {
    // Line 2 changes last, line 3 first, before each answer: what changed since it was taken counts.
    for (const line of [3, 1, 0, 2]) await type(line, letter);
    await answerFirst();
    read.push((await asked(2))[1] ?? -1);
  }
  t.same(read, [2, 3, 1, 0, 2, 3]);
});

t.test("a line that is typed is read before larger changes that came later, by one engine", async (t) => {
  const { type, replace, asked, answerFirst } = await typed();
  await type(0);
  await type(1);
  t.same(await asked(2), [0, 1]);
  await type(2);
  await replace(4);
  await replace(3);
  await answerFirst();
  t.same(await asked(2), [1, 2], "not the newest");
  await answerFirst();
  t.same(await asked(2), [2, 4], "what waited longest");
  await answerFirst();
  t.same(await asked(2), [4, 3]);
});

t.test("what an engine doubts is meant while a pointer may lie on it, and no longer", async (t) => {
  const { ask, point, readAll } = open();
  const lines = await readAll("uxzvoc.jhqeb@exam", 40);
  t.same(ask(EMAIL).found, []);
  point(true);
  t.equal(ask(EMAIL).found.length, lines);
  t.same(ask({ ...EMAIL, kinds: ["api_key"] }).found, []);
  point(false);
  t.same(ask(EMAIL).found, []);
  const sure = open();
  await sure.readAll("uxzvoc.jhqeb@exam", 92);
  sure.point(true);
  t.same(sure.ask(EMAIL).found, []);
});

t.test("own patterns hide what an engine doubts while a pointer may lie on it", async (t) => {
  const own = { id: "p", kinds: [], pattern: "PRJ-\\d{6}" };
  const { ask, point, readAll } = open();
  const lines = await readAll("PRJ-0%4%1l", 40);
  t.same(ask(own).found, []);
  point(true);
  t.equal(ask(own).found.length, lines);
  point(false);
  t.same(ask(own).found, []);
  const sure = open();
  await sure.readAll("nothing of it", 92);
  sure.point(true);
  t.same(sure.ask(own).found, []);
});

t.test("what was read once is known at once wherever it moves", async (t) => {
  const { server, ask, readAll } = open();
  const { unread } = ask(EMAIL);
  await readAll("bob@example.com");
  const to = rect(0, 0, PAGE.width, PAGE.height - 40);
  server.take({ kind: "pixels", copies: [{ fromX: 0, fromY: 40, to }], parts: [] });
  const pixels = new Uint8Array(PAGE.width * 40 * 4).fill(0xff);
  const below = rect(0, PAGE.height - 40, PAGE.width, 40);
  server.take({ kind: "pixels", copies: [], parts: [{ rect: below, pixels }] });
  const after = ask(EMAIL);
  t.ok(after.found.length >= unread.length - 3);
  t.ok(after.unread.length <= 2, "but for what is cut off at the edge");
});

t.test("after an engine failed the lines stay unread and are asked for again, not at once", async (t) => {
  const { ask, answer, retries, readAll } = open();
  const { unread } = ask(EMAIL);
  await answer(null);
  await answer(null);
  t.equal(ask(EMAIL).unread.length, unread.length);
  for (const retry of retries) retry();
  t.equal(await readAll("x"), unread.length);
  t.same(ask(EMAIL).unread, []);
});

t.test("a pattern that takes too long is stopped, and its line counts as meant", async (t) => {
  const matcher = new TermMatcher({ kinds: [], pattern: "^(a+)+$" });
  const lineOf = (text: string) => ({
    text,
    rect: rect(5, 6, 300, 12),
    confidence: 90,
    words: [{ text, rect: rect(5, 6, 300, 12), confidence: 90 }],
  });
  t.same(matcher.boxesIn(lineOf(`${"a".repeat(60)}b`)), [rect(5, 6, 300, 12)]);
  t.same(new TermMatcher({ kinds: [], pattern: "^c" }).boxesIn(lineOf("b")), []);
  t.throws(() => new TermMatcher({ kinds: [], pattern: "(" }), { code: "bad_pattern" });
});

t.test("values of secrets are found where they are read, by whom they are asked for", async (t) => {
  const { ask, answer } = open();
  const own = { id: "s", kinds: [], pattern: null, secrets: ["bank"] };
  const lines = ask(own).unread.length;
  const some = await answer("Zq7!vX-canary");
  t.same(ask(own).found, [], "nobody said what it is");
  const read = ask({ ...own, values: ["another value", "Zq7lvX-canary"] });
  t.equal(read.found.length, some);
  t.equal(read.unread.length, lines - some);
  t.same(ask({ ...own, values: ["another value"] }).found, []);
});
