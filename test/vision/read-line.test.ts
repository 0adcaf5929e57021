import t from "tap";
import type { LineInk } from "../../src/vision/cut/cut-line.ts";
import type { GreyPicture } from "../../src/vision/ocr-engine.ts";
import { readByEngine } from "../../src/vision/read-line.ts";

/** Stems two pixels wide that begin in these columns. */
function line(starts: readonly number[]): LineInk {
  const [width, height] = [80, 14];
  const ink = new Uint8Array(width * height);
  for (const start of starts) {
    for (let y = 2; y < 12; y++) ink.fill(255, y * width + start, y * width + start + 2);
  }
  return { ink, inkBox: { left: 100, top: 50, right: 180, bottom: 64 }, top: 52, bottom: 62 };
}

/** An engine that reads one word over all of the line. */
const reads = (text: string, confidence = 90) => ({
  use: async () => undefined,
  read: async (pictures: Iterable<GreyPicture>) =>
    Array.from(pictures, ({ width, height }) => [
      { text, rect: { x: 10, y: 0, width: width - 20, height }, confidence },
    ]),
});

const read = async (text: string, at: LineInk) => (await readByEngine(reads(text), [at]))[0];

t.test("an amount and its sign are two words where a blank parts them", async (t) => {
  // Five letters a pixel apart, three pixels, and the sign.
  const parted = line([2, 5, 8, 11, 14, 19]);
  t.match(await read("12,50€", parted), [
    { text: "12,50", rect: { x: 102, y: 52, width: 14, height: 10 } },
    { text: "€", rect: { x: 119, y: 52, width: 2, height: 10 } },
  ]);
  t.match(await read("abcde€", parted), [{ text: "abcde€" }], "behind a number only");
  t.match(await read("12,50€", line([2, 5, 8, 11, 14, 17])), [{ text: "12,50€" }], "no blank");
  t.match(await read("1234€", line([2, 7, 12, 17, 22])), [{ text: "1234€" }], "all gaps are as wide");
});

t.test("marks that an engine is unsure of are no text, unless they are many letters", async (t) => {
  const unsure = async (text: string) => (await readByEngine(reads(text, 3), [line([2, 5, 8])]))[0];
  t.same(await unsure("»l|"), [], "an icon");
  t.same(await unsure("oOo"), []);
  t.match(await unsure("ey200Frn9CRSyE0ejnfi6fpYSNyciamC6tNy"), [{ confidence: 3 }], "a key");
});
