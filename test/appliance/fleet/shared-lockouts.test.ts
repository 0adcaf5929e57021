import t from "tap";
import { SharedLockouts } from "../../../src/appliance/fleet/shared-lockouts.ts";
import { Lockout } from "../../../src/auth/lockout.ts";
import { SecretBox } from "../../../src/auth/secret-box.ts";
import { MemoryStore } from "../../../src/cluster/store/memory-store.ts";
import { Line } from "../../cluster/shared/nodes.ts";
import { FakeClock } from "../../fake-clock.ts";

const KEYS = "/overlay-companion/lockouts/";
const EVE = "192.0.2.7";
const MINUTE_MS = 60_000;

async function openNodes(onBug: (error: unknown) => void) {
  const clock = new FakeClock();
  const store = await MemoryStore.open(clock, null);
  const node = async (key = "k".repeat(32)) => {
    const line = new Line(store);
    const faults: unknown[] = [];
    const shared = new SharedLockouts({
      ...{ store: line.store, clock, sealer: SecretBox.by(key), onFailed: onBug },
      onFault: (error) => faults.push(error),
    });
    await shared.open();
    await clock.live(10);
    const lockout = new Lockout(clock, shared.of("sign-in"));
    /** So many guesses in a row; the wait that the last one brought, in seconds. */
    const fail = (times: number, address = EVE): number => {
      let waitMs = 0;
      for (let nth = 0; nth < times; nth++) waitMs = lockout.fail(address);
      return waitMs / 1000;
    };
    return { line, shared, lockout, fail, faults };
  };
  const entries = async () => (await store.list(KEYS)).entries;
  return { clock, store, node, entries };
}

t.test("wrong guesses at one node count at all, and lock them all", async (t) => {
  const { clock, node, entries } = await openNodes((error) => t.error(error));
  const [a, b, c] = [await node(), await node(), await node()];
  t.equal(a.fail(2), 0);
  t.equal(b.fail(2), 0);
  await clock.live(1100);
  t.equal(c.lockout.waitMs(EVE), 0);
  t.equal(c.fail(1), 10, "the fifth, though the first here");
  await clock.live(20);
  for (const { lockout } of [a, b, c]) {
    const waitMs = lockout.waitMs(EVE);
    t.ok(waitMs > 9900 && waitMs <= 10_000, `got a wait of ${waitMs} ms`);
    t.equal(lockout.waitMs("192.0.2.8"), 0, "others may try");
  }
  const late = await node();
  t.ok(late.lockout.waitMs(EVE) > 9900, "also at one that comes later");
  await clock.live(10_100);
  t.equal(a.lockout.waitMs(EVE), 0);
  t.equal(a.fail(1), 20);
  await clock.live(1100);
  t.ok(b.lockout.waitMs(EVE) > 18_000);
  t.equal(new Lockout(clock, b.shared.of("vnc")).waitMs(EVE), 0, "guesses at something else");
  const [stored] = await entries();
  t.notMatch(`${stored?.key} ${stored?.value}`, /192\.0|failures/, "neither whose nor how many");
});

t.test("guesses at all nodes at once are all counted", async (t) => {
  const { clock, node } = await openNodes((error) => t.error(error));
  const [a, b, c] = [await node(), await node(), await node()];
  for (const { fail } of [a, b, c]) t.equal(fail(4), 0, "nobody has heard of the others");
  await clock.live(1100);
  for (const { lockout } of [a, b, c]) {
    t.ok(lockout.waitMs(EVE) > 200_000, "twelve: the longest of waits");
  }
});

t.test("the right OC_TOKEN clears them at all nodes, and what is quiet is forgotten", async (t) => {
  const { clock, store, node, entries } = await openNodes((error) => t.error(error));
  const [a, b] = [await node(), await node()];
  a.fail(4);
  await clock.live(1100);
  b.lockout.succeed(EVE);
  t.equal(b.fail(1), 0, "at once where it was right");
  await clock.live(1100);
  t.equal(a.fail(3), 0, "four with that one");
  await clock.live(1100);
  t.equal(b.fail(1), 10);
  await clock.live(1100);
  b.lockout.succeed(EVE);
  await clock.live(1100);
  const { revision } = await store.list(KEYS);
  for (let nth = 0; nth < 100; nth++) {
    b.lockout.succeed(EVE);
    await clock.live(100);
  }
  t.equal((await store.list(KEYS)).revision, revision, "who is right again and again writes nothing");

  a.fail(6);
  await clock.live(1100);
  await clock.live(15 * MINUTE_MS + 21_000, 1000);
  t.equal(b.fail(1), 0, "a quarter of an hour after the wait");
  await clock.live(1100);
  t.equal(a.fail(3), 0);
  await clock.live(1100);
  t.equal((await entries()).length, 1);
  await clock.live(22 * MINUTE_MS, 1000);
  t.same(await entries(), [], "deleted, by whoever looks");
});

t.test("as many as were forgotten are told of anew", async (t) => {
  const { clock, node } = await openNodes((error) => t.error(error));
  const [a, b] = [await node(), await node()];
  a.fail(3);
  await clock.live(16 * MINUTE_MS, 5000);
  t.equal(a.fail(3), 0);
  await clock.live(1100);
  t.equal(b.fail(2), 10);
});

t.test("a flood of guesses is none of writes", async (t) => {
  const { clock, store, node, entries } = await openNodes((error) => t.error(error));
  const [a, b] = [await node(), await node()];
  const revision = async () => (await store.list(KEYS)).revision;
  const before = await revision();
  for (let second = 0; second < 10; second++) {
    for (let nth = 0; nth < 2000; nth++) a.lockout.fail(`10.${second}.${nth >> 8}.${nth & 255}`);
    if (second === 8) a.fail(4);
    await clock.live(1000, 50);
  }
  const writes = Number((await revision()) - before);
  t.ok(writes > 400 && writes <= 550, `got ${writes} writes of 20,000 guesses`);
  t.equal(b.fail(1), 10, "who guesses most is told of first");
  t.ok((await entries()).length <= 550);
});

t.test("one address writes once a second at most", async (t) => {
  const { clock, store, node } = await openNodes((error) => t.error(error));
  const a = await node();
  for (let nth = 0; nth < 100; nth++) {
    a.fail(1);
    await clock.live(50, 10);
  }
  const { revision } = await store.list(KEYS);
  t.ok(revision >= 5n && revision <= 6n, `got ${revision} writes in 5 s`);
});

t.test("where the store does not answer a node goes on by what it knows, and tells it after", async (t) => {
  const { clock, node } = await openNodes((error) => t.error(error));
  const [a, b] = [await node(), await node()];
  a.fail(2);
  await clock.live(1100);
  b.line.isCut = true;
  t.equal(b.fail(2), 0);
  await clock.live(8000, 50);
  t.equal(b.fail(1), 10, "with the two of before");
  t.match(b.faults, [{ code: "not_held" }], "told once");
  t.equal(a.lockout.waitMs(EVE), 0);
  await clock.live(8000, 50);
  b.line.isCut = false;
  await clock.live(7000, 50);
  t.equal(a.fail(1), 20, "the sixth of all");
  t.equal(b.faults.length, 1);
});

t.test("what was counted under another key counts here alone", async (t) => {
  const { clock, node } = await openNodes((error) => t.error(error));
  const [a, stranger] = [await node(), await node("x".repeat(32))];
  a.fail(5);
  await clock.live(1100);
  t.equal(stranger.lockout.waitMs(EVE), 0);
  t.equal(stranger.fail(4), 0);
  await clock.live(3000);
  t.equal(stranger.fail(1), 10);
  t.same(stranger.faults, []);
});
