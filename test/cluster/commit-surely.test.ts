import t from "tap";
import { StoreError } from "../../src/cluster/error.ts";
import { commitSurely } from "../../src/cluster/store/commit-surely.ts";
import { MemoryStore } from "../../src/cluster/store/memory-store.ts";
import type { Change, Outcome } from "../../src/cluster/store/store.ts";
import { systemClock } from "../../src/platform/clock.ts";

const WITHIN = { clock: systemClock, withinMs: 2000 };

/** A store behind a line that loses the first requests, or their answers. */
async function lossy(losses: readonly ("request" | "answer" | "refused")[]) {
  const store = await MemoryStore.open(systemClock, null);
  const left = [...losses];
  let applied = 0;
  const commit = async (changes: readonly Change[]): Promise<Outcome> => {
    const loss = left.shift();
    if (loss === "refused") throw new StoreError("unavailable", "nobody there");
    if (loss === "request") throw new StoreError("outcome_unknown", "lost");
    const outcome = await store.commit(changes);
    if (outcome.isDone) applied++;
    if (loss === "answer") throw new StoreError("outcome_unknown", "lost");
    return outcome;
  };
  return { store, commit, applied: () => applied };
}

t.test("a commit whose answer was lost is known to be done, and done once", async (t) => {
  for (const losses of [
    ["answer"],
    ["request", "answer"],
    ["answer", "request", "refused", "answer"],
  ] as const) {
    const line = await lossy(losses);
    const made = await commitSurely(line, [{ kind: "create", key: "a", value: "me 1" }], WITHIN);
    t.match(made, { isDone: true, revision: 1n }, losses.join());
    t.equal(line.applied(), 1);
  }
  const line = await lossy([]);
  await line.store.commit([{ kind: "create", key: "a", value: "me 1" }]);
  const next = await lossyOver(line.store, "answer");
  const updated = await commitSurely(
    next,
    [{ kind: "update", key: "a", value: "me 2", revision: 1n }],
    WITHIN,
  );
  t.match(updated, { isDone: true, revision: 2n });
  const gone = await lossyOver(line.store, "answer");
  t.match(await commitSurely(gone, [{ kind: "delete", key: "a", revision: 2n }], WITHIN), { isDone: true });
});

t.test("a commit that somebody was faster than is known not to be done", async (t) => {
  const line = await lossy(["request"]);
  await line.store.commit([{ kind: "create", key: "a", value: "other 1" }]);
  const outcome = await commitSurely(line, [{ kind: "create", key: "a", value: "me 1" }], WITHIN);
  t.match(outcome, { isDone: false, found: [{ value: "other 1" }] });
});

t.test("what stays unknown is said to be, and what was never sent is not", async (t) => {
  const short = { clock: systemClock, withinMs: 0 };
  const change = [{ kind: "create", key: "a", value: "me 1" }] as const;
  await t.rejects(commitSurely(await lossy(["request"]), change, short), { code: "outcome_unknown" });
  await t.rejects(commitSurely(await lossy(["refused"]), change, short), { code: "unavailable" });
  await t.rejects(commitSurely(await lossy([]), [], short), { code: "invalid" });
});

async function lossyOver(store: MemoryStore, loss: "answer") {
  let left: string | null = loss;
  return {
    async commit(changes: readonly Change[]): Promise<Outcome> {
      const outcome = await store.commit(changes);
      if (left === null) return outcome;
      left = null;
      throw new StoreError("outcome_unknown", "lost");
    },
  };
}
