import { setTimeout as pause } from "node:timers/promises";
import type { Test } from "tap";
import { StoreError } from "../../src/cluster/error.ts";
import {
  type ClusterStore,
  type KeyChange,
  LONGEST_VALUE_BYTES,
  MOST_CHANGES,
} from "../../src/cluster/store/store.ts";
import { until } from "../support/until.ts";

const WRITERS = 8;
/** How often each of them counts. */
const EACH = 5;

/** What a watch told, as text: "5 a=1 b-". */
export class Heard {
  readonly commits: { readonly revision: bigint; readonly changes: readonly KeyChange[] }[] = [];
  progress = 0n;
  isCompacted = false;
  failure: StoreError | null = null;

  onChanges(changes: readonly KeyChange[], revision: bigint): void {
    this.commits.push({ revision, changes });
  }
  onProgress(revision: bigint): void {
    this.progress = revision;
  }
  onCompacted(): void {
    this.isCompacted = true;
  }
  onFailed(error: StoreError): void {
    this.failure = error;
  }

  get lines(): readonly string[] {
    return this.commits.map(({ changes }) =>
      changes.map(({ key, entry }) => `${key}${entry === null ? "-" : `=${entry.value}`}`).join(" "),
    );
  }
}

/**
 * What every store of shared state keeps to. `a` and `b` see the same state, as two nodes do; `compact` has the store
 * forget how it came to be as it is.
 */
export async function storeContract(
  t: Test,
  { a, b, compact }: { a: ClusterStore; b: ClusterStore; compact(): Promise<void> },
): Promise<void> {
  const invalid = { name: "StoreError", code: "invalid" };
  const created = async (key: string, value: string): Promise<bigint> => {
    const outcome = await a.commit([{ kind: "create", key, value }]);
    if (!outcome.isDone) throw new Error(`${key} is there`);
    return outcome.revision;
  };

  await t.test("a key is created once, updated and deleted by its revision alone", async (t) => {
    const first = await created("/t/one", "1");
    t.same(await b.get("/t/one"), { key: "/t/one", value: "1", revision: first });
    t.match(await b.commit([{ kind: "create", key: "/t/one", value: "2" }]), {
      isDone: false,
      found: [{ value: "1", revision: first }],
    });
    const second = await b.commit([{ kind: "update", key: "/t/one", value: "ä€😀", revision: first }]);
    t.ok(second.isDone && second.revision > first);
    const stale = await a.commit([{ kind: "update", key: "/t/one", value: "3", revision: first }]);
    t.match(stale, { isDone: false, found: [{ value: "ä€😀", revision: second.revision }] });
    t.match(await a.commit([{ kind: "delete", key: "/t/one", revision: first }]), { isDone: false });
    t.match(await a.commit([{ kind: "delete", key: "/t/one", revision: second.revision }]), { isDone: true });
    t.equal(await b.get("/t/one"), null);
    t.match(await b.commit([{ kind: "update", key: "/t/one", value: "4", revision: second.revision }]), {
      isDone: false,
      found: [null],
    });
  });

  await t.test("a commit of several keys is done as a whole or not at all", async (t) => {
    const revision = await created("/t/several/0", "0");
    const changes = [
      { kind: "update", key: "/t/several/0", value: "1", revision },
      { kind: "create", key: "/t/several/1", value: "1" },
      { kind: "expect", key: "/t/several/2", revision: null },
    ] as const;
    const done = await a.commit(changes);
    t.equal(done.isDone, true);
    t.match(await b.commit(changes), { isDone: false, found: [{ value: "1" }, { value: "1" }, null] });
    const half = await b.commit([
      { kind: "create", key: "/t/several/3", value: "1" },
      { kind: "expect", key: "/t/several/1", revision: null },
    ]);
    t.equal(half.isDone, false);
    const { entries } = await b.list("/t/several/");
    t.same(
      entries.map(({ key, value, revision }) => [key, value, revision]),
      [0, 1].map((nth) => [`/t/several/${nth}`, "1", done.revision]),
    );
  });

  await t.test("what the contract does not know is refused before it is sent", async (t) => {
    await t.rejects(a.commit([]), invalid);
    await t.rejects(a.commit([{ kind: "create", key: "", value: "" }]), invalid);
    await t.rejects(a.commit([{ kind: "create", key: "/t/ä", value: "" }]), invalid);
    await t.rejects(a.get("k".repeat(513)), invalid);
    const long = "ä".repeat(LONGEST_VALUE_BYTES / 2);
    await t.rejects(a.commit([{ kind: "create", key: "/t/long", value: `${long}a` }]), invalid);
    const twice = { kind: "create", key: "/t/twice", value: "" } as const;
    await t.rejects(a.commit([twice, twice]), invalid);
    const many = (count: number) =>
      Array.from({ length: count }, (_, nth) => ({
        ...twice,
        key: `/t/many/${String(nth).padStart(4, "0")}`,
      }));
    await t.rejects(a.commit(many(MOST_CHANGES + 1)), invalid);
    await created("/t/long", long);
    t.equal((await b.get("/t/long"))?.value, long);
    t.equal((await a.commit(many(MOST_CHANGES))).isDone, true);
  });

  await t.test(
    "a listing has all keys of its prefix and no other, in their order, at one moment",
    async (t) => {
      for (const start of [0, 100, 200]) {
        await a.commit(
          Array.from({ length: 100 }, (_, nth) => ({
            ...({ kind: "create", value: "x" } as const),
            key: `/t/list/${String(start + nth).padStart(3, "0")}`,
          })),
        );
      }
      await created("/t/list0", "no");
      const { entries, revision } = await b.list("/t/list/");
      t.same(
        entries.map(({ key }) => key),
        Array.from({ length: 300 }, (_, nth) => `/t/list/${String(nth).padStart(3, "0")}`),
      );
      t.ok(revision >= (entries[0]?.revision ?? revision));
      t.same((await b.list("/t/none/")).entries, []);
    },
  );

  await t.test("of many who create the same key one wins", async (t) => {
    for (let round = 0; round < 20; round++) {
      const outcomes = await Promise.all(
        Array.from({ length: WRITERS }, (_, nth) =>
          (nth % 2 === 0 ? a : b).commit([{ kind: "create", key: `/t/race/${round}`, value: `${nth}` }]),
        ),
      );
      const winners = outcomes.flatMap(({ isDone }, nth) => (isDone ? [`${nth}`] : []));
      t.same(winners, [(await a.get(`/t/race/${round}`))?.value], `round ${round}`);
    }
  });

  await t.test("of many who count by one revision none is lost and none doubled", async (t) => {
    await created("/t/count", "0");
    let lost = 0;
    const count = async (store: ClusterStore, times: number): Promise<void> => {
      while (times > 0) {
        const entry = await store.get("/t/count");
        if (entry === null) throw new Error("it is gone");
        const value = `${Number(entry.value) + 1}`;
        const { key, revision } = entry;
        if ((await store.commit([{ kind: "update", key, value, revision }])).isDone) times--;
        else lost++;
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, nth) => count(nth % 2 === 0 ? a : b, EACH)));
    t.equal((await a.get("/t/count"))?.value, `${WRITERS * EACH}`);
    t.ok(lost > 0, "they did race");
  });

  await t.test(
    "a watch tells every commit after its revision, once, in order, and that it is alive",
    async (t) => {
      const start = await created("/t/watch/a", "0");
      let revision = start;
      for (let nth = 1; nth <= 3; nth++) {
        const done = await a.commit([{ kind: "update", key: "/t/watch/a", value: `${nth}`, revision }]);
        revision = done.revision;
      }
      const heard = new Heard();
      const watch = b.watch("/t/watch/", start, heard);
      await until("the past", () => heard.commits.length >= 3);
      const both = await a.commit([
        { kind: "delete", key: "/t/watch/a", revision },
        { kind: "create", key: "/t/watch/b", value: "1" },
        { kind: "create", key: "/t/else", value: "1" },
      ]);
      await until("the present", () => heard.commits.length >= 4);
      const known = (await b.get("/t/else"))?.revision ?? 0n;
      await until("a sign of life", () => heard.progress >= known);
      t.same(heard.lines, ["/t/watch/a=1", "/t/watch/a=2", "/t/watch/a=3", "/t/watch/a- /t/watch/b=1"]);
      t.equal(heard.commits.at(-1)?.revision, both.revision);
      watch.close();
      await created("/t/watch/c", "1");
      await pause(50);
      t.equal(heard.commits.length, 4, "nothing after it was closed");
    },
  );

  await t.test("a watch from what is forgotten says so and ends", async (t) => {
    const start = await created("/t/old", "1");
    await created("/t/old2", "1");
    await created("/t/old3", "1");
    await compact();
    const heard = new Heard();
    a.watch("/t/", start - 1n, heard);
    await until("its end", () => heard.isCompacted);
    t.same(heard.commits, []);
    const { revision } = await a.list("/t/old");
    const next = new Heard();
    const watch = a.watch("/t/old", revision, next);
    await created("/t/old4", "1");
    await until("what is new", () => next.commits.length > 0);
    t.same(next.lines, ["/t/old4=1"]);
    watch.close();
  });

  await t.test("what is closed says that it is", async (t) => {
    await b.close();
    await t.rejects(b.get("/t/one"), StoreError);
    await t.rejects(b.get("/t/one"), { code: "closed" });
  });
}
