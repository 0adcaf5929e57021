import t from "tap";
import type { RecordedLine, TextEntry, TrackEntry } from "../../../src/recording/format/event-entry.ts";
import { placeOfWords, queryWords, SearchHits } from "../../../src/recording/read/search-hits.ts";
import { textOf } from "../../../src/recording/read/text-of-moment.ts";

function line(id: number, text: string, y = 0): RecordedLine {
  return { id, text, x: 100, y, width: text.length * 10, height: 12, words: [] };
}

function text(shownMs: number, told: Partial<TextEntry>): TextEntry {
  return { ...{ type: "text", atMs: shownMs + 7, shownMs, came: [], moved: [], gone: [] }, ...told };
}

function hitsOf(query: string, entries: readonly TrackEntry[]) {
  const found = new SearchHits(queryWords(query));
  for (const entry of entries) found.add(entry);
  return found.hits.map(({ atMs, untilMs, text }) => [text, atMs, untilMs]);
}

const SESSION = [
  text(100, { came: [line(1, "$ ec"), line(2, "Evening harbour", 20)], stands: [] }),
  text(1100, { came: [line(3, "$ echo har")], gone: [1] }),
  text(2100, { came: [line(4, "$ echo harbour")], gone: [3] }),
  text(3100, { moved: [{ id: 4, x: 100, y: 40 }], gone: [2] }),
  text(4100, { came: [line(5, "Elsewhere", 0)], stands: [{ ...line(4, "$ echo harbour"), y: 40 }] }),
  text(5100, { gone: [4] }),
];

t.test("a line is found once while it grows, moves and is said again, and until it goes", (t) => {
  t.same(hitsOf("har", SESSION), [
    ["Evening harbour", 100, 3100],
    ["$ echo har", 1100, 5100],
  ]);
  t.same(hitsOf("ELSE", SESSION), [["Elsewhere", 4100, null]]);
  t.same(hitsOf("echo evening", SESSION), [], "all words in one line");
  t.end();
});

t.test("the lines of a moment are those that stood then, also read from the middle", (t) => {
  const at = (ms: number, entries: readonly TrackEntry[] = SESSION) =>
    textOf(entries, ms)
      ?.lines.map(({ text: told, y }) => `${y} ${told}`)
      .sort();
  t.equal(at(99), undefined);
  t.same(at(1200), ["0 $ echo har", "20 Evening harbour"]);
  t.same(at(3100), ["40 $ echo harbour"]);
  t.same(at(4500), ["0 Elsewhere", "40 $ echo harbour"]);
  t.same(at(9000), ["0 Elsewhere"]);
  t.same(at(9000, SESSION.slice(3)), ["0 Elsewhere"], "from the middle on");
  t.equal(at(3500, SESSION.slice(1, 4)), undefined, "where nothing says all of it");
  t.match(textOf(SESSION, 1200), { atMs: 1100, untilMs: 2100 });
  t.end();
});

t.test("a box is around the words, by the words' own places where they are known", (t) => {
  const words = [0, 40, 60, 160];
  const known: RecordedLine = { ...line(1, "four tenletters"), width: 160, words };
  t.same(placeOfWords(known, ["tenletters"]), { x: 160, y: 0, width: 100, height: 12 });
  t.same(placeOfWords(known, ["ten"]), { x: 160, y: 0, width: 30, height: 12 });
  t.same(placeOfWords(known, ["four", "tenl"]), { x: 100, y: 0, width: 100, height: 12 }, "a phrase");
  t.same(placeOfWords(known, ["letters", "our"]), { x: 110, y: 0, width: 150, height: 12 }, "each word");
  t.equal(placeOfWords(known, ["four", "five"]), null);
  t.same(
    placeOfWords(line(1, "unknown"), ["know"]),
    { x: 100, y: 0, width: 70, height: 12 },
    "else the line",
  );
  t.same(placeOfWords({ ...known, text: "İour tenletters" }, ["ten"]), {
    x: 100,
    y: 0,
    width: 160,
    height: 12,
  });
  t.end();
});
