import t from "tap";
import { SecretBox } from "../../../src/auth/secret-box.ts";
import { SharedArchives } from "../../../src/cluster/shared/shared-archives.ts";
import { MemoryStore } from "../../../src/cluster/store/memory-store.ts";
import { FakeClock } from "../../fake-clock.ts";
import { until } from "../../support/until.ts";
import { Line } from "./nodes.ts";

const ARCHIVES = "/overlay-companion/archives/";

t.test("all nodes know where one archives and how it signs, for good and sealed", async (t) => {
  const clock = new FakeClock();
  const store = await MemoryStore.open(clock, null);
  const alive = new Set(["a", "b"]);
  const faults: unknown[] = [];
  const node = async (name: string, key = "k".repeat(32)) => {
    const line = new Line(store);
    const looks = new Set<() => void>();
    let changes = 0;
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
    });
    archives.whenChanged(() => {
      changes += 1;
    });
    t.teardown(() => archives.close());
    await archives.open();
    return { line, archives, changes: () => changes };
  };
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
