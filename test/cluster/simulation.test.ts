import t from "tap";
import { simulateFleet } from "./simulation/fleet.ts";
import { STRIKES } from "./simulation/strikes.ts";

const SEEDS = 24;

t.test(
  "whatever happens no desktop has two holders, no old fence is accepted, and all are held again",
  async (t) => {
    const faults = new Set<string>();
    let [inputs, moves] = [0, 0];
    for (let seed = 0; seed < SEEDS; seed++) {
      const result = await simulateFleet(seed);
      t.same(result.violations.slice(0, 3), [], `seed ${seed}`);
      inputs += result.inputs;
      moves += result.moves;
      for (const name of Object.keys(result.faults)) faults.add(name);
    }
    t.comment(`${inputs} inputs, ${moves} moves`);
    t.ok(inputs > SEEDS * 500 && moves > SEEDS * 4, "desktops were used, and moved");
    t.equal(faults.size, STRIKES.length, "all kinds of faults came");
  },
);

t.test("a line on which many messages are late is well in the calm", async (t) => {
  // With one in a hundred this seed ended with three in a row, and a node without a lease.
  for (const lateRate of [0.01, 0.5]) t.same((await simulateFleet(763, { lateRate })).violations, []);
});

/** The seed of the first fleet that is not safe. */
async function firstUnsafe(faults: Parameters<typeof simulateFleet>[1]): Promise<number | null> {
  for (let seed = 0; seed < SEEDS; seed++) {
    const { violations } = await simulateFleet(seed, faults);
    if (violations.some((words) => /held by|under/.test(words))) return seed;
  }
  return null;
}

t.test("a margin that is too small is found", async (t) => {
  t.not(await firstUnsafe({ timing: { marginMs: -1500 } }), null);
});

t.test("a lease that is counted without the clock that goes on in sleep is found", async (t) => {
  t.not(await firstUnsafe({ hasNoBootClock: true }), null);
});

t.test("input that goes by no fence is found at the target", async (t) => {
  t.not(await firstUnsafe({ hasNoFence: true }), null);
});

t.test("a supervisor that gives back the leases of a process that lives is found", async (t) => {
  t.not(await firstUnsafe({ endsTheLiving: true }), null);
});
