import t from "tap";
import { EncodeBudget } from "../../../src/web/viewer/encode-budget.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test("what is first in a turn always fits, what follows only while there is time", async (t) => {
  const budget = new EncodeBudget();
  t.ok(budget.hasTimeFor(100));
  budget.took(1);
  t.ok(budget.hasTimeFor(1));
  t.notOk(budget.hasTimeFor(100));
  await turn();
  t.ok(budget.hasTimeFor(100), "a new turn");
});

t.test("viewers that need many turns take them in turn", async (t) => {
  const budget = new EncodeBudget();
  const served: string[] = [];
  const ask = (name: string): void => {
    budget.next(() => {
      served.push(name);
      budget.took(50);
      if (served.length < 9) ask(name);
    });
  };
  budget.took(50);
  for (const name of ["a", "b", "c"]) ask(name);
  t.same(served, [], "this turn is used up");
  for (let i = 0; i < 9; i++) {
    await turn();
    t.equal(served.length, i + 1, "one a turn");
  }
  t.equal(served.join(""), "abcabcabc");
});

t.test("who hands on what it gets is served before those who do not", async (t) => {
  const budget = new EncodeBudget();
  const served: string[] = [];
  for (const name of ["a", "node b", "c", "node d"]) {
    budget.soon(() => served.push(name), name.startsWith("node"));
  }
  t.same(served, [], "once what happens now has happened");
  await Promise.resolve();
  t.same(served, ["node b", "node d", "a", "c"]);
  budget.soon(() => served.push("e"));
  await Promise.resolve();
  t.equal(served.pop(), "e", "the next ones as well");
  await Promise.resolve();
  t.equal(served.length, 4, "each once");
});
