import fc from "fast-check";
import t from "tap";
import type { Picture } from "../../../src/framebuffer/picture.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { pictureOf } from "../../../src/imaging/pixels.ts";
import { encodePng } from "../../../src/imaging/png/png.ts";
import { decoded, frameAsPicture, paintedFrame, rgbOf } from "../pictures.ts";

const frame = paintedFrame(90, 70);

t.test("any crop decodes to exactly its pixels", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(89), fc.nat(69), fc.nat(89), fc.nat(69), async (x, y, w, h) => {
      const r = rect(x, y, Math.min(w + 1, 90 - x), Math.min(h + 1, 70 - y));
      const image = await decoded(await encodePng(frameAsPicture(frame), r));
      return image.width === r.width && image.height === r.height && image.bytes.equals(rgbOf(frame, r));
    }),
    { numRuns: 60 },
  );
});

t.test("a picture large enough for another thread is exact", async (t) => {
  const large = paintedFrame(700, 500);
  const image = await decoded(await encodePng(frameAsPicture(large), large.rect));
  t.equal(image.format, "png");
  t.ok(image.bytes.equals(rgbOf(large)));
});

t.test("pixels that do not lie on word boundaries are read right", async (t) => {
  const shifted = new Uint8Array(frame.bytes.length + 3);
  shifted.set(frame.bytes, 3);
  const picture = pictureOf({ width: frame.width, height: frame.height, rgba: shifted.subarray(3) });
  const image = await decoded(await encodePng(picture, frame.rect));
  t.ok(image.bytes.equals(rgbOf(frame)));
});

t.test("photographs and text get the filter that suits them", async (t) => {
  const gradient = paintedFrame(256, 64);
  for (let y = 0; y < 64; y++) {
    for (let x = 0; x < 256; x++)
      gradient.fill(rect(x, y, 1, 1), x | ((y * 3) << 8) | (((x + y) & 255) << 16));
  }
  const png = await encodePng(frameAsPicture(gradient), gradient.rect);
  t.ok(png.length < 5_000, `${png.length} bytes: without a filter it takes several times that`);
  t.ok((await decoded(png)).bytes.equals(rgbOf(gradient)));
});

t.test("rectangles that are empty or leave the picture are refused before pixels are read", async (t) => {
  const picture: Picture = {
    width: 90,
    height: 70,
    pixels() {
      throw new Error("read");
    },
  };
  for (const r of [
    rect(0, 0, 0, 5),
    rect(0, 0, 5, 0),
    rect(-1, 0, 5, 5),
    rect(80, 0, 11, 5),
    rect(0, 66, 5, 5),
  ]) {
    await t.rejects(encodePng(picture, r), { name: "RangeError" });
  }
});
