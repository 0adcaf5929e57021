import t from "tap";
import { EVERYWHERE } from "../../../src/desktop/masks/mask.ts";
import { maskOf } from "../../../src/desktop/masks/mask-on-wire.ts";
import { ANN, openNodes } from "./nodes.ts";

const rect = (x: number) =>
  maskOf({ rect: { x, y: 0, width: 9, height: 9 }, audiences: ["agent", "viewer", "recording"] });

t.test("a mask is there from the first moment on that the next node has the desktop", async (t) => {
  const { clock, node, outcome, added } = await openNodes((error) => t.error(error));
  const a = node("a");
  await clock.live(2000, 20);
  const desktop = await added(a);
  const b = node("b");
  // Nothing of what others hide is told to it by itself.
  b.line.deafTo = "/masks/";
  await clock.live(2000, 20);
  const made = await Promise.all([1, 2].map((x) => outcome(desktop.masks.hide(rect(x), null, ANN))));
  t.match(made, [{ places: [], state: "fixed" }, { state: "fixed" }], "two at once, each kept");

  const first: unknown[] = [];
  b.desktops.on(({ type, desktop: taken }) => {
    if (type === "added") first.push(taken.masks.kept.map(({ id }) => id).sort());
  });
  await outcome(a.fleet.drain("a", true));
  t.same(a.desktops.all, []);
  t.same(first, [desktop.masks.kept.map(({ id }) => id).sort()], "before it connects");
  const [taken] = b.desktops.all;
  t.equal(taken?.id, desktop.id);

  const [id = ""] = taken?.masks.kept.map((mask) => mask.id) ?? [];
  t.equal(await outcome(taken?.masks.show(id, ANN) ?? Promise.reject()), "done");
  await outcome(a.fleet.drain("a", false));
  await outcome(b.fleet.drain("b", true));
  t.same(
    a.desktops.all.map(({ masks }) => masks.kept.length),
    [1],
    "what is shown again is shown on the next",
  );
  t.equal(await outcome(a.desktops.remove(desktop.id, ANN)), "done");
  t.same(a.masks.of(desktop.id), [], "gone with the desktop");
});

t.test("a node that cannot read what is hidden has no desktop until it can", async (t) => {
  const { clock, node, outcome, added } = await openNodes((error) => t.error(error));
  const a = node("a");
  await clock.live(2000, 20);
  const desktop = await added(a);
  await outcome(desktop.masks.hide(rect(1), null, ANN));
  const b = node("b");
  await clock.live(2000, 20);
  const { list } = b.line.store;
  let isSilent = true;
  b.line.store.list = async (prefix) => {
    if (isSilent && prefix.includes(desktop.id)) b.line.isCut = true;
    try {
      return await list(prefix);
    } finally {
      b.line.isCut = false;
    }
  };
  await outcome(a.fleet.drain("a", true));
  t.same(b.desktops.all, [], "its masks are not known");
  t.throws(() => b.desktops.get(desktop.id), { code: "not_held" });
  isSilent = false;
  await clock.live(1000, 20);
  t.same(
    b.desktops.all.map(({ masks }) => masks.kept.length),
    [1],
  );
});

t.test("nothing is hidden or shown by whom nobody would hear of it", async (t) => {
  const { clock, node, outcome, added } = await openNodes((error) => t.error(error));
  const a = node("a");
  await clock.live(2000, 20);
  const desktop = await added(a);
  await outcome(desktop.masks.hide(rect(1), null, ANN));
  const [kept] = desktop.masks.kept;

  a.line.isCut = true;
  t.match(await outcome(desktop.masks.hide(rect(2), null, ANN), 9000), { code: "not_held" });
  t.match(await outcome(desktop.masks.show(kept?.id ?? "", ANN), 9000), { code: "not_held" });
  t.same(desktop.masks.kept, [kept]);
  a.line.isCut = false;
  await clock.live(6000, 20);

  // A commit that was on its way when the desktop was given to another.
  const [now] = a.desktops.all;
  const late = a.fleet.bindingOf(now?.id ?? "");
  const b = node("b");
  await clock.live(2000, 20);
  await outcome(a.fleet.drain("a", true));
  t.equal(b.desktops.all.length, 1);
  t.throws(() => a.fleet.bindingOf(now?.id ?? ""), { code: "not_held", heldBy: { node: "b" } });
  if (late === null) throw new Error("it is of the fleet");
  t.match(await a.line.store.commit([late]), { isDone: false });

  const stranger = node("c", "x".repeat(32));
  await clock.live(1000, 20);
  t.match(stranger.masks.of(now?.id ?? ""), [{ rect: EVERYWHERE }], "what it cannot read hides all");
});
