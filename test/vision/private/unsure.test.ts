import { readFileSync } from "node:fs";
import t from "tap";
import { decodePicture } from "../../../src/compositor/picture-file.ts";
import { PRIVATE_KINDS, type PrivateKind } from "../../../src/desktop/masks/private-kinds.ts";
import { boundRects } from "../../../src/framebuffer/rect.ts";
import { cutPicture } from "../../../src/vision/cut/cut-lines.ts";
import { Engine } from "../../../src/vision/engine.ts";
import { privateIn } from "../../../src/vision/private/find-private.ts";
import { TermMatcher } from "../../../src/vision/private/match-terms.ts";
import { unsureIn } from "../../../src/vision/private/unsure.ts";
import { ocrLineOf, readByEngine } from "../../../src/vision/read-line.ts";
import { LIVE_LANGUAGES } from "../../../src/vision/text/engine-lines.ts";

/** `text`: words, each with what an engine says of it, from 0 to 100. */
function lineOf(...words: readonly (readonly [string, number])[]) {
  const line = ocrLineOf(
    words.map(([text, confidence], i) => ({
      text,
      confidence,
      rect: { x: 100 * i, y: 10, width: 90, height: 12 },
    })),
  );
  if (line === null) throw new Error("no words");
  return line;
}

const found = (line: ReturnType<typeof lineOf>, kinds: readonly PrivateKind[] = PRIVATE_KINDS): string[] =>
  unsureIn(line, kinds).map(({ from, to }) => line.text.slice(from, to));

/** As they were read, each with a pointer on it: Chromium's and xterm's letters, and what the engine said of its words. */
const POINTED: readonly (readonly [ReturnType<typeof lineOf>, string])[] = [
  [
    lineOf(["2:", 93], ["4720", 94], ["7221", 94], ["492", 9], ["8340", 96], ["is", 96]),
    "2: 4720 7221 492 8340",
  ],
  [
    lineOf(["has", 96], ["4158", 96], ["PB", 41], ["6262", 96], ["2962", 96], ["in", 96]),
    "4158 PB 6262 2962",
  ],
  [lineOf(["has", 96], ["4358", 81], ["2513", 96], ["6262", 96], ["2962", 96]), "4358 2513 6262 2962"],
  [
    lineOf(["has", 96], ["DE43", 93], ["9382", 79], ["8785", 96], ["8616", 96], ["5376", 96], ["09", 96]),
    "DE43 9382 8785 8616 5376 09",
  ],
  [lineOf(["has", 96], ["861,6", 86], ["5376", 95], ["09", 95]), "861,6 5376 09"],
  [lineOf(["has", 96], ["270-45,8871", 0], ["in", 95]), "270-45,8871"],
  [lineOf(["has", 96], ["14.2X..191.144", 44], ["in", 95]), "14.2X..191.144"],
  [lineOf(["has", 96], ["+4%%30", 61], ["50493708", 96], ["in", 95]), "+4%%30 50493708"],
  [lineOf(["has", 96], ["uxzvoc.ihgeb@example.", 72]), "uxzvoc.ihgeb@example."],
  [lineOf(["has", 96], ["rufgcp.sixfugexample.com", 33], ["is", 95]), "rufgcp.sixfugexample.com"],
  [lineOf(["has", 96], ["rufqcp.", 92], ["stxfugexample.", 20]), "rufqcp. stxfugexample."],
];

t.test("private text that a pointer lies on is covered, though no kind knows it", async (t) => {
  for (const [line, hidden] of POINTED) {
    t.same(privateIn(line.text, PRIVATE_KINDS), [], `no kind knows ${line.text}`);
    t.same(found(line), [hidden], line.text);
  }
});

t.test("what was read without doubt, and what is not asked for, stays", async (t) => {
  for (const [line] of POINTED) {
    const sure = lineOf(...line.words.map(({ text }) => [text, 92] as const));
    t.same(found(sure), [], line.text);
    t.same(found(line, ["api_key"]), [], line.text);
  }
  t.same(found(lineOf(["step", 40], ["12", 30], ["done", 20], ["www.com-", 91])), [], "too few digits");
  t.same(found(lineOf(["1234567", 90], ["bytes", 96], ["unsure", 10])), [], "it stands apart from them");
  t.same(found(lineOf(["the", 40], ["project.", 50], ["Then", 90])), [], "a sentence");
});

/** What is taken for private and is not: the price of it. */
t.test("what is falsely covered is known", async (t) => {
  t.same(found(lineOf(["[14624.429535]", 85], ["week", 96])), ["[14624.429535]"]);
  t.same(found(lineOf(["round@month54:~/keep$", 70], ["ls", 96])), ["round@month54:~/keep$"]);
});

t.test("a mailbox of a page below a target's own pointer is covered as an engine reads it", async (t) => {
  const { width, height, rgba } = await decodePicture(readFileSync(new URL("pointer.png", import.meta.url)));
  const words = new Uint32Array(width * height);
  new Uint8Array(words.buffer).set(rgba);
  const engine = await Engine.open();
  await engine.use(LIVE_LANGUAGES);
  const matcher = new TermMatcher({ kinds: ["email"], pattern: null });
  const lines = cutPicture({ width, height, words });
  const boxes = (await readByEngine(engine, lines)).flatMap((read) => {
    const line = ocrLineOf(read);
    return line === null ? [] : matcher.boxesIn(line, true);
  });
  const box = boxes.reduce(boundRects);
  // "uxzvoc.jhqeb@example" is from 175 to 440, "Customer 7:" before it.
  t.ok(box.x <= 175 && box.x > 150 && box.x + box.width > 430, `${box.x}, ${box.width} wide`);
});
