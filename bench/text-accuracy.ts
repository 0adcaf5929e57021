import { findTesseract, TesseractProgram } from "../src/vision/tesseract-program.ts";
import { judged, type Line } from "./line.ts";
import { openOurReader, readWithProgram } from "./text/readers.ts";
import type { Scene } from "./text/scene.ts";
import { errorRateOf, precisionOf, recallOf, type Score, scoreOf, sumOf } from "./text/score.ts";

const PEER = "tesseract's own program";
const SHIPPED = "the engine that ships";

/** How well pictures of text are read, beside Tesseract's own program on the same models. Throws where little is read at all. */
export async function benchTextAccuracy(
  id: string,
  scenes: readonly Scene[],
  folder: string,
): Promise<Line[]> {
  const program = await findTesseract();
  if (program === null) throw new Error("no tesseract in PATH");
  const read = await openOurReader();
  const readByOptional = await openOurReader(new TesseractProgram(program));
  const rows: Line[] = [];
  const all: Scored[] = [];
  for (const scene of scenes) {
    const [ours, optional] = [await read(scene), await readByOptional(scene)];
    const theirs = readWithProgram(scene, folder);
    const scores = {
      ours: scoreOf(scene, ours.words),
      theirs: scoreOf(scene, theirs.words),
      optional: scoreOf(scene, optional.words),
    };
    if (recallOf(scores.ours) < 0.5) throw new Error(`${scene.name}: half of the words were not read`);
    all.push({ ...scores, oursMs: ours.cpuMs, theirsMs: theirs.cpuMs, optionalMs: optional.cpuMs });
    rows.push(sceneRow(scene, scores.ours, scores.theirs));
  }
  const ours = sumOf(all.map((one) => one.ours));
  const theirs = sumOf(all.map((one) => one.theirs));
  const optional = sumOf(all.map((one) => one.optional));
  const cpu = (of: "oursMs" | "theirsMs" | "optionalMs"): number =>
    all.reduce((sum, one) => sum + one[of], 0) / all.length;
  const ofOptional = (metric: string, unit: string, by: (score: Score) => number): Line =>
    told({ metric: `${metric}, ${BY_OPTIONAL}`, unit, ours: by(optional), theirs: by(ours) });
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
    ...(ours.umlauts === 0
      ? []
      : [
          share(
            `of ${ours.umlauts} words with umlauts not read`,
            ({ umlauts, umlautsRight }) => 1 - umlautsRight / Math.max(1, umlauts),
            1,
          ),
        ]),
    share("words whose middle lies elsewhere", ({ hit, placed }) => 1 - hit / Math.max(1, placed), 0.5),
    share("width of words that differs", ({ agreed, placed }) => 1 - agreed / Math.max(1, placed), 5),
    judged({
      ...{ id, metric: "CPU of a picture", unit: "ms", ours: cpu("oursMs") },
      ...{ peer: PEER, theirs: cpu("theirsMs"), goal: { atMost: 1.6 } },
    }),
    ofOptional("words not read", "%", (score) => 100 * (1 - recallOf(score))),
    ofOptional("words that are not there", "%", (score) => 100 * (1 - precisionOf(score))),
    ofOptional("letters wrong", "%", (score) => 100 * errorRateOf(score)),
    told({
      metric: `CPU of a picture, ${BY_OPTIONAL}`,
      unit: "ms",
      ours: cpu("optionalMs"),
      theirs: cpu("oursMs"),
    }),
  ];
}

interface Scored {
  readonly ours: Score;
  readonly theirs: Score;
  /** The same lines by the optional engine: the program, behind our cutting. */
  readonly optional: Score;
  readonly oursMs: number;
  readonly theirsMs: number;
  readonly optionalMs: number;
}

const BY_OPTIONAL = "vision.engine: tesseract";

/** A row without a goal, beside the engine that ships. */
function told(row: Pick<Line, "metric" | "unit" | "ours" | "theirs">): Line {
  return { id: "-", ...row, peer: SHIPPED, ratio: "", goal: "", isMet: null };
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
