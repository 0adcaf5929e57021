import t from "tap";
import type { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { jpegTurbo } from "../../../src/imaging/jpeg/jpeg-turbo.ts";
import { decoded, frameAsPicture, paintedFrame, rgbOf } from "../pictures.ts";

/** The JPEG of a rectangle, read from the frame's rows without a copy. */
function encoded(frame: Framebuffer, r: Rect, quality: number): Uint8Array {
  const { bytes, offset, strideBytes } = frameAsPicture(frame).pixels(r);
  return jpegTurbo.encode(bytes.subarray(offset), r.width, r.height, strideBytes, quality);
}

/** A picture JPEG is made for: smooth, no noise. */
function smoothFrame(width: number, height: number) {
  const frame = paintedFrame(width, height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      frame.fill(rect(x, y, 1, 1), (x & 255) | (((y * 2) & 255) << 8) | (((x + y) >> 1) << 16));
    }
  }
  return frame;
}

/** Peak signal-to-noise ratio in dB; above 35 the eye sees no difference at a glance. */
function psnr(a: Uint8Array, b: Uint8Array): number {
  let squares = 0;
  for (let i = 0; i < a.length; i++) squares += ((a[i] ?? 0) - (b[i] ?? 0)) ** 2;
  return 10 * Math.log10(255 ** 2 / (squares / a.length));
}

t.test("a crop looks like its pixels and has their size", async (t) => {
  const frame = smoothFrame(200, 120);
  for (const r of [frame.rect, rect(13, 7, 101, 55), rect(199, 119, 1, 1)]) {
    const image = await decoded(encoded(frame, r, 90));
    t.equal(image.format, "jpeg");
    t.same([image.width, image.height], [r.width, r.height]);
    const ratio = psnr(image.bytes, rgbOf(frame, r));
    t.ok(ratio > 35, `${ratio.toFixed(1)} dB`);
  }
});

t.test("a lower quality takes fewer bytes", async (t) => {
  const frame = paintedFrame(200, 120);
  const [low, high] = [30, 95].map((q) => encoded(frame, frame.rect, q).length);
  t.ok((low ?? 0) < (high ?? 0) / 2, `${low} and ${high} bytes`);
});
