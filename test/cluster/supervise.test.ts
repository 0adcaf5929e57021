import { PassThrough } from "node:stream";
import t from "tap";
import { LEASE_TIMING } from "../../src/cluster/lease/lease.ts";
import { nameKey, nodeKey } from "../../src/cluster/nodes/node-name.ts";
import { MemoryStore } from "../../src/cluster/store/memory-store.ts";
import { supervise } from "../../src/cluster/supervisor/supervise.ts";
import { FakeClock } from "../fake-clock.ts";

const PREFIX = "/oc/";
const SERVER = 4711;

/** The lease of a server in the store, and a supervisor that was told of it. */
async function watched(parent = SERVER) {
  const clock = new FakeClock();
  const store = await MemoryStore.open(clock, null);
  const record = {
    ...{ id: "id-1", nth: 1, name: "a", address: "http://a.test", leaseMs: LEASE_TIMING.leaseMs },
    offer: { cores: 1, memoryMib: 1, links: 1, zones: ["z"], isDraining: false },
  };
  await store.commit([
    { kind: "create", key: nodeKey(PREFIX, "id-1"), value: JSON.stringify(record) },
    { kind: "create", key: nameKey(PREFIX, "a"), value: "id-1" },
  ]);
  const input = new PassThrough();
  const kernel = { parent };
  const given = supervise({
    ...{ input, clock, parentPid: () => kernel.parent },
    open: () => ({
      get: (key) => store.get(key),
      commit: (changes) => store.commit(changes),
      close: async () => undefined,
    }),
  });
  const say = (words: object): void => void input.write(`${JSON.stringify(words)}\n`);
  say({
    ...{ pid: SERVER, endpoints: ["https://e.test:2379"], tls: { ca: "", cert: null, key: null } },
    ...{ login: null, prefix: PREFIX, timing: LEASE_TIMING, logLevel: "silent" },
  });
  say({ lease: "id-1" });
  await clock.live(100, 5);
  const keys = async () => (await store.list(PREFIX)).entries.map(({ key }) => key);
  return { clock, input, kernel, given, keys };
}

t.test("the leases of a server that died are given back, with its name, after their margin", async (t) => {
  const { clock, input, kernel, given, keys } = await watched();
  // What it wrote last is half a line.
  input.end('{"lease":"id-');
  await clock.live(100, 2);
  kernel.parent = 1;
  await clock.live(LEASE_TIMING.marginMs - 100, 2);
  t.same((await keys()).length, 2, "what it sent last is under way");
  await clock.live(200, 2);
  t.match(await given, { ended: 1 });
  t.same(await keys(), []);
});

t.test("those of a server that closed the pipe and lives stay", async (t) => {
  const { clock, input, given, keys } = await watched();
  input.end();
  await clock.live(LEASE_TIMING.leaseMs + 1000, 10);
  t.equal(await given, null);
  t.same((await keys()).length, 2);
});

t.test("one that is not the child of who charges it can tell of no death", async (t) => {
  const { input, kernel, given, keys } = await watched(1);
  t.equal(await given, null);
  kernel.parent = 2;
  input.end();
  t.same((await keys()).length, 2);
});
