import t from "tap";
import type { Picture } from "../../../src/framebuffer/picture.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { encodeWebp } from "../../../src/imaging/webp/webp.ts";
import { decoded, frameAsPicture, paintedFrame, rgbOf } from "../pictures.ts";

const frame = paintedFrame(150, 90);

t.test("without a quality it is exact", async (t) => {
  for (const r of [frame.rect, rect(11, 13, 71, 33), rect(0, 0, 1, 1)]) {
    const image = await decoded(await encodeWebp(frameAsPicture(frame), r));
    t.equal(image.format, "webp");
    t.same([image.width, image.height, image.channels], [r.width, r.height, 3]);
    t.ok(image.bytes.equals(rgbOf(frame, r)));
  }
});

t.test("with a quality it is smaller and of the same size in pixels", async (t) => {
  const exact = await encodeWebp(frameAsPicture(frame), frame.rect);
  const lossy = await encodeWebp(frameAsPicture(frame), frame.rect, 40);
  const image = await decoded(lossy);
  t.same([image.width, image.height], [150, 90]);
  t.ok(lossy.length < exact.length, `${lossy.length} and ${exact.length} bytes`);
});

t.test("the pixels are those of the call, whatever happens to the frame afterwards", async (t) => {
  const changing = paintedFrame(60, 60);
  const before = rgbOf(changing);
  const webp = encodeWebp(frameAsPicture(changing), changing.rect);
  changing.fill(changing.rect, 0x00ff00);
  t.ok((await decoded(await webp)).bytes.equals(Buffer.from(before)));
});

t.test("what WebP cannot hold is refused before pixels are read", async (t) => {
  const wide: Picture = {
    width: 16_384,
    height: 10,
    pixels() {
      throw new Error("read");
    },
  };
  await t.rejects(encodeWebp(wide, rect(0, 0, 16_384, 10)), { message: /at most 16383/ });
  await t.rejects(encodeWebp(wide, rect(0, 0, 10, 11)), { name: "RangeError" });
  await t.rejects(encodeWebp(wide, rect(0, 0, 10, 10), 0), { message: /quality 0/ });
});
