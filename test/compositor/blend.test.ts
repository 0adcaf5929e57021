import fc from "fast-check";
import t from "tap";
import { blendWord, blendWords } from "../../src/compositor/blend.ts";

/** The definition, channel by channel, in doubles. */
function naive(source: number, target: number): number {
  const alpha = source >>> 24;
  const channel = (shift: number): number => {
    const [s, d] = [(source >>> shift) & 255, (target >>> shift) & 255];
    return Math.round((s * alpha + d * (255 - alpha)) / 255) * 2 ** shift;
  };
  return channel(0) + channel(8) + channel(16) + 0xff000000;
}

const word = fc.integer({ min: 0, max: 0xffffffff });

t.test("a blended pixel is the rounded mean of each channel, opaque", async () => {
  fc.assert(
    fc.property(word, word, (source, target) => blendWord(source, target) >>> 0 === naive(source, target)),
    { numRuns: 5000 },
  );
});

t.test("every alpha is exact at the ends of the scale", async (t) => {
  let wrong = 0;
  for (let alpha = 0; alpha < 256; alpha++) {
    for (const [source, target] of [
      [0xffffff, 0],
      [0, 0xffffff],
      [0xffffff, 0xffffff],
      [0xff00ff, 0x00ff00],
    ] as const) {
      const over = (alpha * 2 ** 24 + source) >>> 0;
      const under = (0xff000000 + target) >>> 0;
      if (blendWord(over, under) >>> 0 !== naive(over, under)) wrong++;
    }
  }
  t.equal(wrong, 0);
});

t.test("words are blended where they lie and nowhere else", async (t) => {
  const target = new Uint32Array(6).fill(0xff000000);
  const source = Uint32Array.of(9, 0xff112233, 0x00ffffff, 0x80ffffff, 9);
  blendWords(target, 2, source, 1, 3);
  t.same([...target], [0xff000000, 0xff000000, 0xff112233, 0xff000000, 0xff808080, 0xff000000]);
});
