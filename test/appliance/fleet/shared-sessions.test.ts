import t from "tap";
import { SharedSessions } from "../../../src/appliance/fleet/shared-sessions.ts";
import { SecretBox } from "../../../src/auth/secret-box.ts";
import { Sessions } from "../../../src/auth/sessions.ts";
import { MemoryStore } from "../../../src/cluster/store/memory-store.ts";
import { Line } from "../../cluster/shared/nodes.ts";
import { FakeClock } from "../../fake-clock.ts";

const ANN = { id: "tok", name: "Ann", role: "operator", desktops: ["d1"] } as const;
const KEYS = "/overlay-companion/sessions/";
const HOUR_MS = 3_600_000;

async function openNodes(onBug: (error: unknown) => void) {
  const clock = new FakeClock();
  const store = await MemoryStore.open(clock, null);
  const there = new Set<string>();
  const looks = new Set<() => void>();
  const see = (name: string, isThere: boolean): void => {
    if (isThere) there.add(name);
    else there.delete(name);
    for (const look of looks) look();
  };
  const offer = { cores: 1, memoryMib: 1, links: 1, zones: ["z"], isDraining: false };
  const node = async (name: string, ownToken: string | null = null) => {
    const line = new Line(store);
    const faults: unknown[] = [];
    const shared = new SharedSessions({
      ...{ store: line.store, clock, sealer: SecretBox.by("k".repeat(32)), ownToken, onFailed: onBug },
      fleet: {
        name,
        get nodes() {
          const of = (one: string) => ({ id: `${one}-1`, nth: 1, name: one, address: "", calls: null });
          return [...there].map((one) => ({ ...of(one), leaseMs: 3500, offer }));
        },
        whenChanged(look) {
          looks.add(look);
          return () => looks.delete(look);
        },
      },
      onFault: (error) => faults.push(error),
    });
    await shared.open();
    see(name, true);
    const sessions = await Sessions.open(clock, shared);
    const ends: string[] = [];
    sessions.whenEnded(() => ends.push(name));
    return { line, shared, sessions, faults, ends };
  };
  return { clock, store, node, see };
}

t.test("who signs in at one node is signed in at all, and out of all", async (t) => {
  const { clock, store, node } = await openNodes((error) => t.error(error));
  const [a, b] = [await node("a"), await node("b")];
  const id = a.sessions.open(ANN);
  await a.sessions.flush();
  t.match(b.sessions.find(id), ANN);
  t.equal(b.sessions.find(`${id}x`), null);
  const { entries } = await store.list(KEYS);
  t.equal(entries.length, 1);
  t.notMatch(
    JSON.stringify(entries, (_, value) => (typeof value === "bigint" ? `${value}` : value)),
    id,
  );
  const late = await node("c");
  t.match(late.sessions.find(id), ANN, "also at one that comes later");

  b.sessions.end(id);
  await b.sessions.flush();
  await clock.live(10);
  for (const { sessions } of [a, b, late]) t.equal(sessions.find(id), null);
  t.same([a.ends, late.ends], [["a"], ["c"]], "open sockets are told");
  t.same((await store.list(KEYS)).entries, []);
  t.equal(a.sessions.fate(id), "ended");
  t.same([a.faults, b.faults, late.faults], [[], [], []]);
});

t.test("use at one node keeps a session open at all, until its absolute end", async (t) => {
  const { clock, node } = await openNodes((error) => t.error(error));
  const [a, b] = [await node("a"), await node("b")];
  const id = a.sessions.open(ANN);
  await a.sessions.flush();
  for (let hours = 0; hours < 11; hours += 0.75) {
    await clock.live(0.75 * HOUR_MS, HOUR_MS);
    t.ok(b.sessions.find(id), `after ${hours + 0.75} hours`);
    await b.sessions.flush();
  }
  t.ok(a.sessions.find(id), "never used there since it was opened");
  await clock.live(HOUR_MS, HOUR_MS);
  for (const { sessions } of [a, b]) t.equal(sessions.find(id), null);
});

t.test(
  "one that is ended while the store is away is over here at once, and elsewhere when it is back",
  async (t) => {
    const { clock, node } = await openNodes((error) => t.error(error));
    const [a, b] = [await node("a"), await node("b")];
    const id = a.sessions.open(ANN);
    await a.sessions.flush();
    a.line.isCut = true;
    a.sessions.end(id);
    t.equal(a.sessions.find(id), null);
    // Its use elsewhere does not open it here again.
    await clock.live(70_000, 1000);
    t.ok(b.sessions.find(id));
    await b.sessions.flush();
    a.line.isCut = false;
    await clock.live(5000, 100);
    t.equal(a.sessions.find(id), null);
    t.equal(b.sessions.find(id), null);
    t.match(a.faults[0], { code: "not_held" });
    a.line.isCut = true;
    const alone = a.sessions.open(ANN);
    await clock.live(10_000, 100);
    t.ok(a.sessions.find(alone), "and one that is opened counts where it was");
    t.equal(b.sessions.find(alone), null);
  },
);

t.test("one of a provider counts elsewhere while the node is there that asks about it", async (t) => {
  const { clock, node, see } = await openNodes((error) => t.error(error));
  const [a, b] = [await node("a"), await node("b")];
  const id = a.sessions.open(ANN);
  a.sessions.handle(id).prove({ refreshToken: "secret" });
  await a.sessions.flush();
  await clock.live(10);
  t.ok(b.sessions.find(id));
  see("a", false);
  t.equal(b.sessions.find(id), null);
  t.same(b.ends, ["b"]);
  const again = await node("a");
  t.equal(again.sessions.find(id), null, "nobody judged it yet");
  const proofs: unknown[] = [];
  again.sessions.takeBack(({ proof }) => {
    proofs.push(proof);
    return true;
  });
  t.same(proofs, [{ refreshToken: "secret" }]);
  t.ok(again.sessions.find(id));
  t.ok(b.sessions.find(id), "its node is back");
  again.sessions.end(id);
  await again.sessions.flush();
  t.equal(b.sessions.find(id), null);
});

t.test("who is told by a provider that sessions are over ends those of all nodes", async (t) => {
  const { clock, store, node, see } = await openNodes((error) => t.error(error));
  const [a, b, c] = [await node("a"), await node("b"), await node("c")];
  const open = (at: typeof a, sid: string | null): string => {
    const id = at.sessions.open(ANN);
    if (sid !== null) at.sessions.handle(id).prove({ sid });
    return id;
  };
  const [one, other, own, plain] = [open(a, "s1"), open(b, "s2"), open(c, "s1"), open(a, null)];
  for (const { sessions } of [a, b, c]) await sessions.flush();
  await clock.live(10);
  const isOver = (proof: unknown): boolean => JSON.stringify(proof) === '{"sid":"s1"}';
  see("a", false);
  t.equal(c.sessions.find(one), null, "its node is away, which alone asks about it");
  t.same(await c.sessions.endElsewhere(isOver), [ANN], "its own are not among them");
  t.same(await c.sessions.endElsewhere(isOver), [], "once");
  await c.sessions.flush();
  see("a", true);
  await clock.live(10);
  for (const { sessions } of [a, b, c]) {
    t.equal(sessions.find(one), null);
    for (const id of [other, own, plain]) t.ok(sessions.find(id));
  }
  t.equal((await store.list(KEYS)).entries.length, 3);

  c.line.isCut = true;
  t.same(await c.sessions.endElsewhere((proof) => JSON.stringify(proof) === '{"sid":"s2"}'), [ANN]);
  t.equal(c.sessions.find(other), null, "here at once");
  await clock.live(10_000, 100);
  t.ok(b.sessions.find(other));
  c.line.isCut = false;
  await clock.live(5000, 100);
  t.equal(b.sessions.find(other), null, "there as soon as the store answers");
});

t.test("one of OC_TOKEN opens only nodes that have the same", async (t) => {
  const { node } = await openNodes((error) => t.error(error));
  const [a, b] = [await node("a", "first-own-token-"), await node("b", "other-own-token-")];
  const same = await node("c", "first-own-token-");
  const id = a.sessions.open({ id: "oc_token", name: "OC_TOKEN", role: "admin" });
  await a.sessions.flush();
  t.equal(b.sessions.find(id), null);
  t.ok(same.sessions.find(id));
});
