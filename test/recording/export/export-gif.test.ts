import sharp from "sharp";
import t from "tap";
import { GIF_END, gifFrame, gifHead } from "../../../src/recording/export/export-gif.ts";
import { indexPixels, MOST_COLOURS } from "../../../src/recording/export/export-palette.ts";

type Paint = (x: number, y: number) => readonly [number, number, number];

function pixels(width: number, height: number, paint: Paint): Uint8Array {
  const rgba = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rgba.set([...paint(x, y), 255], (y * width + x) * 4);
  return rgba;
}

async function decode(gif: Uint8Array) {
  const { data, info } = await sharp(gif, { animated: true })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data: new Uint8Array(data), info, meta: await sharp(gif, { animated: true }).metadata() };
}

t.test("a picture of few colours comes back exactly, whatever its size and pattern", async (t) => {
  const noise: Paint = (x, y) => [(x * 7919 + y * 104_729) & 7, (x * y) & 7, 3];
  const cases: readonly (readonly [number, number, Paint])[] = [
    [1, 1, () => [1, 2, 3]],
    [300, 200, (x) => [x & 15, 0, 0]],
    // Long enough that the table of codes overflows and starts anew.
    [320, 240, (x, y) => [((x * 31 + y * 17) ^ (x * y)) & 255, 0, 0]],
    [257, 129, noise],
  ];
  for (const [width, height, paint] of cases) {
    const rgba = pixels(width, height, paint);
    const gif = Buffer.concat([
      gifHead({ width, height }),
      gifFrame({ x: 0, y: 0, width, height }, indexPixels(rgba), 100),
      GIF_END,
    ]);
    const { data, info } = await decode(gif);
    t.equal(info.width, width);
    t.equal(Buffer.compare(data, rgba), 0, `${width}x${height}`);
  }
});

t.test("later frames paint a part, for as long as they are told", async (t) => {
  const red = indexPixels(pixels(40, 30, () => [255, 0, 0]));
  const blue = indexPixels(pixels(10, 5, () => [0, 0, 255]));
  const gif = Buffer.concat([
    gifHead({ width: 40, height: 30 }),
    gifFrame({ x: 0, y: 0, width: 40, height: 30 }, red, 250),
    gifFrame({ x: 8, y: 6, width: 10, height: 5 }, blue, 1),
    GIF_END,
  ]);
  const { data, meta } = await decode(gif);
  t.equal(meta.pages, 2);
  t.same(meta.delay, [250, 20]);
  t.equal(meta.loop, 0);
  const second = data.subarray(40 * 30 * 4);
  const at = (x: number, y: number): number[] => [...second.subarray((y * 40 + x) * 4, (y * 40 + x) * 4 + 3)];
  t.same(at(8, 6), [0, 0, 255]);
  t.same(at(7, 6), [255, 0, 0]);
  t.same(at(18, 6), [255, 0, 0]);
});

t.test("too many colours become the nearest of 256", async (t) => {
  const rgba = pixels(256, 256, (x, y) => [x, y, 128]);
  const { palette, indices } = indexPixels(rgba);
  t.equal(palette.length / 3, MOST_COLOURS);
  let worst = 0;
  for (let i = 0; i < indices.length; i++) {
    for (let channel = 0; channel < 3; channel++) {
      const got = palette[(indices[i] ?? 0) * 3 + channel] ?? 0;
      worst = Math.max(worst, Math.abs(got - (rgba[i * 4 + channel] ?? 0)));
    }
  }
  t.ok(worst <= 16, `the farthest channel is ${worst} off`);
});
