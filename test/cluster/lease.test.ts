import t from "tap";
import { StoreError } from "../../src/cluster/error.ts";
import { LEASE_TIMING, Lease } from "../../src/cluster/lease/lease.ts";
import { leastPassedMs, momentOf, mostPassedMs } from "../../src/cluster/lease/lease-clock.ts";
import { Holder } from "../../src/cluster/nodes/holder.ts";
import { MemoryStore } from "../../src/cluster/store/memory-store.ts";
import type { Change } from "../../src/cluster/store/store.ts";
import { FakeClock } from "../fake-clock.ts";

const SURE_MS = LEASE_TIMING.leaseMs - LEASE_TIMING.marginMs;

async function taken() {
  const clock = new FakeClock();
  const sleep = { ms: 0 };
  const leaseClock = { monotonicMs: () => clock.nowMs(), bootMs: () => clock.nowMs() + sleep.ms };
  const store = await MemoryStore.open(clock, null);
  const line = { loses: "nothing" as "nothing" | "request" | "answer", tookMs: 0 };
  const commit = async (changes: readonly Change[]) => {
    if (line.loses === "request") throw new StoreError("outcome_unknown", "lost");
    const outcome = await store.commit(changes);
    clock.advance(line.tookMs);
    if (line.loses === "answer") throw new StoreError("outcome_unknown", "lost");
    return outcome;
  };
  const lease = new Lease({
    ...{ store: { commit }, clock, leaseClock, key: "lease", timing: LEASE_TIMING },
    recordOf: (nth) => `me ${nth}`,
  });
  await lease.take();
  return { clock, sleep, leaseClock, store, line, lease };
}

t.test("a lease is sure from when its renewal was sent, not from when it was answered", async (t) => {
  const { clock, line, lease } = await taken();
  t.equal(lease.remainingMs, SURE_MS);
  clock.advance(1000);
  line.tookMs = 700;
  t.equal(await lease.renew(), true);
  t.equal(lease.remainingMs, SURE_MS - 700);
  clock.advance(SURE_MS - 701);
  t.equal(lease.remainingMs, 1);
  clock.advance(1);
  t.equal(lease.remainingMs, 0);
});

t.test("the time that a machine slept counts, and a clock that went back proves nothing", async (t) => {
  const { sleep, leaseClock, lease } = await taken();
  const moment = momentOf(leaseClock);
  sleep.ms = 2000;
  t.equal(lease.remainingMs, SURE_MS - 2000);
  t.equal(mostPassedMs(leaseClock, moment), 2000);
  t.equal(leastPassedMs(leaseClock, moment), 0, "others get what this machine did not see");
  sleep.ms = -1000;
  t.equal(lease.remainingMs, 0);
});

t.test(
  "a clock that went back is not believed when it is as far again, but after the next renewal",
  async (t) => {
    const { clock, sleep, lease } = await taken();
    sleep.ms = -10_000;
    t.equal(lease.remainingMs, 0);
    clock.advance(10_000);
    t.equal(lease.remainingMs, 0, "ten seconds passed, and by the clock none");
    t.equal(await lease.renew(), true);
    t.equal(lease.remainingMs, SURE_MS);
  },
);

t.test("a renewal that was done and not answered is known again, from when it was first sent", async (t) => {
  const { clock, line, lease, store } = await taken();
  clock.advance(500);
  line.loses = "answer";
  t.equal(await lease.renew(), false);
  t.equal(lease.remainingMs, SURE_MS - 500);
  clock.advance(1000);
  line.loses = "nothing";
  t.equal(await lease.renew(), true);
  t.equal(lease.remainingMs, SURE_MS - 1000);
  t.equal((await store.get("lease"))?.value, "me 2", "and was not done again");
  line.loses = "request";
  t.equal(await lease.renew(), false);
  clock.advance(1000);
  line.loses = "nothing";
  t.equal(await lease.renew(), true);
  t.equal(lease.remainingMs, SURE_MS, "what was done only now is sure from now");
});

t.test("a lease that others ended is lost for good, and one that is given back too", async (t) => {
  const { store, lease } = await taken();
  await store.commit([{ kind: "delete", key: "lease", revision: lease.revision }]);
  t.equal(await lease.renew(), false);
  t.same([lease.isLost, lease.remainingMs], [true, 0]);
  t.equal(await lease.renew(), false);
  const other = await taken();
  await other.lease.release();
  t.same([other.lease.remainingMs, await other.store.get("lease")], [0, null]);
});

t.test("a holder sends under its newest fence, while its lease is sure, until it leaves", (t) => {
  const lease = { remainingMs: 1000 };
  const holder = new Holder(lease);
  t.equal(holder.inputFence("d"), null);
  holder.assign("d", 5n);
  t.equal(holder.inputFence("d"), 5n);
  lease.remainingMs = 0;
  t.equal(holder.inputFence("d"), null);
  lease.remainingMs = 1;
  t.equal(holder.inputFence("d"), 5n);
  holder.leave("d");
  holder.assign("d", 5n);
  t.equal(holder.inputFence("d"), null, "what was left does not come back by a late word");
  holder.assign("d", 7n);
  holder.assign("d", 6n);
  t.equal(holder.inputFence("d"), 7n);
  t.same(holder.held, ["d"]);
  t.end();
});
