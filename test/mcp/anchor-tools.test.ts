import t from "tap";
import { drawText } from "../framebuffer/frames.ts";
import { callsTo } from "./call.ts";
import { AGENT, fakeHouse, OTHER } from "./fake-house.ts";

t.test("an element that was remembered is found again after the page moved", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  const added = await call("add_anchor", { anchor_id: "ok", x: 300, y: 218, width: 90, height: 40 });
  t.match(added.structured, { anchor_id: "ok", bounds: { x: 300, y: 218, width: 90, height: 40 } });
  const { picture } = house.desktops.get("one");
  picture.copy(0, 36, { x: 0, y: 0, width: 1920, height: 764 });
  const found = await call("re_anchor_element", { anchor_id: "ok" });
  t.match(found.structured, {
    ...{ found: true, status: "found", confidence: 1, viewport_scroll: null },
    new_position: { x: 300, y: 182, width: 90, height: 40 },
  });
  t.match(found.text, /at 300,182/);
  picture.copy(300, 182, { x: 900, y: 400, width: 90, height: 40 });
  picture.fill({ x: 300, y: 182, width: 90, height: 40 }, 0);
  const outside = { x: 0, y: 0, width: 800, height: 800 };
  const lost = await call("re_anchor_element", { anchor_id: "ok", search_region: outside });
  t.match(lost.structured, { found: false, status: "lost", new_position: null, confidence: 0 });
  drawText(picture, { x: 0, y: 0, width: 200, height: 200 }, 5);
  const elsewhere = await call("re_anchor_element", { anchor_id: "ok", tolerance: 0 });
  t.match(elsewhere.structured, { status: "found", new_position: { x: 900, y: 400 } });
});

t.test("an anchor of no name gets one; one that is not known is refused by name", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  const added = await call("add_anchor", { x: 10, y: 10, width: 50, height: 50 });
  t.match(added.structured, { anchor_id: "anchor-1" });
  const unknown = await call("re_anchor_element", { anchor_id: "nobody" });
  t.match(unknown.structured, { error: { code: "not_found", message: /"nobody"/ } });
  const large = await call("add_anchor", { x: 0, y: 0, width: 1000, height: 700 });
  t.match(large.structured, { error: { code: "invalid_parameters", message: /at most 65536 pixels/ } });
});

t.test(
  "a click on an anchor goes to the middle of where it is now, and nowhere where it is lost",
  async (t) => {
    const house = fakeHouse();
    const call = callsTo(house);
    const desktop = house.desktops.get("one");
    await call("add_anchor", { anchor_id: "ok", x: 300, y: 218, width: 90, height: 40 });
    await call("click_at", { anchor_id: "ok" });
    t.match(desktop.performed.at(-1)?.action, { kind: "click", x: 345, y: 238 });
    const found = { what: "anchor", rect: { x: 300, y: 218, width: 90, height: 40 } };
    t.match(desktop.performed.at(-1)?.options, { found }, "that is what must be there still");
    desktop.picture.copy(0, 36, { x: 0, y: 0, width: 1920, height: 764 });
    await call("click_at", { anchor_id: "ok", button: "right" });
    t.match(desktop.performed.at(-1)?.action, { kind: "click", x: 345, y: 202, button: "right" });
    desktop.picture.fill({ x: 0, y: 0, width: 1920, height: 800 }, 0);
    t.match((await call("click_at", { anchor_id: "ok" })).error, {
      code: "stale_screen",
      message: /anchor is lost/,
    });
    t.match((await call("click_at", { anchor_id: "ok", x: 1, y: 1 })).error, { code: "invalid_parameters" });
    t.equal(desktop.performed.length, 2);
  },
);

t.test("anchors are each caller's own, and can be forgotten", async (t) => {
  const house = fakeHouse();
  const mine = callsTo(house);
  const others: typeof mine = (name, args) => mine(name, args, { principal: OTHER });
  await mine("add_anchor", { anchor_id: "ok", x: 300, y: 218, width: 90, height: 40 });
  t.match((await others("re_anchor_element", { anchor_id: "ok" })).error, { code: "not_found" });
  t.match((await others("click_at", { anchor_id: "ok" })).error, { code: "not_found" });
  t.match((await others("remove_anchor", { anchor_id: "ok" })).structured, {
    removed: false,
    not_found: true,
  });
  await others("add_anchor", { anchor_id: "ok", x: 100, y: 18, width: 90, height: 40 });
  t.match((await mine("re_anchor_element", { anchor_id: "ok" })).structured, {
    new_position: { x: 300, y: 218 },
    viewport_scroll: { x: 0, y: 0 },
  });
  t.match((await mine("take_screenshot", {})).structured, { viewport_scroll: { x: 0, y: 0 } });
  t.match((await mine("remove_anchor", { anchor_id: "ok" })).structured, { removed: true, not_found: false });
  t.match((await mine("re_anchor_element", { anchor_id: "ok" })).error, { code: "not_found" });
  t.match((await mine("take_screenshot", {})).structured, { viewport_scroll: null });
});

t.test("forgetting an element that is lost tells which hidden overlays went with it", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  const place = { x: 300, y: 218, width: 90, height: 40 };
  for (const anchor_id of ["lost", "found"]) await call("add_anchor", { anchor_id, ...place });
  const { anchored } = house.desktops.get("one");
  const box = { kind: "box", color: "#ff0000", opacity: 0.5, label: null, temporaryMs: null } as const;
  const spec = { ...place, ...box, clickThrough: true, monitorIndex: 0 };
  const draw = (anchorId: string) =>
    anchored.add({ ...spec, anchorId }, AGENT.id, { ...place, x: 0, y: 0, width: 1920, height: 800 }).id;
  const hidden = draw("lost");
  const kept = draw("found");
  const search_region = { x: 0, y: 0, width: 100, height: 100 };
  t.match((await call("re_anchor_element", { anchor_id: "lost", search_region })).structured, {
    status: "lost",
  });
  const forgotten = await call("remove_anchor", { anchor_id: "lost" });
  t.same(forgotten.structured, { removed: true, not_found: false, removed_overlays: [hidden] });
  t.match(forgotten.text, hidden);
  t.equal(anchored.ownerOf(hidden), null);
  t.same((await call("remove_anchor", { anchor_id: "found" })).structured, {
    removed: true,
    not_found: false,
  });
  t.equal(anchored.ownerOf(kept), AGENT.id);
});

t.test("tolerance is of 255, or a share of it", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  await call("add_anchor", { anchor_id: "ok", x: 300, y: 218, width: 90, height: 40 });
  const { picture } = house.desktops.get("one");
  for (let i = 0; i < picture.words.length; i++) {
    // Every channel that was below 245 is lighter by 10.
    const word = picture.words[i] ?? 0;
    const lighter = [0, 8, 16].map((at) => Math.min(255, ((word >>> at) & 255) + 10) << at);
    picture.words[i] = (0xff000000 | lighter.reduce((sum, channel) => sum | channel, 0)) >>> 0;
  }
  const found = async (tolerance: number): Promise<unknown> =>
    (await call("re_anchor_element", { anchor_id: "ok", tolerance })).structured["found"];
  t.equal(await found(0.01), false, "a hundredth is 3 of 255");
  t.equal(await found(0.05), true, "a twentieth is 13 of 255");
  t.equal(await found(3), false);
  t.equal(await found(13), true);
  t.match((await call("re_anchor_element", { anchor_id: "ok", tolerance: 128 })).error, {
    code: "invalid_parameters",
  });
});

t.test("an overlay names the anchor it goes with", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  const at = { x: 300, y: 218, width: 90, height: 40 };
  const refused = await call("draw_overlay", { ...at, anchor_id: "ok" });
  t.match(refused.structured, { error: { code: "not_found" } });
  await call("add_anchor", { ...at, anchor_id: "ok" });
  const drawn = await call("draw_overlay", { ...at, anchor_id: "ok" });
  t.match(drawn.structured, { anchor_id: "ok", bounds: at });
  t.match(house.desktops.get("one").overlays, [{ anchorId: "ok" }]);
});
