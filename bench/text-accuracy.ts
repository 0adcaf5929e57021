import { judged, type Line } from "./line.ts";
import { openOurReader, readWithProgram } from "./text/readers.ts";
import type { Scene } from "./text/scene.ts";
import { errorRateOf, precisionOf, recallOf, type Score, scoreOf, sumOf } from "./text/score.ts";

const PEER = "tesseract's own program";

/** How well pictures of text are read, beside Tesseract's own program on the same models. Throws where little is read at all. */
export async function benchTextAccuracy(
  id: string,
  scenes: readonly Scene[],
  folder: string,
): Promise<Line[]> {
  const read = await openOurReader();
  const rows: Line[] = [];
  const all: { ours: Score; theirs: Score; oursMs: number; theirsMs: number }[] = [];
  for (const scene of scenes) {
    const [ours, theirs] = [await read(scene), readWithProgram(scene, folder)];
    const scores = { ours: scoreOf(scene, ours.words), theirs: scoreOf(scene, theirs.words) };
    if (recallOf(scores.ours) < 0.5) throw new Error(`${scene.name}: half of the words were not read`);
    all.push({ ...scores, oursMs: ours.cpuMs, theirsMs: theirs.cpuMs });
    rows.push(sceneRow(scene, scores.ours, scores.theirs));
  }
  const ours = sumOf(all.map((one) => one.ours));
  const theirs = sumOf(all.map((one) => one.theirs));
  const cpu = (of: "oursMs" | "theirsMs"): number => all.reduce((sum, one) => sum + one[of], 0) / all.length;
  const share = (metric: string, by: (score: Score) => number, within: number): Line =>
    judged({
      ...{ id, metric, unit: "%", ours: 100 * by(ours) },
      ...{ peer: PEER, theirs: 100 * by(theirs), goal: { within } },
    });
  return [
    ...rows,
    share("words not read", (score) => 1 - recallOf(score), 4),
    share("words that are not there", (score) => 1 - precisionOf(score), 5),
    share("letters wrong", errorRateOf, 1),
    share("words whose middle lies elsewhere", ({ hit, placed }) => 1 - hit / Math.max(1, placed), 0.5),
    share("width of words that differs", ({ agreed, placed }) => 1 - agreed / Math.max(1, placed), 5),
    judged({
      ...{ id, metric: "CPU of a picture", unit: "ms", ours: cpu("oursMs") },
      ...{ peer: PEER, theirs: cpu("theirsMs"), goal: { atMost: 1.6 } },
    }),
  ];
}

function sceneRow({ name }: Scene, ours: Score, theirs: Score): Line {
  const told = (score: Score): string =>
    `${recallOf(score).toFixed(3)} ${precisionOf(score).toFixed(3)} ${errorRateOf(score).toFixed(4)}`;
  return {
    id: "-",
    metric: `${name}, letters wrong (recall, precision, error rate: ${told(ours)}; ${told(theirs)})`,
    unit: "%",
    ours: 100 * errorRateOf(ours),
    peer: PEER,
    theirs: 100 * errorRateOf(theirs),
    ratio: "",
    goal: "",
    isMet: null,
  };
}
