import t from "tap";
import { until } from "../../support/until.ts";
import { ANN, openNodes } from "./nodes.ts";

const RECORDINGS = "/overlay-companion/recordings/";

t.test(
  "who has a desktop next goes on with what was recorded, and each says what is on its other side",
  async (t) => {
    const { clock, store, node, outcome, added } = await openNodes((error) => t.error(error));
    const a = node("a");
    await clock.live(2000, 20);
    const desktop = await added(a);
    const b = node("b");
    // Nothing is told to it by itself.
    b.line.deafTo = "/recordings/";
    await clock.live(2000, 20);
    t.equal(a.recordings.interrupted(desktop.id), null, "nothing was recorded");
    a.recorder.start(desktop.id, "a1");
    t.equal(a.recordings.interrupted(desktop.id), null, "it runs here");
    t.equal(await outcome(a.recordings.settled(desktop.id)), "done");
    const { entries } = await store.list(RECORDINGS);
    t.notMatch(entries[0]?.value, "Ann", "sealed");

    await outcome(a.fleet.drain("a", true));
    const [taken] = b.desktops.all;
    t.equal(taken?.id, desktop.id);
    const before = b.recordings.interrupted(desktop.id);
    t.match(before, { id: "a1", node: "a", reason: "manual", owner: { id: "h", name: "Ann" } });
    a.recorder.stop("a1", true);
    b.recorder.start(desktop.id, "b1", before);
    t.equal(await outcome(b.recordings.settled(desktop.id)), "done");
    b.line.deafTo = null;
    await b.recordings.refresh(desktop.id);
    const asA = { id: "a1", desktopId: desktop.id };
    const asB = { id: "b1", desktopId: desktop.id };
    await until("when the first ended is told", async () => {
      await clock.live(100, 20);
      await b.recordings.refresh(desktop.id);
      return b.recordings.around(asB).earlierEndedAt;
    });
    const parts = {
      earlierEndedAt: null,
      next: { id: "b1", node: "b", startedAt: b.recorder.startedAt("b1") },
    };
    t.same(a.recordings.around(asA), parts);
    t.same(b.recordings.around(asB), { earlierEndedAt: await a.recorder.endOf("a1"), next: null });

    b.recorder.stop("b1", false);
    t.equal(await outcome(b.recordings.settled(desktop.id)), "done");
    await outcome(a.fleet.drain("a", false));
    await outcome(b.fleet.drain("b", true));
    t.equal(a.desktops.all[0]?.id, desktop.id);
    t.equal(a.recordings.interrupted(desktop.id), null, "a person ended it: nothing goes on");
    a.recorder.start(desktop.id, "a2");
    t.equal(await outcome(a.recordings.settled(desktop.id)), "done");
    t.equal(a.recordings.around(asB).next, null, "one that was begun anew follows from none");
    t.same(a.recordings.around(asA), parts, "what came before it is still known");
    t.equal(await outcome(a.desktops.remove(desktop.id, ANN)), "done");
    t.same((await store.list(RECORDINGS)).entries, []);
    t.same([a.faults, b.faults], [[], []]);
  },
);

t.test("a node that died tells when its part ended once it is back", async (t) => {
  const { clock, node, outcome, added } = await openNodes((error) => t.error(error));
  const a = node("a");
  await clock.live(2000, 20);
  const desktop = await added(a);
  const b = node("b");
  await clock.live(2000, 20);
  a.recorder.start(desktop.id, "a1");
  t.equal(await outcome(a.recordings.settled(desktop.id)), "done");
  a.line.isCut = true;
  await clock.live(6000, 20);
  t.equal(b.desktops.all[0]?.id, desktop.id);
  const before = b.recordings.interrupted(desktop.id);
  t.match(before, { id: "a1", node: "a" });
  b.recorder.start(desktop.id, "b1", before);
  b.recorder.keep("b1", { id: "bob", name: "Bob" });
  t.equal(await outcome(b.recordings.settled(desktop.id)), "done");
  const asB = { id: "b1", desktopId: desktop.id };
  t.equal(b.recordings.around(asB).earlierEndedAt, null, "nobody knows yet");
  await clock.live(1000, 20);
  t.equal(b.recordings.around(asB).earlierEndedAt, null);

  // The next process of that node finds what the first one left.
  const again = node("a", undefined, { a1: a.recorder.stop("a1", true) });
  const told = await until("its end is told", async () => {
    await clock.live(100, 20);
    return b.recordings.around(asB).earlierEndedAt;
  });
  t.equal(told, await a.recorder.endOf("a1"));
  t.equal(again.recordings.around({ id: "a1", desktopId: desktop.id }).next?.node, "b");
  await outcome(b.fleet.drain("b", true));
  await clock.live(6000, 20);
  t.match(again.recordings.interrupted(desktop.id), {
    id: "b1",
    reason: "manual",
    owner: { id: "bob", name: "Bob" },
  });
});
