import { createCanvas } from "@napi-rs/canvas";
import t from "tap";
import {
  cleanLine,
  fitText,
  TAG_FONT,
  TEXT_FONT,
  textWidth,
  wrapText,
} from "../../src/compositor/lettering.ts";

t.test("a width is a whole number, larger for more letters, none for none", async (t) => {
  t.equal(textWidth(TAG_FONT, ""), 0);
  t.ok(Number.isInteger(textWidth(TAG_FONT, "Save")));
  t.ok(textWidth(TAG_FONT, "Save all") > textWidth(TAG_FONT, "Save"));
  t.ok(textWidth(TAG_FONT, "\u{10ffff}") > 0, "for what no font has too");
});

t.test("control and direction-changing characters do not reach the screen", async (t) => {
  t.equal(cleanLine(" a\tb\u0000\u202ec\u2066\n d \ud83d"), "a b c d");
  for (let code = 0; code < 0x10000; code++) textWidth(TAG_FONT, cleanLine(String.fromCharCode(code)));
});

t.test("what is too wide ends in an ellipsis and fits", async (t) => {
  t.equal(fitText(TAG_FONT, "Save", 200), "Save");
  const cut = fitText(TAG_FONT, "Save all files of this folder", 80);
  t.match(cut, /^Save.*…$/);
  t.ok(textWidth(TAG_FONT, cut) <= 80);
  t.equal(fitText(TAG_FONT, "Save", 0), "…");
});

t.test("text is wrapped at spaces, at line ends and within long words, and loses no letter", async (t) => {
  t.same(wrapText(TEXT_FONT, "one\ntwo\r\n\nthree", 400, 10), ["one", "two", "", "three"]);
  const lines = wrapText(TEXT_FONT, `a few words and ${"x".repeat(60)} end`, 120, 50);
  t.ok(lines.every((line) => textWidth(TEXT_FONT, line) <= 120));
  t.equal(lines.join("").replaceAll(" ", ""), `afewwordsand${"x".repeat(60)}end`);
});

t.test("no more than the most lines, the last with an ellipsis", async (t) => {
  const lines = wrapText(TEXT_FONT, "word ".repeat(200), 100, 3);
  t.equal(lines.length, 3);
  t.match(lines[2], /…$/);
  t.ok(lines.every((line) => textWidth(TEXT_FONT, line) <= 100));
  t.same(wrapText(TEXT_FONT, "wide", 1, 100), ["w", "i", "d", "e"], "one letter a line at the least");
});

/** How many letters were measured meanwhile. */
function lettersMeasured(run: () => void): number {
  const prototype: { measureText(text: string): unknown } = Object.getPrototypeOf(
    createCanvas(1, 1).getContext("2d"),
  );
  const { measureText } = prototype;
  let letters = 0;
  prototype.measureText = function (text) {
    letters += text.length;
    return measureText.call(this, text);
  };
  run();
  prototype.measureText = measureText;
  return letters;
}

t.test("a long text is measured a few times, not once for each of its lines", async (t) => {
  const long = "W".repeat(2000);
  for (const mostPx of [1, 40, 300]) {
    const letters = lettersMeasured(() => t.equal(wrapText(TEXT_FONT, long, mostPx, 2000).join(""), long));
    t.ok(letters < 20 * long.length, `${letters} letters for lines of ${mostPx} px`);
  }
  const cut = lettersMeasured(() => t.equal(wrapText(TEXT_FONT, "a\n".repeat(2000), 40, 3).length, 3));
  t.ok(cut < 40, `${cut} letters for what is cut off after three lines`);
});

t.test("widths that are added up are those canvas measures, in every script", async (t) => {
  const context = createCanvas(1, 1).getContext("2d");
  context.font = TAG_FONT.css;
  const texts = [
    "AVATAR To. We fly, office",
    "Click “Save” → now… 50 €",
    "Größe Ωmega Привет",
    "漢字かな交じり 한국어",
  ];
  for (const text of [...texts, "مرحبا بالعالم", "e\u0301a\u0300", "👩‍💻 ok", "नमस्ते"]) {
    const whole = context.measureText(text).width;
    t.ok(Math.abs(textWidth(TAG_FONT, text) - whole) <= 1.1, `${text}: ${whole}`);
  }
});

t.test("a text of many lines measures each letter and pair once", async (t) => {
  const context = createCanvas(1, 1).getContext("2d");
  const measure = Object.getPrototypeOf(context).measureText;
  let measured = 0;
  Object.getPrototypeOf(context).measureText = function (this: unknown, text: string) {
    measured++;
    return measure.call(this, text);
  };
  t.teardown(() => {
    Object.getPrototypeOf(context).measureText = measure;
  });
  for (let i = 0; i < 100; i++) wrapText(TEXT_FONT, `label ${i} with a few more words `.repeat(30), 120, 200);
  t.ok(measured < 500, `${measured} measurements`);
});
