import fc from "fast-check";
import t from "tap";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { type Rect, rect, type Size } from "../../../src/framebuffer/rect.ts";
import { scalePicture, scalePixels } from "../../../src/imaging/scale/scale.ts";
import { frameAsPicture, noise, paintedFrame } from "../pictures.ts";

/** The mean of the covered area, in exact whole numbers: each pixel's overlap counted along both axes. */
function naive(frame: Framebuffer, r: Rect, to: Size): Uint8Array {
  const out = new Uint8Array(to.width * to.height * 4).fill(255);
  const overlap = (old: number, oldUnits: number, made: number, madeUnits: number): bigint => {
    const from = Math.max(old * oldUnits, made * madeUnits);
    const end = Math.min((old + 1) * oldUnits, (made + 1) * madeUnits);
    return BigInt(Math.max(0, end - from));
  };
  const area = BigInt(r.width) * BigInt(r.height);
  for (let y = 0; y < to.height; y++) {
    for (let x = 0; x < to.width; x++) {
      const sums = [0n, 0n, 0n];
      for (let oy = 0; oy < r.height; oy++) {
        for (let ox = 0; ox < r.width; ox++) {
          const weight = overlap(oy, to.height, y, r.height) * overlap(ox, to.width, x, r.width);
          const word = frame.words[(r.y + oy) * frame.width + r.x + ox] ?? 0;
          for (let c = 0; c < 3; c++) sums[c] = (sums[c] ?? 0n) + weight * BigInt((word >>> (8 * c)) & 255);
        }
      }
      sums.forEach((sum, c) => {
        out[(y * to.width + x) * 4 + c] = Number((2n * sum + area) / (2n * area));
      });
    }
  }
  return out;
}

t.test("any size, smaller or larger, is the exact mean of what each pixel covers, opaque", async () => {
  const side = fc.integer({ min: 1, max: 24 });
  await fc.assert(
    fc.asyncProperty(side, side, fc.nat(70), fc.nat(70), fc.nat(), async (width, height, w, h, seed) => {
      const frame = paintedFrame(width + 3, height + 2, seed);
      const next = noise(seed);
      for (let i = 0; i < frame.words.length; i += 3) frame.words[i] = (next() | 0xff000000) >>> 0;
      const r = rect(2, 1, width, height);
      const to = { width: 1 + (w % (3 * width)), height: 1 + (h % (3 * height)) };
      const expected = Buffer.from(naive(frame, r, to));
      const scaled = await scalePicture(frameAsPicture(frame), r, to);
      const { bytes } = scaled.pixels(rect(0, 0, to.width, to.height));
      return scaled.width === to.width && scaled.height === to.height && expected.equals(bytes);
    }),
    { numRuns: 150 },
  );
});

t.test("the sizes people ask for are exact, by both ways of summing", async (t) => {
  for (const [from, to] of [
    [rect(0, 0, 48, 27), { width: 32, height: 18 }],
    [rect(0, 0, 48, 27), { width: 24, height: 13 }],
    [rect(0, 0, 64, 40), { width: 4, height: 4 }],
    [rect(0, 0, 61, 43), { width: 60, height: 42 }],
  ] as const) {
    const frame = paintedFrame(from.width, from.height, 7);
    const image = scalePixels(frameAsPicture(frame).pixels(from), from, to);
    t.ok(Buffer.from(naive(frame, from, to)).equals(image.rgba), `${from.width} to ${to.width}`);
  }
});

t.test("the same size is a copy, and white stays white at the largest sums", async (t) => {
  const frame = paintedFrame(30, 20);
  const same = scalePixels(frameAsPicture(frame).pixels(frame.rect), frame, frame);
  t.ok(Buffer.from(frame.bytes).equals(same.rgba));
  const white = new Framebuffer(4099, 1031);
  white.fill(white.rect, 0xffffff);
  const image = scalePixels(frameAsPicture(white).pixels(white.rect), white, { width: 7, height: 5 });
  t.ok(image.rgba.every((byte) => byte === 255));
});

t.test("the pixels are those of the call, and others get turns", async (t) => {
  const frame = new Framebuffer(1900, 1000);
  frame.fill(frame.rect, 0x0000ff);
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    if (isDone) return;
    turns++;
    setImmediate(count);
  };
  setImmediate(count);
  const scaling = scalePicture(frameAsPicture(frame), frame.rect, { width: 1899, height: 999 });
  frame.fill(frame.rect, 0xff0000);
  const scaled = await scaling;
  isDone = true;
  const { bytes } = scaled.pixels(rect(0, 0, 1899, 999));
  t.ok(bytes.every((byte, i) => byte === (i % 4 === 0 || i % 4 === 3 ? 255 : 0)));
  t.ok(turns > 0, `${turns} turns`);
});

t.test("a whole factor repeats each pixel", async (t) => {
  const frame = paintedFrame(9, 7, 3);
  const image = scalePixels(frameAsPicture(frame).pixels(frame.rect), frame, { width: 27, height: 21 });
  const words = new Uint32Array(image.rgba.buffer);
  const wanted = Array.from(
    words,
    (_, i) => frame.words[Math.floor(i / 27 / 3) * 9 + Math.floor((i % 27) / 3)],
  );
  t.same([...words], wanted);
});

t.test("empty and fractional sizes are refused", async (t) => {
  const frame = paintedFrame(10, 10);
  for (const to of [
    { width: 20_000, height: 10 },
    { width: 0, height: 5 },
    { width: 5.5, height: 5 },
    { width: Number.NaN, height: 5 },
  ]) {
    t.throws(() => scalePixels(frameAsPicture(frame).pixels(frame.rect), frame, to), { name: "RangeError" });
    await t.rejects(scalePicture(frameAsPicture(frame), frame.rect, to), { name: "RangeError" });
  }
  await t.rejects(scalePicture(frameAsPicture(frame), rect(5, 5, 6, 5), frame), { name: "RangeError" });
});
