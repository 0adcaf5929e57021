import fc from "fast-check";
import t from "tap";
import { filterPixels, filterPixelsScalar } from "../../../src/imaging/png/png-rows.ts";
import { noisyFrame, numbers } from "../../framebuffer/frames.ts";

t.test("the kernel filters and sums as the twin does, rough and smooth", async () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer({ min: 1, max: 90 }),
      fc.integer({ min: 1, max: 33 }),
      fc.nat(5),
      fc.boolean(),
      (seed, width, count, inset, isSmooth) => {
        const frame = noisyFrame(width + inset, count, seed, 2 ** 24, false);
        const next = numbers(seed);
        if (isSmooth)
          frame.bytes.forEach((_, i) => {
            if (i % 4 !== 3) frame.bytes[i] = Math.floor(i / 4) + (next() % 4);
          });
        const pixels = { bytes: frame.bytes, offset: inset * 4, strideBytes: frame.strideBytes };
        const kernel = filterPixels(pixels, width, count);
        const twin = filterPixelsScalar(pixels, width, count);
        return kernel.adler === twin.adler && Buffer.from(kernel.bytes).equals(twin.bytes);
      },
    ),
    { numRuns: 200 },
  );
});

t.test("more rows than the scratch memory holds are filtered all the same", async (t) => {
  const frame = noisyFrame(2000, 600, 3, 5, false);
  const pixels = { bytes: frame.bytes, offset: 0, strideBytes: frame.strideBytes };
  const { adler, bytes } = filterPixels(pixels, 2000, 600);
  t.equal(bytes.length, 600 * 6001);
  t.equal(adler, filterPixelsScalar(pixels, 2000, 600).adler);
});
