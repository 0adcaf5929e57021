import t from "tap";
import { claimTurn, connectionArrived, isLoopShared, nextTurn } from "../../src/imaging/loop-turns.ts";

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

t.test("while connections arrive slices wait, and go on all the same", async (t) => {
  let turn = 0;
  let arriving = 100;
  const arrive = (): void => {
    turn++;
    if (arriving-- === 0) return;
    connectionArrived();
    setImmediate(arrive);
  };
  const went: number[] = [];
  const work = async (): Promise<void> => {
    for (let slice = 0; slice < 5; slice++) {
      await nextTurn();
      went.push(turn);
    }
  };
  arrive();
  await work();
  const during = went.filter((at) => at <= 100).length;
  t.ok(during >= 2 && during <= 4, `${during} slices in 100 turns in which somebody arrived`);
});
