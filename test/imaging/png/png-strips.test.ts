import { constants, deflateRawSync } from "node:zlib";
import fc from "fast-check";
import t from "tap";
import type { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { PngStrips } from "../../../src/imaging/png/png-strips.ts";
import { STRIP_ROWS } from "../../../src/imaging/strip-set.ts";
import type { Deflate } from "../../../src/protocols/platform.ts";
import { decoded, frameAsPicture, noise, paintedFrame, rgbOf } from "../pictures.ts";

const flush = { finishFlush: constants.Z_SYNC_FLUSH };

/** Counts what was compressed, and breaks when told to. */
class CountingDeflate implements Deflate {
  segments = 0;
  isBroken = false;

  zlib(): Uint8Array {
    throw new Error("not used");
  }

  rawSegment(input: Uint8Array, level: number): Uint8Array {
    if (this.isBroken) throw new Error("no memory");
    this.segments++;
    return deflateRawSync(input, { level, ...flush });
  }
}

async function sameAsFrame(png: Uint8Array, frame: Framebuffer): Promise<boolean> {
  const image = await decoded(png);
  return image.width === frame.width && image.height === frame.height && image.bytes.equals(rgbOf(frame));
}

t.test("pictures of every odd size decode to the same pixels", async (t) => {
  for (const [width, height] of [
    [1, 1],
    [2, 33],
    [3, 32],
    [5, 31],
    [127, 65],
    [640, 97],
  ] as const) {
    const frame = paintedFrame(width, height);
    const png = await new PngStrips(new CountingDeflate()).encode(frameAsPicture(frame));
    const image = await decoded(png);
    t.equal(image.format, "png");
    t.same([image.width, image.height, image.channels], [width, height, 3]);
    t.ok(image.bytes.equals(rgbOf(frame)), `${width}x${height}`);
  }
});

t.test("after any damage the picture is exact, and only damaged strips are compressed", async () => {
  const frame = paintedFrame(67, 150);
  const deflate = new CountingDeflate();
  const strips = new PngStrips(deflate);
  const picture = frameAsPicture(frame);
  await strips.encode(picture);
  const anyRect = fc
    .tuple(fc.nat(66), fc.nat(149), fc.integer({ min: 1, max: 67 }), fc.integer({ min: 1, max: 150 }))
    .map(([x, y, width, height]) => rect(x, y, Math.min(width, 67 - x), Math.min(height, 150 - y)));
  await fc.assert(
    fc.asyncProperty(fc.array(anyRect, { maxLength: 3 }), fc.nat(), async (rects, seed) => {
      const next = noise(seed);
      for (const r of rects) frame.fill(r, next());
      strips.invalidate(Region.from(rects));
      const before = deflate.segments;
      const png = await strips.encode(picture);
      const damaged = new Set<number>();
      for (const r of rects)
        for (let y = r.y; y < r.y + r.height; y++) damaged.add(Math.floor(y / STRIP_ROWS));
      return deflate.segments - before === damaged.size && (await sameAsFrame(png, frame));
    }),
    { numRuns: 60 },
  );
});

t.test("a result is kept until something is invalidated", async (t) => {
  const frame = paintedFrame(40, 40);
  const strips = new PngStrips(new CountingDeflate());
  const picture = frameAsPicture(frame);
  const first = await strips.encode(picture);
  t.equal(await strips.encode(picture), first, "the same buffer");
  strips.invalidate(Region.empty);
  t.equal(await strips.encode(picture), first, "an empty region invalidates nothing");
  frame.fill(rect(0, 0, 1, 1), 0x123456);
  strips.invalidate(Region.of(rect(0, 0, 1, 1)));
  const second = await strips.encode(picture);
  t.not(second, first);
});

t.test("damage outside of the picture is ignored, and all can be invalidated", async (t) => {
  const frame = paintedFrame(40, 70);
  const deflate = new CountingDeflate();
  const strips = new PngStrips(deflate);
  const whole = Math.ceil(70 / STRIP_ROWS);
  await strips.encode(frameAsPicture(frame));
  t.equal(deflate.segments, whole);
  strips.invalidate(Region.of(rect(0, 500, 10, 10), rect(0, -50, 10, 10)));
  await strips.encode(frameAsPicture(frame));
  t.equal(deflate.segments, whole);
  strips.invalidate(null);
  await strips.encode(frameAsPicture(frame));
  t.equal(deflate.segments, 2 * whole);
});

t.test("another size starts over", async (t) => {
  const strips = new PngStrips(new CountingDeflate());
  const small = paintedFrame(20, 20);
  const large = paintedFrame(70, 90);
  const both = await Promise.all([
    strips.encode(frameAsPicture(small)),
    strips.encode(frameAsPicture(large)),
  ]);
  t.ok(await sameAsFrame(both[0], small));
  t.ok(await sameAsFrame(both[1], large));
});

t.test("each of many calls at once shows one moment, not before the call", async (t) => {
  const frame = paintedFrame(1024, 768);
  const strips = new PngStrips(new CountingDeflate());
  const picture = frameAsPicture(frame);
  // The first call's strips are still being compressed when the frame goes on changing.
  const calls: { readonly colour: number; readonly png: Promise<Buffer> }[] = [];
  for (let colour = 1; colour <= 6; colour++) {
    frame.fill(frame.rect, colour);
    strips.invalidate(null);
    calls.push({ colour, png: strips.encode(picture) });
  }
  for (const { colour, png } of calls) {
    const { bytes } = await decoded(await png);
    const shown = bytes[0] ?? 0;
    t.ok(shown >= colour && shown <= 6, `call ${colour} shows ${shown}`);
    t.ok(
      bytes.every((byte, i) => byte === (i % 3 === 0 ? shown : 0)),
      "one moment only",
    );
  }
});

t.test("a full frame is compressed with pauses for others", async (t) => {
  const frame = paintedFrame(1280, 1024);
  const strips = new PngStrips(new CountingDeflate());
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    if (isDone) return;
    turns++;
    setImmediate(count);
  };
  setImmediate(count);
  const png = await strips.encode(frameAsPicture(frame));
  isDone = true;
  t.ok(turns > 0, `${turns} turns`);
  t.ok(await sameAsFrame(png, frame));
});

t.test("after a failure the next call is whole again", async (t) => {
  const frame = paintedFrame(50, 100);
  const deflate = new CountingDeflate();
  const strips = new PngStrips(deflate);
  const picture = frameAsPicture(frame);
  deflate.isBroken = true;
  await t.rejects(strips.encode(picture), { message: "no memory" });
  deflate.isBroken = false;
  t.ok(await sameAsFrame(await strips.encode(picture), frame));
});
