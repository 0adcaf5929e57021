import t from "tap";
import { TextLines } from "../../../src/recording/write/text-lines.ts";

function line(text: string, x: number, y: number) {
  let at = 0;
  const words = text.split(" ").map((word) => {
    const rect = { x: x + at * 8, y, width: word.length * 8, height: 13 };
    at += word.length + 1;
    return { rect };
  });
  return { text, rect: { x, y, width: text.length * 8, height: 13 }, words };
}

t.test("lines come, move and go by their ids", (t) => {
  const lines = new TextLines();
  const first = lines.follow([line("one two", 0, 0), line("three", 0, 20)], 100, true);
  t.same(first, {
    ...{ type: "text", shownMs: 100, moved: [], gone: [], stands: [] },
    came: [
      { id: 1, text: "one two", x: 0, y: 0, width: 56, height: 13, words: [0, 24, 32, 56] },
      { id: 2, text: "three", x: 0, y: 20, width: 40, height: 13, words: [0, 40] },
    ],
  });
  t.equal(
    lines.follow([line("one two", 2, 1), line("three", 0, 20)], 200, false),
    null,
    "a caret moves no line",
  );
  t.match(lines.follow([line("three", 0, 0), line("four", 0, 20)], 300, false), {
    came: [{ id: 3, text: "four" }],
    moved: [{ id: 2, x: 0, y: 0 }],
    gone: [1],
  });
  t.match(lines.follow([line("three", 0, 0), line("four", 0, 20)], 400, true), {
    ...{ came: [], moved: [], gone: [] },
    stands: [
      { id: 2, text: "three", x: 0, y: 0 },
      { id: 3, text: "four", x: 0, y: 20 },
    ],
  });
  t.equal(lines.restatedMs, 400);
  t.end();
});

t.test("of two lines that read alike the one that moved is told", (t) => {
  const lines = new TextLines();
  lines.follow([line("same", 0, 0), line("same", 0, 100)], 0, true);
  t.match(lines.follow([line("same", 0, 50), line("same", 0, 100)], 1, false), {
    ...{ came: [], gone: [] },
    moved: [{ id: 1, x: 0, y: 50 }],
  });
  t.end();
});

t.test("a picture of text is bounded, in lines and in letters", (t) => {
  const lines = new TextLines();
  const many = Array.from({ length: 2000 }, (_, i) => line(`${i}`, 0, i * 20));
  t.equal(lines.follow([line("x".repeat(9000), 0, 0), ...many], 0, true)?.came.length, 500);
  const [long] = new TextLines().follow([line("x".repeat(9000), 0, 0)], 0, true)?.came ?? [];
  t.equal(long?.text.length, 500);
  t.end();
});
