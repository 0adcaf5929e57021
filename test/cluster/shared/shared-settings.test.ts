import t from "tap";
import { RefusedError } from "../../../src/desktop/error.ts";
import { ANN, openNodes } from "./nodes.ts";

t.test("what people set holds on the next node, from its first moment on", async (t) => {
  const { clock, store, node, outcome, added } = await openNodes((error) => t.error(error));
  const a = node("a");
  await clock.live(2000, 20);
  const desktop = await added(a);
  const b = node("b");
  // Nothing is told to it by itself.
  b.line.deafTo = "/settings/";
  await clock.live(2000, 20);
  desktop.setMode("custom", ANN, { pointer: "deny" });
  desktop.setMode("passive", { ...ANN, authority: "modes" });
  desktop.stop(ANN);
  t.equal(await outcome(a.settings.settled(desktop.id)), "done");
  const { entries } = await store.list("/overlay-companion/settings/");
  t.equal(entries.length, 1);
  t.notMatch(entries[0]?.value, "passive", "sealed");

  await outcome(a.fleet.drain("a", true));
  const [taken] = b.desktops.all;
  t.match(taken?.modeState(), {
    ...{ mode: "passive", rules: null, limits: { pointer: "deny" } },
    freedBy: null,
  });
  t.equal(taken?.isStopped, true);
  taken?.resume(ANN);
  taken?.setMode("autopilot", ANN);
  t.equal(await outcome(b.settings.settled(desktop.id)), "done");
  await outcome(a.fleet.drain("a", false));
  await outcome(b.fleet.drain("b", true));
  const [back] = a.desktops.all;
  t.match(back?.modeState(), { mode: "autopilot", limits: null, freedBy: { id: "h", name: "Ann" } });
  t.equal(back?.isStopped, false);
  t.equal(await outcome(a.desktops.remove(desktop.id, ANN)), "done");
  t.same((await store.list("/overlay-companion/settings/")).entries, []);
  t.same([a.faults, b.faults], [[], []]);
});

t.test("what could not be kept is said, and what cannot be read frees nobody", async (t) => {
  const { clock, node, outcome, added } = await openNodes((error) => t.error(error));
  const a = node("a");
  await clock.live(2000, 20);
  const desktop = await added(a);
  a.settings.check(desktop.id);
  desktop.setMode("autopilot", ANN);
  t.equal(await outcome(a.settings.settled(desktop.id)), "done");
  a.line.isCut = true;
  desktop.stop(ANN);
  const told = await outcome(a.settings.settled(desktop.id), 9000);
  t.match(told, { code: "not_held" });
  t.ok(told instanceof RefusedError);
  t.equal(desktop.isStopped, true, "a stop holds where it can");
  t.match(a.faults, [{ code: "not_held" }]);
  t.throws(() => a.settings.check(desktop.id), { code: "not_held" }, "nothing else is set meanwhile");

  const stranger = node("c", "x".repeat(32));
  await clock.live(1000, 20);
  t.same(stranger.settings.first(desktop.id, { mode: "autopilot" }), { mode: "passive" });
});
