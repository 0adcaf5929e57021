import type { Coverage } from "./coverage.ts";
import { mutate, randomFrom } from "./mutate.ts";
import { check, Finding, type FuzzTarget } from "./target.ts";

/** Inputs between two looks at the coverage, which costs more than an input. */
const BATCH = 48;

/** Tries to make a finding's input shorter. */
const SHORTENINGS = 400;

export interface Hunt {
  readonly runs: number;
  /** Inputs that together ran everything that was run, as few as were found to do. */
  readonly corpus: readonly Uint8Array[];
  readonly blocks: number;
  readonly finding: Finding | null;
}

/** Mutates inputs until `isOver`, keeping those that run new blocks, until one breaks a rule. */
export function hunt(
  target: FuzzTarget,
  inputs: readonly Uint8Array[],
  coverage: Coverage,
  seed: number,
  isOver: (runs: number) => boolean,
): Hunt {
  const random = randomFrom(seed);
  const known = new Set<string>();
  const pool: { input: Uint8Array; blocks: Set<string> }[] = [];
  let runs = 0;
  const tryOne = (input: Uint8Array): void => {
    runs++;
    check(target, input, [1 + random(40), 1 + random(300)]);
  };
  const keepIfNew = (input: Uint8Array): void => {
    coverage.take();
    tryOne(input);
    const blocks = coverage.take();
    if ([...blocks].every((block) => known.has(block))) return;
    for (const block of blocks) known.add(block);
    pool.push({ input, blocks });
  };
  const result = (finding: Finding | null): Hunt => ({
    runs,
    corpus: fewest(pool),
    blocks: known.size,
    finding,
  });
  try {
    for (const input of inputs) keepIfNew(input);
    const pick = (): Uint8Array => pool[random(pool.length)]?.input ?? new Uint8Array(1);
    while (!isOver(runs)) {
      const batch = Array.from({ length: BATCH }, () => mutate(pick(), pick(), random));
      coverage.take();
      for (const input of batch) tryOne(input);
      if ([...coverage.take()].some((block) => !known.has(block)))
        for (const input of batch) keepIfNew(input);
    }
    return result(null);
  } catch (error) {
    if (error instanceof Finding) return result(shortened(target, error));
    throw error;
  }
}

/** Greedy set cover: of the inputs, longest to shortest dropped where the rest run the same blocks. */
function fewest(pool: readonly { input: Uint8Array; blocks: Set<string> }[]): Uint8Array[] {
  const covered = new Set<string>();
  const byLength = [...pool].sort((a, b) => a.input.length - b.input.length);
  const kept: Uint8Array[] = [];
  for (;;) {
    let best: (typeof pool)[number] | null = null;
    let most = 0;
    for (const entry of byLength) {
      let gain = 0;
      for (const block of entry.blocks) if (!covered.has(block)) gain++;
      if (gain > most) {
        most = gain;
        best = entry;
      }
    }
    if (best === null) return kept;
    for (const block of best.blocks) covered.add(block);
    kept.push(best.input);
  }
}

/** The same kind of finding with less input, as far as a few tries find one. */
function shortened(target: FuzzTarget, finding: Finding): Finding {
  const random = randomFrom(1);
  let best = finding;
  for (let left = SHORTENINGS; left > 0 && best.input.length > 1; left--) {
    const { input } = best;
    const at = random(input.length);
    const drop = 1 + random(Math.max(1, input.length >> 2));
    const shorter = Uint8Array.from([...input.subarray(0, at), ...input.subarray(at + drop)]);
    try {
      check(target, shorter);
    } catch (error) {
      if (error instanceof Finding && kindOf(error) === kindOf(finding)) best = error;
    }
  }
  return best;
}

function kindOf({ message }: Finding): string {
  return message.replace(/\d+/g, "n").slice(0, 60);
}
