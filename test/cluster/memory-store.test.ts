import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { MemoryStore } from "../../src/cluster/store/memory-store.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { storeContract } from "./store-contract.ts";

t.test("in memory", async (t) => {
  const store = await MemoryStore.open(systemClock, null);
  await storeContract(t, { a: store, b: store, compact: async () => store.compact() });
});

t.test("with a file", async (t) => {
  const store = await MemoryStore.open(systemClock, join(t.testdir(), "shared.json"));
  await storeContract(t, { a: store, b: store, compact: async () => store.compact() });
});

t.test("what was answered is there after a restart, with its revisions", async (t) => {
  const path = join(t.testdir(), "shared.json");
  const store = await MemoryStore.open(systemClock, path);
  const first = await store.commit([{ kind: "create", key: "a", value: "1" }]);
  const second = await store.commit([{ kind: "create", key: "b", value: "2" }]);
  await store.commit([{ kind: "delete", key: "a", revision: first.revision }]);
  await store.close();
  t.equal(statSync(path).mode & 0o777, 0o600);
  const again = await MemoryStore.open(systemClock, path);
  const { entries, revision } = await again.list("b");
  t.same(entries, [{ key: "b", value: "2", revision: second.revision }]);
  t.equal(revision, 3n);
  t.match(await again.commit([{ kind: "update", key: "b", value: "3", revision: second.revision }]), {
    isDone: true,
    revision: 4n,
  });
});

t.test("two processes that write one file are found out, and nothing of the other is lost", async (t) => {
  const path = join(t.testdir(), "shared.json");
  const [one, two] = [await MemoryStore.open(systemClock, path), await MemoryStore.open(systemClock, path)];
  await one.commit([{ kind: "create", key: "a", value: "1" }]);
  await t.rejects(two.commit([{ kind: "create", key: "b", value: "1" }]), { code: "not_alone" });
  t.same((await MemoryStore.open(systemClock, path).then((store) => store.list("a"))).entries.length, 1);
});

t.test("a file of another kind is left as it is", async (t) => {
  const path = join(t.testdir(), "shared.json");
  writeFileSync(path, '{"revision": 5}');
  await t.rejects(MemoryStore.open(systemClock, path), { name: "FileError" });
  t.equal(readFileSync(path, "utf8"), '{"revision": 5}');
});
