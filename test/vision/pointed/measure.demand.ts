// `npx tsx test/vision/pointed/measure.demand.ts [rounds]`: what of private text is seen that something is drawn over, and what of
// clean lines is covered for it, with a real engine over all sheets.
import { Engine } from "../../../src/vision/engine.ts";
import { fontAtlas } from "../../../src/vision/glyphs/font-atlas.ts";
import { LIVE_LANGUAGES } from "../../../src/vision/text/engine-lines.ts";
import { randomOf } from "../../e2e/privacy/planted.ts";
import { carets, ghosts, selections, tooltips, xPointers } from "./drawings.ts";
import { drawOver, isCovered, noTally, ReadSheet } from "./drawn-over.ts";
import { loadSheet, SHEETS } from "./sheet.ts";

const rounds = Number(process.argv[2] ?? 12);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const engine = await Engine.open();
await engine.use(LIVE_LANGUAGES);
await fontAtlas();
const pointers = await xPointers();
const cases = [
  { name: "pointers, told", drawings: pointers, isPointed: true },
  { name: "new below pointers, told", drawings: pointers, isPointed: true, isFirst: true },
  { name: "pointers, not told", drawings: pointers, isPointed: false },
  { name: "carets", drawings: carets, isPointed: false },
  { name: "selections", drawings: selections, isPointed: false },
  { name: "ghosts", drawings: ghosts, isPointed: false },
  { name: "tooltips", drawings: tooltips, isPointed: false },
];
const only = process.argv[3];
for (const name of SHEETS) {
  const sheet = await loadSheet(name);
  const fresh = new ReadSheet(sheet, engine);
  const covers = await fresh.covers(true);
  const clean = sheet.lines.filter(({ secret }) => secret === null);
  const hidden = clean.filter((line) => isCovered(line, covers)).length;
  say(`${name}: ${hidden} of ${clean.length} clean lines hidden that came while a pointer is drawn`);
  const bare = await new ReadSheet(sheet, engine).covers(false);
  say(`${name}: ${clean.filter((line) => isCovered(line, bare)).length} of them without a pointer`);
  for (const { name: drawn, drawings, ...how } of cases) {
    if (only !== undefined && !drawn.startsWith(only)) continue;
    const read = new ReadSheet(sheet, engine);
    for (let i = 0; i < 2; i++) await read.covers(false);
    const tally = noTally();
    await drawOver(read, drawings, randomOf(3), { ...how, rounds }, tally);
    const { shown, ...counts } = tally;
    say(`${name}, ${drawn}: ${JSON.stringify(counts)}, ${read.engineReads} lines read`);
    for (const one of shown.slice(0, 400)) say(`    ${one}`);
  }
}
