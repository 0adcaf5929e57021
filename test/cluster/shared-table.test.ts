import t from "tap";
import { MemoryStore } from "../../src/cluster/store/memory-store.ts";
import { SharedTable } from "../../src/cluster/store/shared-table.ts";
import type { Entry } from "../../src/cluster/store/store.ts";
import { FakeClock } from "../fake-clock.ts";
import { until } from "../support/until.ts";

const MANY = 1050;
const MOST_A_TURN = 50;

const keyOf = (nth: number): string => `/t/${String(nth).padStart(4, "0")}`;

/** A store with many entries, and a table of it that tells what it hears, and in which turn of the loop. */
async function house(onChange: (key: string, entry: Entry | null) => void = () => undefined) {
  const clock = new FakeClock();
  const store = await MemoryStore.open(clock, null);
  for (let nth = 0; nth < MANY; nth++) {
    await store.commit([{ kind: "create", key: keyOf(nth), value: "old" }]);
  }
  let turn = 0;
  let isOver = false;
  const next = (): void => {
    turn++;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  t.teardown(() => {
    isOver = true;
  });
  /** How many were told in each turn. */
  const perTurn = new Map<number, number>();
  /** What was told of each key, one after the other. */
  const told = new Map<string, (string | null)[]>();
  const table: SharedTable = new SharedTable({
    ...{ store, clock, prefix: "/t/" },
    onChange: (key, entry) => {
      perTurn.set(turn, (perTurn.get(turn) ?? 0) + 1);
      told.set(key, [...(told.get(key) ?? []), entry?.value ?? null]);
      onChange(key, entry);
    },
    onFailed: (error) => t.error(error),
  });
  t.teardown(() => table.close());
  return { store, table, told, perTurn };
}

t.test("a large table is told in parts, each in a turn of its own", async (t) => {
  const wasTold = new Set<boolean>();
  const { table, told, perTurn } = await house(() => wasTold.add(table.isTold));
  const opened = table.open();
  t.equal(table.isTold, false);
  await opened;
  t.equal(table.isTold, true);
  t.same([...wasTold], [false], "a part is not taken for all");
  t.equal(told.size, MANY);
  t.ok(Math.max(...perTurn.values()) <= MOST_A_TURN, "so many in a turn at most");
  t.ok(perTurn.size >= MANY / MOST_A_TURN);
});

t.test(
  "what changes while it is told is told as it is then, once, and never as it was after that",
  async (t) => {
    let isFirst = true;
    const changed = keyOf(MANY - 1);
    const learned = keyOf(MANY - 2);
    const deleted = keyOf(MANY - 3);
    const gone = keyOf(MANY - 4);
    const early = keyOf(0);
    const fresh = keyOf(MANY);
    const commits: Promise<unknown>[] = [];
    const { store, table, told } = await house(() => {
      if (!isFirst) return;
      isFirst = false;
      const update = (key: string, value: string) =>
        ({ kind: "update", key, value, revision: table.entries.get(key)?.revision ?? 0n }) as const;
      const remove = (key: string) =>
        ({ kind: "delete", key, revision: table.entries.get(key)?.revision ?? 0n }) as const;
      // By others: of keys that were told already, of some that were not, and of a new one.
      commits.push(store.commit([update(changed, "new"), remove(deleted), update(early, "new")]));
      commits.push(store.commit([{ kind: "create", key: fresh, value: "new" }]));
      // By this process, which knows at once what it wrote.
      const own = store.commit([update(learned, "own"), remove(gone)]).then((outcome) => {
        const { revision } = outcome;
        t.equal(outcome.isDone, true);
        table.learn(learned, { key: learned, value: "own", revision }, revision);
        table.learn(gone, null, revision);
      });
      commits.push(own);
    });
    await table.open();
    await Promise.all(commits);
    await until("the watch tells", () => told.has(fresh));
    t.same(told.get(early), ["old", "new"]);
    t.same(told.get(changed), ["old", "new"]);
    t.same(told.get(deleted), ["old", null]);
    t.same(told.get(learned), ["own"], "what is newer than the list is not told as it was");
    t.same(told.get(gone), [null]);
    t.same(told.get(fresh), ["new"]);
    const there = (await store.list("/t/")).entries;
    const known = [...table.entries.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
    t.same(known, there, "all of it");
  },
);

t.test("what is refreshed is told by then, though the rest is not", async (t) => {
  const last = keyOf(MANY - 1);
  let refreshed: Promise<void> | null = null;
  const { table, told } = await house(() => {
    refreshed ??= table.refresh(last).then(() => {
      t.same(told.get(last), ["old"]);
      t.ok(told.size < MANY);
      t.equal(table.isTold, false);
    });
  });
  await table.open();
  await refreshed;
  t.equal(told.size, MANY);
  t.same(told.get(last), ["old"], "once");
});

t.test("a table that is closed while it is told tells no more", async (t) => {
  let isFirst = true;
  const { table, told } = await house(() => {
    if (isFirst) setImmediate(() => table.close());
    isFirst = false;
  });
  await table.open();
  t.ok(told.size < MANY, `${told.size} by then`);
  t.equal(table.isTold, false);
});
