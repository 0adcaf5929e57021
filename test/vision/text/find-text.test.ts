import t from "tap";
import { findText } from "../../../src/vision/text/find-text.ts";
import type { TextLine, TextQuery } from "../../../src/vision/text/text-line.ts";
import { numbers } from "../../framebuffer/frames.ts";

/** Words 10 pixels a letter wide. */
function line(text: string): TextLine {
  let at = 0;
  const words = text.split(" ").map((word) => {
    const rect = { x: at, y: 0, width: word.length * 10, height: 12 };
    at += rect.width + 10;
    return { text: word, rect, confidence: 80 };
  });
  return { text, rect: { x: 0, y: 0, width: at - 10, height: 12 }, confidence: 80, words };
}

const find = (text: string, more: Partial<TextQuery> = {}, ...lines: string[]) =>
  findText(lines.map(line), { text, match: "exact", isCaseSensitive: false, ...more });

t.test("a text is found in its line, with the box of its letters", async (t) => {
  t.same(find("b c", {}, "ab cd"), [
    { text: "b c", rect: { x: 10, y: 0, width: 30, height: 12 }, line: "ab cd", score: 0.8 },
  ]);
  t.equal(find("x", {}, "x and x, X").length, 3);
  t.equal(find("x", { isCaseSensitive: true }, "x and x, X").length, 2);
  t.equal(find("größe", {}, "GRÖSSE Größe GRÖßE").length, 2);
  t.equal(find("“don't”  go", {}, '"don’t" go').length, 1, "signs that look the same are");
  t.same(find("  ", {}, "a b"), []);
  t.match(find("İx", {}, "İİİ İx")[0]?.text, "İx", "places do not move where small letters are longer");
});

t.test("whole words have no letter beside them", async (t) => {
  t.equal(find("save", { match: "words" }, "Saved, unsave, save: SAVE").length, 2);
});

t.test("patterns find what they match, and one that takes ages is ended and told", async (t) => {
  t.same(
    find("\\d+(\\.\\d\\d)?", { match: "regex" }, "sum 12.50 of 3").map(({ text }) => text),
    ["12.50", "3"],
  );
  t.same(find("x*", { match: "regex" }, "abc"), [], "nothing is no match");
  t.throws(() => find("(", { match: "regex" }, "a"), {
    code: "bad_pattern",
    message: /no regular expression/,
  });
  const hostile = { match: "regex" } as const;
  t.throws(() => find("(a+)+$", hostile, `${"a".repeat(60)}!`), {
    code: "bad_pattern",
    message: /more than/,
  });
  t.equal(find("a", hostile, "a").length, 1, "the next is searched");
});

t.test("patterns that are meant to take ages end in their time, with an error or an answer", async (t) => {
  const texts = [`${"a".repeat(5000)}!`, "x".repeat(5000), `${"a b ".repeat(1500)}!`, `${" ".repeat(4000)}.`];
  const patterns = [
    ...[
      "(a|aa)+$",
      "(a*)*$",
      "(a|a?)+$",
      "(.*a){25}$",
      "(x+x+)+y",
      "^(\\w+\\s?)*$",
      "\\s+$",
      "(?=(a+))\\1*b",
    ],
    ...[
      "(?<!b(a+)+)c",
      "((a?){50}){50}b",
      "(a{1,100}){1,100}{0}",
      ".*.*.*.*.*=",
      "(\\p{L}+)+\\d",
      "(?:a(?:b|ab)*)*c",
    ],
  ];
  let ended = 0;
  for (const pattern of patterns) {
    try {
      find(pattern, { match: "regex" }, ...texts);
    } catch (error) {
      t.match(error, { code: "bad_pattern" }, pattern);
      ended++;
    }
  }
  t.ok(ended >= 5, `${ended} of ${patterns.length} were ended`);
  t.equal(find("a+", { match: "regex" }, "baab").length, 1);
});

t.test("what is alike is found, the most alike first", async (t) => {
  const found = find("invoice", { match: "fuzzy" }, "the lnvolce 7", "Invoice 8", "in voice", "other text");
  t.same(
    found.map(({ text, score }) => [text, score]),
    [
      ["Invoice", 0.8],
      ["in voice", 0.69],
      ["lnvolce", 0.57],
    ],
  );
});

/** The least changes that make some part of a line a text, cell by cell (Sellers). */
function leastChanges(line: string, wanted: string): number {
  let costs = new Array<number>(line.length + 1).fill(0);
  for (const [at, letter] of [...wanted].entries()) {
    const next = [at + 1];
    for (let to = 1; to <= line.length; to++) {
      const same = (costs[to - 1] ?? 0) + (line[to - 1] === letter ? 0 : 1);
      next.push(Math.min(same, (costs[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    costs = next;
  }
  return Math.min(...costs);
}

t.test("what is alike is what takes the least changes, in lines of few letters at random", (t) => {
  const next = numbers(11);
  const letters = (count: number): string => Array.from({ length: count }, () => "abc"[next() % 3]).join("");
  let [found, none] = [0, 0];
  for (let run = 0; run < 400; run++) {
    const [shown, wanted] = [letters(1 + (next() % 40)), letters(1 + (next() % 10))];
    const alike = 1 - leastChanges(shown, wanted) / wanted.length;
    const [match] = find(wanted, { match: "fuzzy" }, shown);
    if (match === undefined) none++;
    else found++;
    const expected = alike >= 0.7 ? Math.round(alike * 80) / 100 : undefined;
    if (match?.score !== expected) t.fail(`${wanted} in ${shown}: ${match?.score}, expected ${expected}`);
  }
  t.ok(found > 50 && none > 5, `${found} found, ${none} not`);
  t.end();
});
