import { readFileSync } from "node:fs";
import t from "tap";
import { cutPicture } from "../../src/vision/cut/cut-lines.ts";
import { CellReader } from "../../src/vision/glyphs/cell-reader.ts";
import { ocrLineOf } from "../../src/vision/read-line.ts";
import { inReadingOrder } from "../../src/vision/reading-order.ts";
import { numbers } from "../framebuffer/frames.ts";
import { scenePicture } from "../vision/scene-picture.ts";
import { drawClicks, type PlacedWord } from "./text-draws.ts";

const CELL = { width: 6, height: 13 };

/** The words that xterm was given, each in its cells. */
function wordsOf(text: string): PlacedWord[] {
  return text.split("\n").flatMap((row, line) =>
    [...row.matchAll(/\S+/g)].map(
      (match): PlacedWord => ({
        text: match[0],
        line,
        rect: {
          ...{ x: match.index * CELL.width, y: line * CELL.height },
          ...{ width: match[0].length * CELL.width, height: CELL.height },
        },
      }),
    ),
  );
}

t.test("texts drawn from a real screen are clicked where they stand, or refused", async (t) => {
  const cut = inReadingOrder(cutPicture(await scenePicture("xterm-6x13")));
  const read = (await CellReader.open()).read(cut);
  const lines = read.flatMap((words) => ocrLineOf(words ?? []) ?? []);
  const truth = wordsOf(readFileSync(new URL("../vision/scenes/xterm-6x13.txt", import.meta.url), "utf8"));
  const next = numbers(41);
  const draws = await drawClicks(lines, truth, 150, (most) => next() % (most + 1));
  t.same(draws.wrong, []);
  t.match(draws, { elsewhere: 0, unsaid: 0, refused: 0, notFound: 0 });
  t.ok(draws.inside > 100 && draws.ambiguous > 0, JSON.stringify(draws));

  // Of lines that lie elsewhere than they are said to, the clicks are found out.
  const shifted = lines.map((line) => ({
    ...line,
    words: line.words.map((word) => ({ ...word, rect: { ...word.rect, y: word.rect.y + 26 } })),
  }));
  const wrong = await drawClicks(shifted, truth, 20, (most) => next() % (most + 1));
  t.ok(wrong.elsewhere > 10, JSON.stringify(wrong));
});
