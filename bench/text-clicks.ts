import { ocrLineOf } from "../src/vision/read-line.ts";
import { type Draws, drawClicks, type PlacedWord } from "../test/mcp/text-draws.ts";
import { judged, type Line } from "./line.ts";
import { openOurReader } from "./text/readers.ts";
import type { Scene } from "./text/scene.ts";
import { Wording } from "./text/wording.ts";

const SEED = 77;

/**
 * Texts drawn from all scenes whose words have a place, and clicked by click_text: of the clicks, how many are not inside
 * of the text's true box. Throws where half of them are not.
 */
export async function benchTextClicks(scenes: readonly Scene[], count: number): Promise<Line[]> {
  const read = await openOurReader();
  const wording = new Wording(SEED);
  const placed = scenes.flatMap((scene) => {
    const words = wordsOf(scene);
    return words.length === 0 ? [] : [{ scene, words }];
  });
  const all: Draws[] = [];
  for (const { scene, words } of placed) {
    const { lines } = await read(scene);
    const each = Math.ceil(count / placed.length);
    const draws = await drawClicks(
      lines.flatMap((line) => ocrLineOf(line) ?? []),
      words,
      each,
      (most) => wording.int(0, most),
    );
    for (const wrong of draws.wrong) process.stderr.write(`${scene.name}: ${wrong}\n`);
    all.push(draws);
  }
  const sum = (of: Exclude<keyof Draws, "wrong">): number => all.reduce((total, one) => total + one[of], 0);
  const [inside, elsewhere, unsaid] = [sum("inside"), sum("elsewhere"), sum("unsaid")];
  const clicks = inside + elsewhere + unsaid;
  if (inside < clicks / 2) throw new Error(`of ${clicks} clicks ${inside} were inside of their text`);
  const told = `${sum("ambiguous")} ambiguous, ${sum("refused")} wrongly so, ${sum("notFound")} not found`;
  return [
    judged({
      ...{
        id: "CLICKS",
        metric: `clicks of ${clicks} on text that are not inside (refused: ${told})`,
        unit: "%",
      },
      ...{ ours: (100 * (clicks - inside)) / Math.max(1, clicks), peer: "the goal", theirs: 0.5 },
      goal: { within: 0.5 },
    }),
  ];
}

function wordsOf({ words }: Scene): PlacedWord[] {
  return words.flatMap(({ text, line, rect, isExact = true }) =>
    rect === null || !isExact ? [] : [{ text, line, rect }],
  );
}
