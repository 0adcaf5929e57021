import t from "tap";
import { rect } from "../../../src/framebuffer/rect.ts";
import { ClearLines } from "../../../src/vision/live/clear-lines.ts";
import { doubtedLines, type SaidLine } from "../../../src/vision/live/doubted-lines.ts";
import { PrivatePlaces } from "../../../src/vision/live/private-places.ts";

/** A piece of a line; `confidence`: of its only word, null: it says nothing. */
function piece(
  hash: string,
  [left, right]: readonly [number, number],
  [top, bottom]: readonly [number, number],
  confidence: number | null,
): SaidLine {
  const word = { text: "some", rect: rect(0, 0, right - left, bottom - top), confidence: confidence ?? 0 };
  return { hash, left, right, top, bottom, said: { words: confidence === null ? [] : [word] } };
}
const namesOf = (lines: Iterable<SaidLine>): string =>
  [...lines]
    .map(({ hash }) => hash)
    .sort()
    .join(" ");

t.test(
  "pieces that stand in one row with what is doubted are doubted with it, one beside the other",
  async (t) => {
    const lines = [
      piece("before", [1, 191], [71, 81], 95),
      piece("pointer", [194, 352], [60, 98], 23),
      piece("after", [380, 450], [71, 81], 95),
      piece("far", [520, 560], [71, 81], 95),
      piece("below", [1, 191], [104, 115], 95),
      piece("unread", [200, 300], [140, 150], 95),
    ].map((line) => (line.hash === "unread" ? { ...line, said: null } : line));
    t.equal(namesOf(doubtedLines(lines, () => false)), "after before pointer");
    t.equal(namesOf(doubtedLines(lines, (hash) => hash === "pointer")), "", "it looked so without one");
    t.equal(namesOf(doubtedLines(lines, (hash) => hash === "before")), "after pointer");
  },
);

t.test(
  "what says nothing is doubted where it may be lines that a pointer joins, and an icon is not",
  async (t) => {
    const lines = [
      piece("joined", [0, 281], [15, 63], null),
      piece("within", [0, 71], [28, 39], 100),
      piece("icon", [400, 424], [15, 39], null),
    ];
    t.equal(namesOf(doubtedLines(lines, () => false)), "joined within");
  },
);

t.test("a line is clear once a later question says that its picture had no pointer", async (t) => {
  const clear = new ClearLines();
  clear.take(["a"], false, false);
  t.notOk(clear.has("a"), "it may be told late");
  clear.take(["b"], false, false);
  t.ok(clear.has("a"));
  clear.take(["a", "b", "c"], true, true);
  t.notOk(clear.has("b"), "it was told late");
  clear.take(["c"], true, false);
  t.notOk(clear.has("c"), "a pointer may be on it");
  clear.take(
    Array.from({ length: 8001 }, (_, i) => `${i}`),
    false,
    false,
  );
  clear.take([], false, false);
  t.notOk(clear.has("a"), "the oldest are forgotten");
  t.ok(clear.has("8000"));
});

t.test(
  "a private place is one still while most of its ink is there, and another text in it is not",
  async (t) => {
    const at = rect(10, 10, 20, 10);
    const [ground, ink] = [0xffffffff, 0xff000000];
    const then = new Uint32Array(200).map((_, i) => (i % 3 === 0 ? ink : ground));
    const without = (letters: number): Uint32Array =>
      then.map((pixel, i) => (i % 20 < letters ? 0xff00ff00 : pixel));
    const places = new PrivatePlaces();
    places.add({ id: "m", rect: at, pixels: then }, true);
    t.same(
      places.there(() => without(5)),
      [],
      "nothing was painted there",
    );
    const look = (now: Uint32Array | null): string[] => {
      places.touch(rect(0, 0, 12, 12));
      return places.there(() => now).map(({ id }) => id);
    };
    t.same(look(without(8)), ["m"]);
    t.same(
      places.there(() => null).map(({ id }) => id),
      ["m"],
      "as long as nothing changes",
    );
    t.same(look(without(16)), []);
    t.same(
      look(then.map((_, i) => (i % 5 === 0 ? ink : ground))),
      [],
      "other letters, some pixels of which are alike",
    );
    t.same(look(without(2)), ["m"], "what lay over it moved on");
    t.same(look(null), []);
    const less = { id: "m", rect: rect(10, 10, 5, 10), pixels: new Uint32Array(50).fill(0xff0000ff) };
    look(without(2));
    places.add(less, false);
    t.same(look(without(2)), ["m"], "what is read of the rest with doubt does not take its place");
    places.add(less, true);
    t.same(look(without(2)), [], "what is read without doubt does");
    places.clear();
    t.same(look(without(2)), []);
  },
);
