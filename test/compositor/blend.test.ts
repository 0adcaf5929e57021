import fc from "fast-check";
import t from "tap";
import {
  blendMemory,
  blendRaster,
  blendWord,
  blendWords,
  blendWordsScalar,
} from "../../src/compositor/blend.ts";

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

t.test("a kernel blends what its twin blends, literally and in fills", async () => {
  const opaque = fc.array(word, { minLength: 1, maxLength: 120 });
  fc.assert(
    fc.property(
      opaque,
      fc.array(word, { minLength: 120, maxLength: 120 }),
      fc.nat(9),
      (under, over, shift) => {
        const count = under.length;
        const source = Uint32Array.from(over);
        const target = blendMemory(count + shift);
        const twin = new Uint32Array(count + shift);
        for (const words of [target, twin])
          words.set(
            Uint32Array.from(under, (w) => (w | 0xff000000) >>> 0),
            shift,
          );
        blendWords(target, shift, source, 0, count);
        blendWordsScalar(twin, shift, source, 0, count);
        if (!target.every((w, i) => w === twin[i])) return false;
        const runs = Uint32Array.of(count << 1, source[0] ?? 0);
        const bounds = { x: 0, y: 0, width: count, height: 1 };
        const raster = { bounds, rows: Uint32Array.of(0), runs };
        blendRaster(target, shift, count, raster, bounds);
        blendWordsScalar(twin, shift, new Uint32Array(count).fill(source[0] ?? 0), 0, count);
        return target.every((w, i) => w === twin[i]);
      },
    ),
    { numRuns: 300 },
  );
});

t.test("more literal words than a kernel takes at once are blended all", async (t) => {
  const count = 10_000;
  const source = Uint32Array.from({ length: count }, (_, i) => Math.imul(i, 0x9e3779b1) >>> 0);
  const target = blendMemory(count).fill(0xff336699);
  const twin = new Uint32Array(count).fill(0xff336699);
  blendWords(target, 0, source, 0, count);
  blendWordsScalar(twin, 0, source, 0, count);
  t.ok(target.every((w, i) => w === twin[i]));
});
