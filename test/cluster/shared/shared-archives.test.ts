import t, { type Test } from "tap";
import { SecretBox } from "../../../src/auth/secret-box.ts";
import { SharedArchives } from "../../../src/cluster/shared/shared-archives.ts";
import { MemoryStore } from "../../../src/cluster/store/memory-store.ts";
import { FakeClock } from "../../fake-clock.ts";
import { until } from "../../support/until.ts";
import { Line } from "./nodes.ts";

const ARCHIVES = "/overlay-companion/archives/";

/** Nodes over one store; `alive` says which are there. */
async function openNodes(t: Test) {
  const clock = new FakeClock();
  const store = await MemoryStore.open(clock, null);
  const alive = new Set(["a", "b"]);
  const faults: unknown[] = [];
  const looks = new Set<() => void>();
  const node = async (name: string, key = "k".repeat(32)) => {
    const line = new Line(store);
    let changes = 0;
    const sharing: string[] = [];
    const archives = new SharedArchives({
      ...{ store: line.store, clock, sealer: SecretBox.by(key), onFailed: (error) => t.error(error) },
      fleet: {
        name,
        get nodes() {
          return [...alive].map((one) => ({ name: one }));
        },
        whenChanged(look) {
          looks.add(look);
          return () => looks.delete(look);
        },
      },
      onFault: (error) => faults.push(error),
      onSharing: (other, { prefix }) => sharing.push(`${other} ${prefix}`),
    });
    archives.whenChanged(() => {
      changes += 1;
    });
    t.teardown(() => archives.close());
    await archives.open();
    return { line, archives, sharing, changes: () => changes };
  };
  /** Who is there is others, and each node sees it. */
  const change = (...names: readonly string[]): void => {
    alive.clear();
    for (const name of names) alive.add(name);
    for (const look of [...looks]) look();
  };
  return { clock, store, alive, faults, node, change };
}

t.test("all nodes know where one archives and how it signs, for good and sealed", async (t) => {
  const { clock, store, alive, faults, node } = await openNodes(t);
  const a = await node("a");
  const b = await node("b");
  const first = { place: "https://s3.example/desks", prefix: "of/a/", publicKey: "one" };
  a.line.isCut = true;
  a.archives.tell(first);
  await clock.live(6000, 100);
  t.same(b.archives.of("a"), []);
  a.line.isCut = false;
  await clock.live(20_000, 100);
  await until("it is told again", async () => b.archives.of("a").length > 0);
  t.same(b.archives.of("a"), [first]);
  t.ok(b.changes() > 0);
  // Its folder was lost, and it has another key from now on.
  const second = { ...first, publicKey: "two" };
  a.archives.tell(second);
  await until("the second key", async () => {
    await clock.live(100, 20);
    return b.archives.of("a").length > 1;
  });
  a.archives.tell(second);
  await clock.live(1000, 100);
  t.same(b.archives.of("a"), [first, second], "each once, what it made before can still be told");
  t.same(b.archives.gone, []);
  alive.delete("a");
  t.same(b.archives.gone, ["a"]);
  alive.clear();
  t.same(b.archives.gone, [], "who does not know who is there takes nobody for gone");
  const { entries } = await store.list(ARCHIVES);
  t.match(entries, [{ key: `${ARCHIVES}a` }]);
  t.notMatch(entries[0]?.value, "of/a", "sealed");
  const stranger = await node("c", "x".repeat(32));
  t.same(stranger.archives.of("a"), [], "by who has another key nothing of it is believed");
  t.same(faults, []);
});

t.test("a node that archives below the prefix of another one that is there says so, once", async (t) => {
  const { clock, node, change } = await openNodes(t);
  const place = "https://s3.example/desks";
  const a = await node("a");
  const b = await node("b");
  const tell = async (one: typeof a, prefix: string, publicKey: string, where = place): Promise<void> => {
    one.archives.tell({ place: where, prefix, publicKey });
    await until("it is told", async () => {
      await clock.live(100, 20);
      return [a, b].every(({ archives }) => {
        const last = archives.of(one === a ? "a" : "b").at(-1);
        return last?.place === where && last.prefix === prefix && last.publicKey === publicKey;
      });
    });
  };
  await tell(a, "of/a/", "one");
  await tell(b, "of/b/", "two");
  await tell(b, "of/a/", "two", "https://s3.example/others");
  t.same([a.archives.sharing, b.archives.sharing], [[], []]);
  await tell(b, "of/a/", "two");
  t.same([a.archives.sharing, b.archives.sharing], [["b"], ["a"]]);
  await tell(b, "of/b/", "two");
  t.same([a.archives.sharing, b.archives.sharing], [[], []], "what it told before counts no longer");
  await tell(b, "of/a/", "two");
  t.same([a.sharing, b.sharing], [["b of/a/"], ["a of/a/"]], "said once, by each of both");
  change("a");
  t.same(a.archives.sharing, [], "who is gone shares nothing: another may go on there");
  change("a", "b");
  t.same(a.archives.sharing, ["b"]);
  await tell(b, "of/a/", "one");
  t.same(a.archives.sharing, [], "this server, under the name that it had before");
  t.same(a.sharing, ["b of/a/"]);
});

t.test("a node that comes where another one archives is said when it is there", async (t) => {
  const { clock, node, change } = await openNodes(t);
  change("a");
  const own = { place: "https://s3.example/desks", prefix: "", publicKey: "one" };
  const [a, b] = [await node("a"), await node("b")];
  a.archives.tell(own);
  b.archives.tell({ ...own, publicKey: "two" });
  await until("it is told", async () => {
    await clock.live(100, 20);
    return a.archives.of("b").length > 0;
  });
  t.same(a.sharing, []);
  change("a", "b");
  t.same(a.sharing, ["b "]);
});
