import sharp from "sharp";
import t from "tap";
import { LinkError } from "../../src/desktop/error.ts";
import { rect } from "../../src/framebuffer/rect.ts";
import { callsTo } from "./call.ts";
import { fakeHouse } from "./fake-house.ts";

t.test("take_screenshot gives an image block and says where it was taken", async (t) => {
  const house = fakeHouse();
  const { structured, images, text } = await callsTo(house)("take_screenshot");
  t.equal(images.length, 1);
  t.equal(images[0]?.mimeType, "image/png");
  t.match(Buffer.from(images[0]?.data ?? "", "base64").toString("latin1"), /^.PNG/);
  t.match(structured, {
    ...{ unchanged: false, generation: 7, format: "png", width: 1920, height: 800, monitor_index: null },
    region: { x: 0, y: 0, width: 1920, height: 800 },
    ...{ display_scale: null, viewport_scroll: null, timestamp: 1_800_000_000_000 },
    transform: { scale_x: 1, scale_y: 1, offset_x: 0, offset_y: 0 },
    context_metadata: { connection_id: "one", mode: "autopilot", stable: true, stale: false, exact: true },
  });
  t.notOk("image_base64" in structured);
  t.match(text, /1920x800 png, generation 7, screenshot_id [-0-9a-f]+. Image pixels are desktop pixels/);
  t.match(house.desktops.get("one").snapshots[0], { withOverlays: false, withCursor: false, scale: 1 });
});

t.test("a region is clamped to its monitor, and the transform leads back", async (t) => {
  const house = fakeHouse();
  const { structured } = await callsTo(house)("take_screenshot", {
    ...{ region: { x: 600, y: 0, width: 100, height: 80 }, monitor_index: 1, scale: 0.5, format: "jpeg" },
    ...{ include_overlays: true, include_cursor: true, wait_for_stable_ms: 50, inline_base64: true },
  });
  t.match(structured, {
    ...{ region: { x: 1880, y: 0, width: 40, height: 80 }, width: 20, height: 40, monitor_index: 1 },
    transform: { scale_x: 0.5, scale_y: 0.5, offset_x: 1880, offset_y: 0 },
    image_base64: /^iVBOR/,
  });
  t.match(house.desktops.get("one").snapshots[0], {
    ...{ format: "jpeg", scale: 0.5, withOverlays: true, withCursor: true, stableMs: 50 },
  });
});

t.test("a pointer that the target may have drawn is told where the picture shows it", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  const told = async (region: object) =>
    (await call("take_screenshot", { region })).structured["context_metadata"];
  const beside = { x: 0, y: 0, width: 100, height: 100 };
  t.match(await told(beside), { exact: true, drawn_pointer: null }, "none is drawn");
  house.desktops.get("one").pointerArea = rect(90, 95, 15, 21);
  t.match(await told(beside), { drawn_pointer: { x: 90, y: 95, width: 10, height: 5 } });
  t.match(await told({ x: 200, y: 0, width: 100, height: 100 }), { drawn_pointer: null });
});

t.test("full_screen takes all of it, whatever the region", async (t) => {
  const call = callsTo(fakeHouse());
  const region = { x: 0, y: 0, width: 1, height: 1 };
  const all = await call("take_screenshot", { region, full_screen: true });
  t.match(all.structured["region"], { width: 1920, height: 800 });
  const monitor = await call("take_screenshot", { region, full_screen: true, monitor_index: 1 });
  t.match(monitor.structured["region"], { x: 1280, width: 640, height: 480 });
});

t.test("a region off the screen is refused with the bounds", async (t) => {
  const region = { x: 1920, y: 0, width: 10, height: 10 };
  const { error } = await callsTo(fakeHouse())("take_screenshot", { region });
  t.match(error, { code: "out_of_bounds", message: /10x10 at 1920,0.*1920x800/ });
});

t.test("if_changed_since answers without an image while the generation is the same", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  const blind = await call("take_screenshot", { if_changed_since: 7 });
  t.match(blind.structured, { unchanged: false, parts: null }, "it was never shown anything");
  const same = await call("take_screenshot", { if_changed_since: 7, scale: 0.5 });
  t.same(same.images, []);
  t.match(same.structured, { unchanged: true, generation: 7, width: 960, height: 400 });
  house.desktops.get("one").paint(rect(1, 2, 3, 4));
  const changed = await call("take_screenshot", { if_changed_since: 7 });
  t.equal(changed.images.length, 1);
  t.match(changed.structured, { unchanged: false, generation: 8 });
  const overlays = await call("take_screenshot", { if_changed_since: 8, include_overlays: true });
  t.equal(overlays.images.length, 1, "overlays have no generation, so the image is sent");
});

t.test("unchanged is what this agent was shown, wherever its generation came from", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  const desktop = house.desktops.get("one");
  const left = { x: 0, y: 0, width: 100, height: 100 };
  const right = { x: 500, y: 0, width: 100, height: 100 };
  await call("take_screenshot");
  desktop.paint(right);
  const { generation } = (await call("take_screenshot", { region: left })).structured;
  const look = async (args: object): Promise<unknown> =>
    (await call("take_screenshot", { if_changed_since: generation, ...args })).structured["unchanged"];
  t.equal(await look({ region: left }), true);
  t.equal(
    await look({ region: right }),
    false,
    "it changed before that generation, which showed another part",
  );
  t.equal(await look({ region: right }), true, "now it is known");
  t.equal(await look({}), true, "and with it all");
  desktop.paint(right);
  const own = await call("click_at", { x: 1, y: 1 });
  const after = { if_changed_since: own.structured["generation_after"] };
  t.match(
    (await call("take_screenshot", { region: right, ...after })).structured,
    { unchanged: false },
    "an action tells what changed from when it began",
  );
  t.match((await call("take_screenshot", after)).structured, { unchanged: true }, "and what it changed");
});

t.test("what masks, overlays and zooms leave out is not shown", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  const part = { x: 0, y: 0, width: 100, height: 100 };
  const black = { width: 1920, height: 800, channels: 3, background: "#000000" } as const;
  house.desktops.get("one").png = await sharp({ create: black }).png().toBuffer();
  t.notOk((await call("take_screenshot", { scrub_mask_rects: [part] })).isError);
  const since = { if_changed_since: 7 };
  t.match((await call("take_screenshot", { ...since, scrub_mask_rects: [part] })).structured, {
    unchanged: true,
  });
  t.match((await call("take_screenshot", { ...since, region: part })).structured, { unchanged: false });
  const other = fakeHouse();
  const look = callsTo(other);
  await look("take_screenshot", { include_overlays: true });
  await look("zoom", { region: part });
  t.match((await look("take_screenshot", { ...since, region: part })).structured, { unchanged: true });
  t.match((await look("take_screenshot", since)).structured, { unchanged: false });
});

t.test("a desktop without a picture says why and what to do", async (t) => {
  const house = fakeHouse();
  house.desktops.get("one").problem = new LinkError("auth_failed", "the server refused the password");
  const { isError, text, error } = await callsTo(house)("take_screenshot");
  t.ok(isError);
  t.equal(
    text,
    "auth_failed: the server refused the password. the user name or password is wrong: ask the human to correct the connection",
  );
  t.match(error, { code: "auth_failed", retry_after_ms: null });
});

t.test("the whole desktop is as large as it is once it came to rest", async (t) => {
  const house = fakeHouse();
  const desktop = house.desktops.get("one");
  desktop.onSnapshot = ({ stableMs }) => {
    if (stableMs !== undefined) desktop.resize(800, 600);
  };
  const { structured } = await callsTo(house)("take_screenshot", { wait_for_stable_ms: 100 });
  t.match(structured, { width: 800, height: 600, region: { width: 800, height: 600 } });
});

t.test("a screen that did not come to rest is not called stable, with if_changed_since either", async (t) => {
  const house = fakeHouse();
  house.desktops.get("one").isRestful = false;
  const call = callsTo(house);
  for (const since of [{}, { if_changed_since: 1 }]) {
    const { structured, text } = await call("take_screenshot", { wait_for_stable_ms: 100, ...since });
    t.match(structured, { context_metadata: { stable: false } });
    t.match(text, /still changing/);
  }
});

t.test("a screenshot without an image says so where its image is wanted", async (t) => {
  const call = callsTo(fakeHouse());
  await call("take_screenshot");
  const { screenshot_id } = (await call("take_screenshot", { if_changed_since: 7 })).structured;
  const annotations = [{ type: "rect", x: 1, y: 1, width: 5, height: 5 }];
  for (const [tool, args] of [
    ["annotate_screenshot", { screenshot_id, annotations }],
    ["compare_screenshots", { screenshot_id }],
    ["wait_for", { condition: "image", screenshot_id }],
  ] as const) {
    const { error } = await call(tool, args);
    t.match(
      error,
      { code: "not_found", message: /answered without a whole one/, hint: /list_screenshots/ },
      tool,
    );
  }
});
