import fc from "fast-check";
import t from "tap";
import { rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { JpegStrips } from "../../../src/imaging/jpeg/jpeg-strips.ts";
import { jpegTurbo } from "../../../src/imaging/jpeg/jpeg-turbo.ts";
import { decoded, frameAsPicture, noise, paintedFrame } from "../pictures.ts";

t.test("strips decode to what one encode of the whole decodes to, at every size and sampling", async (t) => {
  for (const [width, height] of [
    [1, 1],
    [17, 33],
    [64, 64],
    [127, 65],
    [320, 300],
  ] as const) {
    for (const quality of [60, 80]) {
      const frame = paintedFrame(width, height);
      const made = await new JpegStrips(jpegTurbo, quality).encode(frameAsPicture(frame));
      const whole = jpegTurbo.encode(frame.bytes, width, height, frame.strideBytes, quality);
      const [a, b] = [await decoded(made), await decoded(whole)];
      t.same([a.width, a.height, a.format], [width, height, "jpeg"]);
      t.ok(a.bytes.equals(b.bytes), `${width}x${height} at quality ${quality}`);
    }
  }
});

t.test("after any damage the file is what a fresh one would be", async () => {
  const frame = paintedFrame(70, 150);
  const strips = new JpegStrips(jpegTurbo, 80);
  const picture = frameAsPicture(frame);
  await strips.encode(picture);
  await fc.assert(
    fc.asyncProperty(fc.nat(69), fc.nat(149), fc.nat(), async (x, y, seed) => {
      const r = rect(x, y, 70 - x, Math.min(9, 150 - y));
      frame.fill(r, noise(seed)());
      strips.invalidate(Region.of(r));
      const fresh = await new JpegStrips(jpegTurbo, 80).encode(picture);
      return (await strips.encode(picture)).equals(fresh);
    }),
    { numRuns: 30 },
  );
});

t.test("what did not change is the same buffer, and a wrong quality is refused", async (t) => {
  const picture = frameAsPicture(paintedFrame(40, 40));
  const strips = new JpegStrips(jpegTurbo, 75);
  t.equal(await strips.encode(picture), await strips.encode(picture));
  for (const quality of [0, 101, 50.5, Number.NaN]) {
    t.throws(() => new JpegStrips(jpegTurbo, quality), RangeError);
  }
});
