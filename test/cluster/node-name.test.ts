import t from "tap";
import { StoreError } from "../../src/cluster/error.ts";
import { LEASE_TIMING } from "../../src/cluster/lease/lease.ts";
import { FleetNode } from "../../src/cluster/nodes/fleet-node.ts";
import { endDead } from "../../src/cluster/nodes/node-name.ts";
import { MemoryStore } from "../../src/cluster/store/memory-store.ts";
import type { ClusterStore } from "../../src/cluster/store/store.ts";
import { FakeClock } from "../fake-clock.ts";

const PREFIX = "/oc/";

async function house() {
  const clock = new FakeClock();
  const store = await MemoryStore.open(clock, null);
  let ids = 0;
  const start = (name: string) => {
    const line = { isCut: false };
    const reach = (): ClusterStore => {
      if (line.isCut) throw new StoreError("unavailable", "cut");
      return store;
    };
    const errors: StoreError[] = [];
    const node = new FleetNode({
      store: {
        commit: async (changes) => reach().commit(changes),
        get: async (key) => reach().get(key),
        list: async (prefix) => reach().list(prefix),
        watch: (...args) => store.watch(...args),
        close: async () => undefined,
      },
      ...{ clock, timing: LEASE_TIMING, prefix: PREFIX, name, newId: () => `id-${++ids}` },
      leaseClock: { monotonicMs: () => clock.nowMs(), bootMs: () => clock.nowMs() },
      address: () => `http://${name}.test`,
      offer: () => ({ cores: 4, memoryMib: 4000, links: 8, zones: ["z"], isDraining: false }),
      handOver: async () => undefined,
      onFailed: (error) => errors.push(error),
    });
    node.start();
    return { node, line, errors };
  };
  const keys = async () => (await store.list(PREFIX)).entries.map(({ key }) => key);
  return { clock, store, start, keys };
}

t.test("a second node of one name takes no lease, and is told why", async (t) => {
  const { clock, start, keys } = await house();
  const first = start("a");
  await clock.live(2000, 20);
  const second = start("a");
  await clock.live(6000, 20);
  t.equal(second.node.id, null);
  t.match(second.errors[0], { code: "not_alone", message: /called a and lives, at http:\/\/a\.test/ });
  t.ok(first.node.remainingMs > 0, "the first one has what it had");
  t.equal(first.errors.length, 0);
  await first.node.close();
  await clock.live(1000, 20);
  t.ok(second.node.remainingMs > 0, "it takes the place of one that ended, without waiting");
  await second.node.close();
  t.same(await keys(), [], "nothing is left of either");
});

t.test("two that start at once: one has the name", async (t) => {
  const { clock, start } = await house();
  const both = [start("a"), start("a")];
  await clock.live(5000, 20);
  t.equal(both.filter(({ node }) => node.remainingMs > 0).length, 1);
  t.equal(both.filter(({ errors }) => errors[0]?.code === "not_alone").length, 1);
});

t.test("one that died is followed once its lease is over, and finds its place taken", async (t) => {
  const { clock, start } = await house();
  const first = start("a");
  await clock.live(2000, 20);
  const { id } = first.node;
  first.line.isCut = true;
  const next = start("a");
  await clock.live(2500, 20);
  t.equal(next.node.id, null, "it may live yet");
  await clock.live(2500, 20);
  t.ok(next.node.remainingMs > 0);
  t.same(next.errors, []);
  t.equal(
    next.node.nodes.some((node) => node.id === id),
    false,
  );
  first.line.isCut = false;
  await clock.live(3000, 20);
  t.match(first.errors[0], { code: "not_alone" });
  t.equal(first.node.remainingMs, 0);
});

t.test("one that is surely dead is ended at once, with its name", async (t) => {
  const { clock, store, start, keys } = await house();
  const dead = start("a");
  await clock.live(2000, 20);
  const id = dead.node.id ?? "";
  dead.line.isCut = true;
  await endDead(store, PREFIX, id);
  t.same(await keys(), []);
  await endDead(store, PREFIX, id);
  const next = start("a");
  await clock.live(200, 20);
  t.ok(next.node.remainingMs > 0);
});
