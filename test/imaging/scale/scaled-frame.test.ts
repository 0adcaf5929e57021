import fc from "fast-check";
import t from "tap";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import type { Picture } from "../../../src/framebuffer/picture.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { wordsOf } from "../../../src/imaging/pixels.ts";
import { scalePixels } from "../../../src/imaging/scale/scale.ts";
import { beginScaling, scaleBlock, scaleBlockScalar } from "../../../src/imaging/scale/scale-block.ts";
import { ScaledFrame } from "../../../src/imaging/scale/scaled-frame.ts";
import { noisyFrame } from "../../framebuffer/frames.ts";
import { frameAsPicture, noise, paintedFrame } from "../pictures.ts";

function pixelsOf(frame: Framebuffer) {
  return { bytes: frame.bytes, offset: 0, strideBytes: frame.strideBytes };
}

t.test("the kernel scales any block as the twin does", async () => {
  const sides = fc.tuple(fc.integer({ min: 1, max: 150 }), fc.integer({ min: 1, max: 150 }));
  fc.assert(
    fc.property(fc.integer(), sides, sides, fc.nat(), fc.nat(), (seed, [w, h], [a, b], u, v) => {
      const to = { width: a, height: b };
      const frame = noisyFrame(w, h, seed, 2 ** 24, false);
      const x = u % to.width;
      const y = v % to.height;
      const block = { x, y, width: 1 + (v % (to.width - x)), height: 1 + (u % (to.height - y)) };
      const [kernel, twin] = [beginScaling(frame, to), beginScaling(frame, to)];
      scaleBlock(kernel, wordsOf(pixelsOf(frame), w, h), block);
      scaleBlockScalar(twin, wordsOf(pixelsOf(frame), w, h), block);
      return kernel.target.every((word, i) => word === twin.target[i]);
    }),
    { numRuns: 300 },
  );
});

t.test("large areas are divided exactly: means at the edge of rounding", async (t) => {
  // 601 x 599 old pixels in one new one need 64-bit quotients; 181 x 181 are the most for 32-bit ones.
  for (const [width, height] of [
    [601, 599],
    [181, 181],
    [256, 257],
  ] as const) {
    for (const colour of [0, 1, 127, 128, 254, 255]) {
      const frame = noisyFrame(width, height, 1, 1, false);
      frame.fill(frame.rect, colour * 0x010101);
      frame.fill(rect(0, 0, width, height >> 1), (255 - colour) * 0x010101);
      const [kernel, twin] = [
        beginScaling(frame, { width: 1, height: 1 }),
        beginScaling(frame, { width: 1, height: 1 }),
      ];
      const block = rect(0, 0, 1, 1);
      scaleBlock(kernel, wordsOf(pixelsOf(frame), width, height), block);
      scaleBlockScalar(twin, wordsOf(pixelsOf(frame), width, height), block);
      t.equal(kernel.target[0], twin.target[0], `${width}x${height} of ${colour}`);
    }
  }
});

t.test("after any damage the kept picture is what scaling all of it gives", async () => {
  const frame = paintedFrame(160, 120);
  const size = { width: 121, height: 91 };
  const scaled = new ScaledFrame(frame, size);
  const picture = frameAsPicture(frame);
  await scaled.update(picture);
  const corner = fc.tuple(fc.nat(159), fc.nat(119), fc.integer({ min: 1, max: 60 }), fc.nat());
  await fc.assert(
    fc.asyncProperty(fc.array(corner, { maxLength: 3 }), async (corners) => {
      for (const [x, y, side, seed] of corners) {
        const r = rect(x, y, Math.min(side, 160 - x), Math.min(side, 120 - y));
        frame.fill(r, noise(seed)());
        scaled.invalidate(Region.of(r));
      }
      await scaled.update(picture);
      const { rgba } = scalePixels(pixelsOf(frame), frame, size);
      return Buffer.from(scaled.picture.pixels(rect(0, 0, 121, 91)).bytes).equals(rgba);
    }),
    { numRuns: 60 },
  );
});

t.test("damage during an update is in the picture when it resolves", async (t) => {
  const frame = paintedFrame(1920, 1080);
  const size = { width: 1456, height: 819 };
  const scaled = new ScaledFrame(frame, size);
  let isOver = false;
  let turns = 0;
  const paint = (): void => {
    if (isOver) return;
    turns++;
    const r = rect(turns * 3, turns * 7, 50, 50);
    frame.fill(r, turns * 0x0f0f01);
    scaled.invalidate(Region.of(r));
    setImmediate(paint);
  };
  setImmediate(paint);
  await scaled.update(frameAsPicture(frame));
  isOver = true;
  const { rgba } = scalePixels(pixelsOf(frame), frame, size);
  t.ok(Buffer.from(scaled.picture.pixels(rect(0, 0, 1456, 819)).bytes).equals(rgba));
});

/** A source that is painted anew in each turn of the loop, and in which turn it was read last. */
class RestlessSource {
  readonly frame = new Framebuffer(3840, 1080);
  readonly scaled = new ScaledFrame(this.frame, { width: 2400, height: 900 });
  turn = 0;
  readInTurn = 0;
  #isOver = false;

  readonly picture: Picture = {
    width: 3840,
    height: 1080,
    pixels: (r) => {
      this.readInTurn = this.turn;
      return frameAsPicture(this.frame).pixels(r);
    },
  };

  start(): void {
    const paint = (): void => {
      if (this.#isOver) return;
      this.turn++;
      this.frame.fill(this.frame.rect, this.turn * 0x010203);
      this.scaled.invalidate(Region.of(this.frame.rect));
      setImmediate(paint);
    };
    setImmediate(paint);
  }

  end(): void {
    this.#isOver = true;
  }
}

t.test("a screen that never rests is copied, and scaled in later turns", async (t) => {
  const source = new RestlessSource();
  const { scaled, picture } = source;
  source.start();
  await scaled.update(picture);
  t.ok(
    source.turn - source.readInTurn >= 2,
    `scaled until turn ${source.turn}, read in ${source.readInTurn}`,
  );
  const size = rect(0, 0, 2400, 900);
  const { words } = wordsOf(scaled.picture.pixels(size), 2400, 900);
  t.ok(
    words.every((word) => word === words[0]),
    "one moment",
  );
  source.end();
  await scaled.update(picture);
  const { rgba } = scalePixels(pixelsOf(source.frame), source.frame, scaled.size);
  t.ok(
    Buffer.from(scaled.picture.pixels(size).bytes).equals(rgba),
    "what changed meanwhile is for the next update",
  );
});

t.test(
  "updates that are asked for together come one after the other, and each is of a later moment",
  async (t) => {
    const source = new RestlessSource();
    const { scaled, picture } = source;
    source.start();
    const moments: (number | undefined)[] = [];
    const update = async (): Promise<void> => {
      await scaled.update(picture);
      const { words } = wordsOf(scaled.picture.pixels(rect(0, 0, 2400, 900)), 2400, 900);
      t.ok(words.every((word) => word === words[0]));
      moments.push(words[0]);
    };
    await Promise.all([update(), update(), update()]);
    source.end();
    t.equal(new Set(moments).size, 3);
    t.equal(scaled.updating, null);
  },
);
