import { scenePicture } from "../test/vision/scene-picture.ts";
import { RandomScreen } from "../test/vision/text/random-steps.ts";
import { judged, type Line } from "./line.ts";

const SIZE = { width: 640, height: 420 };
/** Of programs on real displays. */
const PICTURES = ["xterm-6x13", "xterm-dejavu-9", "table-joints"] as const;
const STEPS = 10_000;
const SHORT_STEPS = 20;
/** After so many a screen is a patchwork: another begins. */
const STEPS_OF_SCREEN = 50;
const FIRST_SEED = 101;

/**
 * The lines that are kept beside those of a fresh cut of the whole screen, after each of many random steps. Throws where
 * any differs.
 */
export async function benchTextIndex(isShort: boolean): Promise<Line[]> {
  const pictures = await Promise.all(PICTURES.map(scenePicture));
  const steps = isShort ? SHORT_STEPS : STEPS;
  let [keptMs, freshMs] = [0, 0];
  for (let step = 0, seed = FIRST_SEED; step < steps; seed++) {
    const screen = new RandomScreen(SIZE, pictures, seed);
    for (let at = 0; at < STEPS_OF_SCREEN && step < steps; at++, step++) {
      const before = process.cpuUsage();
      const done = screen.step();
      const kept = screen.kept();
      const between = process.cpuUsage();
      const fresh = screen.fresh();
      keptMs += msOf(before, between);
      freshMs += msOf(between, process.cpuUsage());
      if (kept.join() !== fresh.join()) {
        throw new Error(`seed ${seed}, step ${at} (${done}): the lines are not those of a fresh cut`);
      }
    }
  }
  return [
    judged({
      ...{ id: "TEXTINDEX", metric: `CPU of a step, of ${steps} that were right`, unit: "ms" },
      ...{ ours: keptMs / steps, peer: "a fresh cut of the whole screen", theirs: freshMs / steps },
      goal: { atMost: 1 },
    }),
  ];
}

function msOf(from: NodeJS.CpuUsage, to: NodeJS.CpuUsage): number {
  return (to.user - from.user + to.system - from.system) / 1000;
}
