import t from "tap";
import { ViewerTurns } from "../../../src/web/viewer/encode-budget.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test("what is first in a turn always fits, what follows only while there is time", async (t) => {
  const turns = new ViewerTurns();
  t.ok(turns.hasTimeFor(100));
  turns.took(1);
  t.ok(turns.hasTimeFor(1));
  t.notOk(turns.hasTimeFor(100));
  await turn();
  t.ok(turns.hasTimeFor(100), "a new turn");
});

t.test("viewers that need many turns take them in turn", async (t) => {
  const turns = new ViewerTurns();
  const served: string[] = [];
  const ask = (name: string): void => {
    turns.next(() => {
      served.push(name);
      turns.took(50);
      if (served.length < 9) ask(name);
    });
  };
  turns.took(50);
  for (const name of ["a", "b", "c"]) ask(name);
  t.same(served, [], "this turn is used up");
  for (let i = 0; i < 9; i++) {
    await turn();
    t.equal(served.length, i + 1, "one a turn");
  }
  t.equal(served.join(""), "abcabcabc");
});
