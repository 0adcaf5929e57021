import t from "tap";
import { callsTo } from "./call.ts";
import { AGENT, fakeHouse, OTHER } from "./fake-house.ts";

t.test("draw_overlay draws a yellow half-transparent box unless told otherwise", async (t) => {
  const house = fakeHouse();
  const { structured, text } = await callsTo(house)("draw_overlay", { x: 10, y: 20, width: 30, height: 40 });
  const [overlay] = house.desktops.get("one").overlays;
  t.match(overlay, { kind: "box", color: "#ffff00", opacity: 0.5, clickThrough: true, label: null });
  t.equal(overlay?.ownerId, AGENT.id);
  t.same(structured, {
    overlay_id: overlay?.id,
    bounds: { x: 10, y: 20, width: 30, height: 40 },
    monitor_index: 0,
    display_scale: null,
  });
  t.match(text, overlay?.id ?? "?");
});

t.test("draw_overlay takes every field", async (t) => {
  const house = fakeHouse();
  await callsTo(house)("draw_overlay", {
    ...{ x: 1, y: 2, width: -30, height: 4, color: "Tomato", opacity: 1, label: "here" },
    ...{ annotation_type: "arrow", temporary_ms: 500, click_through: false, connection_id: "two" },
  });
  t.same(house.desktops.get("one").overlays, []);
  t.match(house.desktops.get("two").overlays[0], {
    ...{ kind: "arrow", color: "#ff6347", opacity: 1, label: "here", temporaryMs: 500, clickThrough: false },
  });
});

t.test("with monitor_index coordinates start at that monitor, and answers are desktop pixels", async (t) => {
  const call = callsTo(fakeHouse());
  const { structured } = await call("draw_overlay", {
    x: 600,
    y: 5,
    width: 100,
    height: 10,
    monitor_index: 1,
  });
  t.match(structured, { bounds: { x: 1880, y: 5, width: 40, height: 10 }, monitor_index: 1 });
  const whole = await call("draw_overlay", { x: 1300, y: 5, width: 10, height: 10 });
  t.equal(whole.structured["monitor_index"], 1, "without it, the monitor that shows most of it is named");
  const gone = await call("draw_overlay", { x: 1, y: 1, width: 1, height: 1, monitor_index: 2 });
  t.match(gone.error, { code: "out_of_bounds", message: /monitor_index 2, expected 0 to 1/ });
});

t.test("overlays lie on whole pixels, and are clamped wherever they begin", async (t) => {
  const call = callsTo(fakeHouse());
  const between = await call("draw_overlay", { x: 10.4, y: 20.6, width: 30.2, height: 1.4 });
  t.match(between.structured, { bounds: { x: 10, y: 21, width: 31, height: 1 } });
  const corner = await call("draw_overlay", { x: -15.5, y: -20, width: 40, height: 50 });
  t.match(corner.structured, { bounds: { x: 0, y: 0, width: 25, height: 30 } });
  const second = await call("draw_overlay", { x: -5, y: 3, width: 20, height: 20, monitor_index: 1 });
  t.match(second.structured, { bounds: { x: 1280, y: 3, width: 15, height: 20 }, monitor_index: 1 });
  const drawn = await call("batch_overlay", { overlays: [{ x: -1, y: 2.5, width: 9, height: 9 }] });
  t.equal(Object(drawn.structured["overlay_ids"]).length, 1);
});

t.test("faulty overlays are refused: colour, kind, negative box", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  const box = { x: 1, y: 1, width: 5, height: 5 };
  t.match((await call("draw_overlay", { ...box, color: "blurple" })).error, {
    code: "invalid_parameters",
    message: /blurple/,
  });
  t.match(
    (await call("draw_overlay", { ...box, annotation_type: "hologram" })).text,
    /annotation_type.*"box"/,
  );
  t.match((await call("draw_overlay", { ...box, width: -5 })).text, /-5x5.*0 or more/);
  t.match((await call("draw_overlay", { ...box, opacity: 2 })).text, /opacity: .*got 2/);
  t.match((await call("draw_overlay", { ...box, label: "x".repeat(1025) })).text, /label/);
  t.same(house.desktops.get("one").overlays, []);
});

t.test("remove_overlay and clear_overlays touch only the caller's own", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  const box = { x: 1, y: 1, width: 5, height: 5 };
  const mine = (await call("draw_overlay", box)).structured["overlay_id"];
  const others = (await call("draw_overlay", box, { principal: OTHER })).structured["overlay_id"];
  t.same((await call("remove_overlay", { overlay_id: others })).structured, {
    removed: false,
    not_found: true,
  });
  t.same((await call("remove_overlay", { overlay_id: mine })).structured, {
    removed: true,
    not_found: false,
  });
  t.same((await call("remove_overlay", { overlay_id: mine })).structured, {
    removed: false,
    not_found: true,
  });
  await call("draw_overlay", box);
  await call("draw_overlay", box);
  t.same((await call("clear_overlays")).structured, { removed_count: 2 });
  t.same(
    house.desktops.get("one").overlays.map(({ id }) => id),
    [others],
  );
});

t.test("batch_overlay draws all or none", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  const box = { x: 1, y: 1, width: 5, height: 5 };
  const done = await call("batch_overlay", {
    overlays: [box, { ...box, monitor_index: 0 }],
    monitor_index: 1,
  });
  t.match(done.structured, { monitor_index: 1, failed: null });
  t.same(
    house.desktops.get("one").overlays.map(({ id, monitorIndex }) => [id, monitorIndex]),
    [done.structured["overlay_ids"]].flat().map((id, i) => [id, 1 - i]),
  );
  await call("clear_overlays");
  const bad = await call("batch_overlay", { overlays: [box, { ...box, color: "blurple" }] });
  t.match(bad.error, { code: "invalid_parameters", message: /^overlays.1: .*blurple/ });
  t.same(house.desktops.get("one").overlays, []);
  t.match((await call("batch_overlay", { overlays: [] })).text, /overlays/);
  t.match((await call("batch_overlay", { overlays: Array(101).fill(box) })).text, /overlays.*100/);
});

t.test("batch_overlay one at a time keeps what came before a fault and names it", async (t) => {
  const house = fakeHouse();
  const box = { x: 1, y: 1, width: 5, height: 5 };
  const { structured, text } = await callsTo(house)("batch_overlay", {
    overlays: [box, { ...box, color: "blurple" }, box],
    one_at_a_time: true,
  });
  t.match(structured, { overlay_ids: [String], failed: { index: 1, code: "invalid_parameters" } });
  t.match(text, /Drew 1 of 3.*Stopped at overlays.1/);
  t.equal(house.desktops.get("one").overlays.length, 1);
});
