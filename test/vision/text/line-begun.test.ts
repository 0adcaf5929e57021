import t from "tap";
import { rect } from "../../../src/framebuffer/rect.ts";
import type { LineInk } from "../../../src/vision/cut/cut-line.ts";
import type { OcrWord } from "../../../src/vision/ocr-messages.ts";
import { begunOf } from "../../../src/vision/text/line-begun.ts";

const TEXTS = ["please", "answer", "before", "friday", "whether", "these", "words", "stand"];
const [HEIGHT, WIDE, STEP] = [10, 26, 30];

/** So many words, each a block of ink. */
function lineOf(count: number): LineInk {
  const width = count * STEP;
  const ink = new Uint8Array(width * HEIGHT).map((_, at) => ((at % width) % STEP < WIDE ? 255 : 0));
  return { ink, inkBox: { left: 0, top: 0, right: width, bottom: HEIGHT }, top: 1, bottom: 9 };
}

t.test("words that do not stand in the order in which they were read are read again", async (t) => {
  const words = TEXTS.map((text, nth): OcrWord => {
    return { text, rect: rect(nth * STEP, 1, WIDE, 8), confidence: 95 };
  });
  const ink = lineOf(TEXTS.length);
  const begun = begunOf({ ink, words }, lineOf(TEXTS.length + 1));
  t.ok(begun !== null && begun.words.length > 3 && begun.from > 3 * STEP, "as long as they do");
  const misplaced = words.map((word, nth) =>
    nth === 0 ? { ...word, rect: rect(6 * STEP, 1, WIDE, 8) } : word,
  );
  t.equal(begunOf({ ink, words: misplaced }, lineOf(TEXTS.length + 1)), null);
});
