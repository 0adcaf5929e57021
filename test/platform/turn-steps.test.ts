import t from "tap";
import { LoopTurns } from "../../src/platform/loop-turns.ts";
import { overTurns } from "../../src/platform/turn-steps.ts";

/** Steps of a millisecond each. */
function* work(steps: number, done: number[]): Generator<undefined, void, undefined> {
  for (let step = 0; step < steps; step++) {
    const end = performance.now() + 1;
    while (performance.now() < end);
    done.push(step);
    yield;
  }
}

t.test("others have their turns between the steps, and all steps are done in order", async (t) => {
  const done: number[] = [];
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const finished = overTurns("targets", work(30, done), () => false, new LoopTurns());
  t.same(done, [], "nothing is done in the turn that begins it");
  await finished;
  isOver = true;
  t.same(
    done,
    Array.from({ length: 30 }, (_, i) => i),
  );
  t.ok(turns >= 10, `${turns} turns of others between`);
});

t.test("two share the turns: neither waits until the other is done", async (t) => {
  const turns = new LoopTurns();
  const order: string[] = [];
  const named = function* (name: string): Generator<undefined, void, undefined> {
    for (const _ of work(12, [])) {
      order.push(name);
      yield;
    }
  };
  const all = ["a", "b"].map((name) => overTurns("targets", named(name), () => false, turns));
  await Promise.all(all);
  t.equal(order.length, 24);
  t.ok(order.indexOf("b") < order.lastIndexOf("a"));
  t.ok(order.indexOf("a") < order.lastIndexOf("b"));
});

t.test("what is cancelled is left, and what a step throws is told", async (t) => {
  const done: number[] = [];
  await overTurns("targets", work(1000, done), () => done.length > 4, new LoopTurns());
  t.ok(done.length > 4 && done.length < 1000);
  const fails = (function* (): Generator<undefined, void, undefined> {
    yield;
    throw new Error("the second step");
  })();
  await t.rejects(
    overTurns("targets", fails, () => false, new LoopTurns()),
    { message: "the second step" },
  );
});
