import { readFileSync } from "node:fs";
import t from "tap";
import { decodePicture } from "../../../src/compositor/picture-file.ts";
import { PRIVATE_KINDS } from "../../../src/desktop/masks/private-kinds.ts";
import { cutPicture } from "../../../src/vision/cut/cut-lines.ts";
import { Engine } from "../../../src/vision/engine.ts";
import { privateIn } from "../../../src/vision/private/find-private.ts";
import { isUnsure } from "../../../src/vision/private/unsure.ts";
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

/** As they were read, each with a pointer on it: Chromium's and xterm's letters, and what the engine said of its words. */
const POINTED: readonly ReturnType<typeof lineOf>[] = [
  lineOf(["2:", 93], ["4720", 94], ["7221", 94], ["492", 9], ["8340", 96], ["is", 96]),
  lineOf(["has", 96], ["4158", 96], ["PB", 41], ["6262", 96], ["2962", 96], ["in", 96]),
  lineOf(["has", 96], ["4358", 81], ["2513", 96], ["6262", 96], ["2962", 96]),
  lineOf(["has", 96], ["DE43", 93], ["9382", 79], ["8785", 96], ["8616", 96], ["5376", 96], ["09", 96]),
  lineOf(["has", 96], ["861,6", 86], ["5376", 95], ["09", 95]),
  lineOf(["has", 96], ["270-45,8871", 0], ["in", 95]),
  lineOf(["has", 96], ["14.2X..191.144", 44], ["in", 95]),
  lineOf(["has", 96], ["+4%%30", 61], ["50493708", 96], ["in", 95]),
  lineOf(["has", 96], ["uxzvoc.ihgeb@example.", 72]),
  lineOf(["has", 96], ["rufgcp.sixfugexample.com", 33], ["is", 95]),
  lineOf(["has", 96], ["rufqcp.", 92], ["stxfugexample.", 20]),
];

t.test("lines that a pointer lies on, in which no kind is known, are doubted", async (t) => {
  for (const line of POINTED) {
    t.same(privateIn(line.text, PRIVATE_KINDS), [], `no kind knows ${line.text}`);
    t.ok(isUnsure(line), line.text);
    const sure = lineOf(...line.words.map(({ text }) => [text, 92] as const));
    t.notOk(isUnsure(sure), line.text);
  }
});

t.test("a mailbox of a page below a target's own pointer is doubted as an engine reads it", async (t) => {
  const { width, height, rgba } = await decodePicture(readFileSync(new URL("pointer.png", import.meta.url)));
  const words = new Uint32Array(width * height);
  new Uint8Array(words.buffer).set(rgba);
  const engine = await Engine.open();
  await engine.use(LIVE_LANGUAGES);
  const read = await readByEngine(engine, cutPicture({ width, height, words }));
  const doubted = read.flatMap((words) => ocrLineOf(words) ?? []).filter(isUnsure);
  // "uxzvoc.jhqeb@example" is from 175 to 440, "Customer 7:" before it.
  t.ok(
    doubted.some(({ rect: { x, width: wide } }) => x <= 175 && x + wide > 430),
    JSON.stringify(doubted.map(({ rect }) => rect)),
  );
});
