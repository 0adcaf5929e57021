import t from "tap";
import { claimTurn, isLoopShared, nextTurn } from "../../src/imaging/loop-turns.ts";

t.test(
  "of all who work in slices one goes on in each turn of the loop, in the order of asking",
  async (t) => {
    let turn = 0;
    let isOver = false;
    const count = (): void => {
      turn++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const went: { readonly who: number; readonly turn: number }[] = [];
    const work = async (who: number): Promise<void> => {
      for (let slice = 0; slice < 3; slice++) {
        await nextTurn();
        went.push({ who, turn });
      }
    };
    const all = Array.from({ length: 20 }, (_, who) => work(who));
    t.ok(isLoopShared());
    await Promise.all(all);
    isOver = true;
    t.equal(went.length, 60);
    t.equal(new Set(went.map((slice) => slice.turn)).size, 60, "no turn held two slices");
    t.same(
      went.slice(0, 40).map(({ who }) => who),
      Array.from({ length: 40 }, (_, i) => i % 20),
      "nobody goes on twice before all went once",
    );
    t.notOk(isLoopShared());
  },
);

t.test("a turn is claimed once: who comes next waits, and the turn after is free again", async (t) => {
  t.equal(claimTurn(), null);
  const second = claimTurn();
  const third = claimTurn();
  t.ok(second !== null && third !== null);
  await second;
  await third;
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(claimTurn(), null);
});
