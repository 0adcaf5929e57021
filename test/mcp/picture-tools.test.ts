import sharp from "sharp";
import t from "tap";
import { callsTo } from "./call.ts";
import type { FakeDesktop } from "./fake-desktop.ts";
import { fakeHouse } from "./fake-house.ts";

const WIDTH = 120;
const HEIGHT = 80;

/** A desktop whose screenshots are real pictures: stripes of one pixel, which any blur changes. */
async function striped(desktop: FakeDesktop, change: (rgb: Buffer) => void = () => undefined): Promise<void> {
  const rgb = Buffer.alloc(WIDTH * HEIGHT * 3);
  for (let i = 0; i < WIDTH * HEIGHT; i++) rgb.fill(i % 2 === 0 ? 255 : 0, i * 3, i * 3 + 3);
  change(rgb);
  desktop.size = { width: WIDTH, height: HEIGHT };
  desktop.png = await sharp(rgb, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
    .png()
    .toBuffer();
}

async function pixelsOf(image: { data: string } | undefined): Promise<(x: number, y: number) => string> {
  const { data } = await sharp(Buffer.from(image?.data ?? "", "base64"))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return (x, y) => data.subarray((y * WIDTH + x) * 3, (y * WIDTH + x) * 3 + 3).toString("hex");
}

t.test("annotations are drawn in their order, on a copy with an id of its own", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  await striped(house.desktops.get("one"));
  const { screenshot_id } = (await call("take_screenshot")).structured;
  const { structured, images } = await call("annotate_screenshot", {
    screenshot_id,
    annotations: [
      { type: "rect", x: 10, y: 10, width: 20, height: 20, color: "#00ff00", stroke_width: 4 },
      { type: "rect", x: 10, y: 10, width: 20, height: 20, stroke_width: 2 },
      { type: "ellipse", x: 40, y: 10, width: 20, height: 20, stroke_width: 4 },
      { type: "arrow", x: 70, y: 20, width: 30, height: 0, stroke_width: 4 },
      {
        type: "freehand",
        points: [
          { x: 5, y: 50 },
          { x: 25, y: 50 },
        ],
        stroke_width: 4,
      },
      { type: "text", x: 30, y: 45, text: "Hi" },
      { type: "blur", x: 70, y: 45, width: 40, height: 30 },
    ],
  });
  t.not(structured["screenshot_id"], screenshot_id);
  const at = await pixelsOf(images[0]);
  t.equal(at(10, 20), "ff0000", "the later rectangle is above");
  t.equal(at(8, 20), "00ff00", "the earlier one shows beside it");
  t.equal(at(50, 10), "ff0000", "the ellipse's top");
  t.equal(at(85, 20), "ff0000", "the arrow's shaft");
  t.equal(at(15, 50), "ff0000", "the line");
  t.notMatch(at(90, 60), /^(000000|ffffff)$/, "the stripes are blurred");
  t.equal(at(0, 0), "ffffff", "elsewhere all is as it was");
  t.equal(at(1, 79), "000000");
  const { structured: again } = await call("compare_screenshots", {
    screenshot_id,
    other_screenshot_id: structured["screenshot_id"],
  });
  t.match(again, { identical: false, bounds: { y: 8 } });
});

t.test("annotations that cannot be drawn are named", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  await striped(house.desktops.get("one"));
  const { screenshot_id } = (await call("take_screenshot")).structured;
  const said = async (annotation: object): Promise<unknown> =>
    (await call("annotate_screenshot", { screenshot_id, annotations: [annotation] })).error;
  t.match(await said({ type: "freehand" }), { message: /annotations.0: a freehand needs points/ });
  t.match(await said({ type: "rect", x: 1, y: 1 }), { message: /needs width and height/ });
  t.match(await said({ type: "rect", width: 5, height: 5, color: "colour" }), { code: "invalid_parameters" });
  t.match(await said({ type: "star" }), { code: "invalid_parameters" });
  const line = (count: number) => ({
    type: "freehand",
    points: Array.from({ length: count }, (_, i) => ({ x: i % 100, y: 5 })),
  });
  const drawn = async (...counts: number[]) =>
    await call("annotate_screenshot", { screenshot_id, annotations: counts.map(line) });
  t.equal((await drawn(2000, 2000, 1000)).error, undefined);
  t.match((await drawn(2000, 2000, 1001)).error, {
    code: "invalid_parameters",
    message: /got annotations of 5001 points in all, expected at most 5000/,
  });
  t.match((await drawn(...Array.from({ length: 20 }, () => 2000))).error, {
    code: "invalid_parameters",
    message: /got arguments of more than 30000 values, expected fewer/,
  });
  const unknown = await call("annotate_screenshot", { screenshot_id: "x", annotations: [{ type: "rect" }] });
  t.match(unknown.error, { code: "not_found" });
});

t.test("screenshots are compared exactly and as people see", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  const desktop = house.desktops.get("one");
  await striped(desktop);
  const { screenshot_id } = (await call("take_screenshot")).structured;
  t.match((await call("compare_screenshots", { screenshot_id })).structured, {
    identical: true,
    exact: { pixels: 0 },
    bounds: null,
  });
  await striped(desktop, (rgb) => {
    // One pixel that nobody sees, and four that everybody does.
    rgb[0] = 253;
    for (let x = 50; x < 54; x++) rgb.set([255, 0, 255], (40 * WIDTH + x) * 3);
  });
  const { structured, images } = await call("compare_screenshots", { screenshot_id, include_image: true });
  t.match(structured, {
    identical: false,
    exact: { pixels: 5 },
    bounds: { x: 0, y: 0, width: 54, height: 41 },
  });
  const { pixels } = Object(structured["perceptual"]);
  t.ok(pixels > 0 && pixels < 5, `${pixels} are seen`);
  t.equal(images.length, 1);
});

t.test("scrubbed rectangles are black, also in a smaller picture and beyond their edges' blur", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  await striped(house.desktops.get("one"), (rgb) => {
    for (let y = 20; y < 40; y++) for (let x = 20; x < 60; x++) rgb.set([255, 0, 0], (y * WIDTH + x) * 3);
  });
  const mask = { x: 20, y: 20, width: 40, height: 20 };
  const native = await pixelsOf((await call("take_screenshot", { scrub_mask_rects: [mask] })).images[0]);
  t.same([native(20, 20), native(59, 39)], ["000000", "000000"]);
  t.same([native(19, 20), native(60, 20)], ["000000", "ffffff"], "the stripes beside it are untouched");
  const half = await call("take_screenshot", { scrub_mask_rects: [mask], scale: 0.5 });
  const { data } = await sharp(Buffer.from(half.images[0]?.data ?? "", "base64"))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  let red = 0;
  for (let i = 0; i < data.length; i += 3) if ((data[i] ?? 0) !== (data[i + 1] ?? 0)) red++;
  t.equal(red, 0, "nothing of what was hidden is mixed in");
  t.match(half.structured, { width: 60, height: 40, transform: { scale_x: 0.5 } });
});

t.test("an image is waited for until it is shown again", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  const desktop = house.desktops.get("one");
  await striped(desktop);
  desktop.png = await sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: "#102030" } })
    .png()
    .toBuffer();
  const { screenshot_id } = (await call("take_screenshot")).structured;
  desktop.colour = 0x102031;
  const args = { condition: "image", screenshot_id, timeout_ms: 0 };
  t.match((await call("wait_for", args)).structured, { met: false });
  t.match((await call("wait_for", { ...args, tolerance: 1 })).structured, { met: true });
  desktop.colour = 0x102030;
  t.match((await call("wait_for", args)).structured, { met: true });
});

t.test("a screenshot of another size of the desktop cannot be compared with now, and says so", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  const { screenshot_id } = (await call("take_screenshot")).structured;
  house.desktops.get("one").resize(800, 600);
  const { error } = await call("compare_screenshots", { screenshot_id });
  t.match(error, { code: "stale_screenshot", message: /1920x800.*800x600/ });
});
