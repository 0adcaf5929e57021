import t from "tap";
import { Scene } from "../../../src/compositor/scene.ts";
import { Display } from "../../../src/desktop/picture/display.ts";
import type { ShownChanges } from "../../../src/desktop/picture/layers.ts";
import { pictureLine } from "../../../src/desktop/picture/picture-scheduler.ts";
import { Snapshots } from "../../../src/desktop/picture/snapshots.ts";
import type { Snapshot, SnapshotRequest } from "../../../src/desktop/view.ts";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { jpegTurbo } from "../../../src/imaging/jpeg/jpeg-turbo.ts";
import { scalePixels } from "../../../src/imaging/scale/scale.ts";
import { nodeDeflate } from "../../../src/platform/node-zlib.ts";
import { FakeClock } from "../../fake-clock.ts";
import { drawText } from "../../framebuffer/frames.ts";
import { decoded, rgbOf } from "../../imaging/pictures.ts";

/** A display and its snapshots over a picture that the test paints. */
function setUp(width = 640, height = 400) {
  const clock = new FakeClock();
  const scene = new Scene(clock);
  const target = new Framebuffer(width, height);
  drawText(target, target.rect, 7);
  const events = {
    changed: (damage: ShownChanges) => snapshots.invalidate(damage),
    resized: () => snapshots.resized(),
    whole: () => undefined,
    watched: () => undefined,
  };
  // What is painted is shown at once, however much it is.
  const display: Display = new Display(scene, clock, events, Number.POSITIVE_INFINITY);
  const snapshots: Snapshots = new Snapshots(
    display,
    { clock, deflate: nodeDeflate, jpeg: jpegTurbo },
    () => ({
      x: 0,
      y: 0,
    }),
  );
  display.begin([]);
  const paint = (area: Rect, colour: number): void => {
    target.fill(area, colour);
    display.update(target, Region.of(area), []);
  };
  display.update(target, Region.of(target.rect), []);
  const take = (request: SnapshotRequest = {}): Promise<Snapshot> => snapshots.take("agent", request);
  return { clock, scene, target, display, snapshots, paint, take };
}

async function pixels(bytes: Uint8Array): Promise<Buffer> {
  return (await decoded(bytes)).bytes;
}

/** The largest difference of two pictures of one size, of any channel. */
function furthest(a: Buffer, b: Buffer): number {
  if (a.length !== b.length) return 255;
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] ?? 0))), 0);
}

t.test("the model's size is the mean of the screen, before and after damage, as PNG", async (t) => {
  const { target, paint, take } = setUp(1920, 1080);
  for (const colour of [0x2040ff, 0x11aa33]) {
    paint(rect(333, 222, 401, 37), colour);
    const shot = await take({ fit: "claude" });
    t.same([shot.width, shot.height], [1456, 819]);
    const { rgba } = scalePixels(
      { bytes: target.bytes, offset: 0, strideBytes: target.strideBytes },
      target,
      shot,
    );
    const rgb = Buffer.from(rgba.filter((_, i) => i % 4 !== 3));
    t.ok(furthest(await pixels(shot.bytes), rgb) <= 6);
  }
});

t.test("a screen that did not change answers so, without an image", async (t) => {
  const { paint, take } = setUp();
  const first = await take();
  const again = await take({ sinceGeneration: first.generation });
  t.match(again, { isUnchanged: true, generation: first.generation, width: 640 });
  t.equal(again.bytes.length, 0);
  paint(rect(600, 300, 20, 20), 0xff0000);
  const elsewhere = await take({ sinceGeneration: first.generation, region: rect(0, 0, 100, 100) });
  t.equal(elsewhere.isUnchanged, true, "nothing changed in that region");
});

t.test("what changed comes in parts which, put into the old picture, make the new one", async (t) => {
  for (const fit of ["none", "claude"] as const) {
    const { paint, take } = setUp(1920, 1080);
    const first = await take({ fit });
    const old = await pixels(first.bytes);
    paint(rect(100, 100, 300, 20), 0x00ff00);
    paint(rect(1000, 700, 64, 64), 0x0000ff);
    const diff = await take({ fit, sinceGeneration: first.generation });
    t.equal(diff.isUnchanged, false);
    t.ok(diff.parts !== undefined && diff.parts.length > 0);
    let bytes = 0;
    for (const { place, bytes: part, rect: shown } of diff.parts ?? []) {
      const image = await decoded(part);
      t.same([image.width, image.height], [place.width, place.height]);
      t.ok(shown.width >= place.width && shown.height >= place.height);
      for (let y = 0; y < place.height; y++) {
        const row = image.bytes.subarray(y * place.width * 3, (y + 1) * place.width * 3);
        old.set(row, ((place.y + y) * diff.width + place.x) * 3);
      }
      bytes += part.length;
    }
    const whole = await take({ fit });
    t.ok(furthest(old, await pixels(whole.bytes)) <= (fit === "none" ? 0 : 6), fit);
    t.ok(bytes < whole.bytes.length / 4);
  }
});

t.test(
  "changes come in parts, or whole at the place they lie, and with all that came after them",
  async (t) => {
    for (const fit of ["none", "claude"] as const) {
      const { paint, take, display } = setUp(1920, 1080);
      const old = await pixels((await take({ fit })).bytes);
      const rects = [rect(100, 100, 300, 20), rect(1000, 700, 64, 64)];
      paint(rect(100, 100, 300, 20), 0x00ff00);
      paint(rect(1000, 700, 64, 64), 0x0000ff);
      const { generation } = display;
      paint(rect(1800, 1000, 80, 30), 0xff00ff);
      const diff = await take({ fit, changes: { rects, generation } });
      t.equal(diff.generation, generation + 1);
      t.same(diff.region, fit === "none" ? rect(100, 100, 1780, 930) : rect(0, 0, 1920, 1080));
      const offset = fit === "none" ? { x: 100, y: 100, stride: 1920 } : { x: 0, y: 0, stride: diff.width };
      for (const { place, bytes } of diff.parts ?? []) {
        const image = await decoded(bytes);
        for (let y = 0; y < place.height; y++) {
          const row = image.bytes.subarray(y * place.width * 3, (y + 1) * place.width * 3);
          old.set(row, ((offset.y + place.y + y) * offset.stride + offset.x + place.x) * 3);
        }
      }
      t.ok(furthest(old, await pixels((await take({ fit })).bytes)) <= (fit === "none" ? 0 : 6), fit);
    }
    const { paint, take, display } = setUp();
    paint(rect(30, 40, 20, 10), 0xff);
    const changes = { rects: [rect(30, 40, 20, 10)], generation: display.generation };
    const one = await take({ changes });
    t.match(one, { region: rect(30, 40, 20, 10), width: 20, height: 10 });
    t.equal(one.parts, undefined);
  },
);

t.test("a crop's parts lie within the crop", async (t) => {
  const { paint, take } = setUp();
  const region = rect(50, 60, 300, 200);
  const first = await take({ region });
  const old = await pixels(first.bytes);
  paint(rect(0, 100, 120, 30), 0x123456);
  const diff = await take({ region, sinceGeneration: first.generation });
  for (const { place, bytes } of diff.parts ?? []) {
    const image = await decoded(bytes);
    for (let y = 0; y < place.height; y++) {
      const row = image.bytes.subarray(y * place.width * 3, (y + 1) * place.width * 3);
      old.set(row, ((place.y + y) * 300 + place.x) * 3);
    }
  }
  t.ok(old.equals(await pixels((await take({ region })).bytes)));
});

t.test("where all changed, or it is not known what, the whole is the answer", async (t) => {
  const { target, paint, take, display } = setUp();
  const { generation } = await take();
  paint(target.rect, 0x777777);
  for (const sinceGeneration of [generation, 0, generation + 50]) {
    const shot = await take({ sinceGeneration });
    t.equal(shot.parts, undefined);
    t.ok((await pixels(shot.bytes)).equals(Buffer.from(rgbOf(target))));
  }
  const before = display.generation;
  target.resize(500, 300);
  display.resize(target, []);
  display.update(target, Region.of(target.rect), []);
  const resized = await take({ sinceGeneration: before });
  t.match(resized, { width: 500, height: 300 });
  t.ok(resized.bytes.length > 0);
});

t.test("overlays are in a live picture of their own, kept up to date too", async (t) => {
  const { scene, take, display, target } = setUp();
  const plain = await take();
  const box = {
    kind: "box",
    x: 20,
    y: 20,
    width: 90,
    height: 50,
    color: "red",
    opacity: 1,
    label: null,
  } as const;
  const more = { temporaryMs: null, clickThrough: true, monitorIndex: 0 } as const;
  await take({ withOverlays: true });
  const overlay = scene.add({ ...box, ...more }, "ann", display.bounds);
  const drawn = await take({ withOverlays: true, sinceGeneration: plain.generation });
  t.equal(drawn.isUnchanged, undefined, "overlays are not counted by generations");
  t.notOk((await pixels(drawn.bytes)).equals(Buffer.from(rgbOf(target))));
  t.equal((await take()).bytes, plain.bytes);
  scene.remove(overlay.id);
  t.ok((await pixels((await take({ withOverlays: true })).bytes)).equals(Buffer.from(rgbOf(target))));
});

t.test("what stays as it is becomes smaller in the background, and stays exact", async (t) => {
  const { clock, take, target, paint } = setUp(640, 400);
  const first = await take();
  clock.advance(2100);
  let later = await take();
  for (let turn = 0; turn < 1000 && later.bytes === first.bytes; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    later = await take();
  }
  t.ok(later.bytes.length < first.bytes.length, `${later.bytes.length} of ${first.bytes.length} bytes`);
  t.ok((await pixels(later.bytes)).equals(Buffer.from(rgbOf(target))));
  paint(rect(10, 10, 50, 50), 0xabcdef);
  t.ok((await pixels((await take()).bytes)).equals(Buffer.from(rgbOf(target))));
});

t.test("pictures nobody asks for are let go, and nothing waits after the end", async (t) => {
  const { clock, snapshots, take } = setUp();
  await take();
  await take({ fit: "gemini" });
  t.ok(clock.waiting > 0);
  clock.advance(61_000);
  t.equal(clock.waiting, 0);
  await take();
  snapshots.close();
  t.equal(clock.waiting, 0);
});

t.test("what is enlarged shows each pixel as a square, and is bounded", async (t) => {
  const { target, paint, take } = setUp(64, 48);
  paint(rect(3, 5, 20, 9), 0x2040ff);
  const shot = await take({ scale: 2 });
  t.same([shot.width, shot.height], [128, 96]);
  const bytes = await pixels(shot.bytes);
  const wanted = Buffer.from(
    Array.from({ length: 96 * 128 }, (_, i) => {
      const at = (Math.floor(i / 128 / 2) * 64 + Math.floor((i % 128) / 2)) * 4;
      return [...target.bytes.subarray(at, at + 3)];
    }).flat(),
  );
  t.equal(furthest(bytes, wanted), 0);
  paint(rect(30, 5, 2, 2), 0x11aa33);
  const again = await take({ scale: 2, sinceGeneration: shot.generation });
  t.equal(again.parts, undefined, "what changed since is shown whole");
  t.same([again.width, again.height], [128, 96]);
  await t.rejects(take({ scale: 9 }), { code: "invalid_parameters" });
  const large = setUp(1920, 1080);
  await t.rejects(large.take({ scale: 3 }), {
    code: "invalid_parameters",
    message: /5760x3240.*smaller region/,
  });
  t.match(await large.take({ scale: 3, region: rect(0, 0, 400, 300) }), { width: 1200, height: 900 });
});

t.test("fit and scale together are refused", async (t) => {
  const { take } = setUp();
  await t.rejects(take({ fit: "claude", scale: 0.5 }), { code: "invalid_parameters" });
});

t.test("a small piece that is made large waits with the large pictures", async (t) => {
  const { take } = setUp(320, 240);
  const region = rect(0, 0, 200, 200);
  const { signal } = new AbortController();
  const others = [await pictureLine.enter("other", signal), await pictureLine.enter("other", signal)];
  const large = take({ region, scale: 8 });
  let isMade = false;
  void large.then(() => {
    isMade = true;
  });
  t.match(await take({ region }), { width: 200, height: 200 });
  t.notOk(isMade, "both places are taken");
  for (const leave of others) leave();
  t.match(await large, { width: 1600, height: 1600 });
});

t.test(
  "what comes while a picture is taken may be in it, and is told again to who asks since its generation",
  async (t) => {
    const { target, display, paint, take } = setUp(3840, 2160);
    drawText(target, target.rect, 8);
    display.update(target, Region.of(target.rect), []);
    const { generation } = display;
    // The last to be taken.
    const corner = rect(3824, 2152, 16, 8);
    let isTaken = false;
    const taking = take().finally(() => {
      isTaken = true;
    });
    for (let colour = 1; !isTaken && colour < 200; colour++) {
      await new Promise(setImmediate);
      paint(corner, colour);
    }
    const shot = await taking;
    t.equal(shot.generation, generation, "the one in which it was begun");
    const image = await decoded(shot.bytes);
    const shown = image.bytes.readUInt8(image.bytes.length - image.channels);
    t.ok(shown > 0, `change ${shown} of ${display.generation - generation} is in it`);
    const later = await take({ sinceGeneration: shot.generation });
    t.same(
      later.parts?.map(({ rect: part }) => part),
      [corner],
      "nothing is lost to who asks for what is new",
    );
  },
);
