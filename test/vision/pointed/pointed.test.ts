import t from "tap";
import { Engine } from "../../../src/vision/engine.ts";
import { fontAtlas } from "../../../src/vision/glyphs/font-atlas.ts";
import { LIVE_LANGUAGES } from "../../../src/vision/text/engine-lines.ts";
import { randomOf } from "../../e2e/privacy/planted.ts";
import { xPointers } from "./drawings.ts";
import { drawOver, isCovered, noTally, ReadSheet } from "./drawn-over.ts";
import { loadSheet } from "./sheet.ts";

// Of a secret that X's own pointers lie on nothing is seen, whatever is read of it: judged by where the program that
// showed it put it. `measure.demand.ts` draws more, on more sheets.

await fontAtlas();
const engine = await Engine.open();
await engine.use(LIVE_LANGUAGES);
const pointers = await xPointers();

for (const name of ["xterm-6x13", "chromium-dejavu"]) {
  const sheet = await loadSheet(name);

  t.test(`${name}: secrets below a pointer that is told of are hidden, clean lines are seen`, async (t) => {
    const read = new ReadSheet(sheet, engine);
    for (let i = 0; i < 2; i++) await read.covers(false);
    const tally = noTally();
    await drawOver(read, pointers, randomOf(3), { isPointed: true, rounds: 2 }, tally);
    t.ok(tally.drawn > 10 && tally.clean > 10, JSON.stringify(tally));
    t.equal(tally.leaked, 0, tally.shown.join("; "));
    t.equal(tally.covered, 0, "what nothing is drawn on");
  });

  t.test(`${name}: secrets that were read stay hidden below a pointer that nobody told of`, async (t) => {
    const read = new ReadSheet(sheet, engine);
    const bare = await read.covers(false);
    const tally = noTally();
    await drawOver(read, pointers, randomOf(4), { isPointed: false, rounds: 1 }, tally);
    t.ok(tally.drawn > 5, JSON.stringify(tally));
    t.equal(tally.leaked, 0, tally.shown.join("; "));
    t.equal(tally.covered, 0, "what nothing is drawn on");
    const after = await read.covers(false);
    for (const line of sheet.lines.filter(({ secret }) => secret === null))
      t.equal(isCovered(line, after), isCovered(line, bare), "as before once it left");
  });
}
