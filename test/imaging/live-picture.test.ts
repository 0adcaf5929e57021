import t from "tap";
import { Framebuffer } from "../../src/framebuffer/framebuffer.ts";
import { rect } from "../../src/framebuffer/rect.ts";
import { Region } from "../../src/framebuffer/region.ts";
import { jpegTurbo } from "../../src/imaging/jpeg/jpeg-turbo.ts";
import { LivePicture } from "../../src/imaging/live-picture.ts";
import { Palette, PaletteFullError } from "../../src/imaging/png/palette.ts";
import { scalePixels } from "../../src/imaging/scale/scale.ts";
import { nodeDeflate } from "../../src/platform/node-zlib.ts";
import { drawText, numbers } from "../framebuffer/frames.ts";
import { decoded, frameAsPicture } from "./pictures.ts";

const PORTS = { deflate: nodeDeflate, jpeg: jpegTurbo };
const SIZE = { width: 300, height: 200 };

function scaledRgb(frame: Framebuffer): Buffer {
  const { rgba } = scalePixels(
    { bytes: frame.bytes, offset: 0, strideBytes: frame.strideBytes },
    frame,
    SIZE,
  );
  return Buffer.from(rgba.filter((_, i) => i % 4 !== 3));
}

/** The largest difference, of any channel, to what scaling all of it exactly gives. */
async function offBy(png: Buffer, frame: Framebuffer): Promise<number> {
  const { bytes } = await decoded(png);
  const wanted = scaledRgb(frame);
  if (bytes.length !== wanted.length) return 255;
  return bytes.reduce((most, value, i) => Math.max(most, Math.abs(value - (wanted[i] ?? 0))), 0);
}

/** Of the IHDR, PNG section 11.2.1: 2 is truecolour, 3 indexed. */
function colourType(png: Buffer): number | undefined {
  return png[25];
}

function paintPhoto(frame: Framebuffer, seed: number): void {
  const next = numbers(seed);
  for (let i = 0; i < frame.words.length; i++) frame.words[i] = (0xff000000 | next()) >>> 0;
}

t.test("a smaller picture of text has a byte a pixel, and every channel is near", async (t) => {
  const frame = new Framebuffer(450, 300);
  drawText(frame, frame.rect, 3);
  const live = new LivePicture(frame, SIZE, PORTS);
  const picture = frameAsPicture(frame);
  const png = await live.png(picture);
  t.equal(colourType(png), 3);
  t.ok((await offBy(png, frame)) <= 6);
  t.equal(await live.png(picture), png, "nothing changed");
  for (let turn = 0; turn < 10; turn++) {
    const line = rect(10, 20 * turn, 200, 22);
    drawText(frame, line, turn);
    frame.fill(rect(300, 20 * turn, 9, 9), (turn * 0x1a2b3c) & 0xffffff);
    live.invalidate(Region.of(line, rect(300, 20 * turn, 9, 9)));
    t.ok((await offBy(await live.png(picture), frame)) <= 6, `turn ${turn}`);
  }
});

t.test("a photograph is exact: it has too many colours", async (t) => {
  const frame = new Framebuffer(450, 300);
  paintPhoto(frame, 8);
  const live = new LivePicture(frame, SIZE, PORTS);
  const png = await live.png(frameAsPicture(frame));
  t.equal(colourType(png), 2);
  t.equal(await offBy(png, frame), 0);
});

t.test("colours that are gone make room, and a photograph that comes is shown exactly", async (t) => {
  const frame = new Framebuffer(450, 300);
  const live = new LivePicture(frame, SIZE, PORTS);
  const picture = frameAsPicture(frame);
  const shown = async (): Promise<number> => {
    live.invalidate(Region.of(frame.rect));
    return await offBy(await live.png(picture), frame);
  };
  for (let page = 0; page < 40; page++) {
    // Eight colours a page, none near another page's: one palette holds them no longer than half of the pages.
    for (let band = 0; band < 8; band++) {
      const number = page * 8 + band;
      const colour = (number % 8) * 32 + ((number >> 3) % 8) * 32 * 256 + (number >> 6) * 32 * 65536;
      frame.fill(rect(0, band * 38, 450, 38), colour);
    }
    t.ok((await shown()) <= 6, `page ${page}`);
  }
  paintPhoto(frame, 4);
  t.equal(await shown(), 0);
});

t.test("the native size is exact whatever its colours", async (t) => {
  const frame = new Framebuffer(450, 300);
  drawText(frame, frame.rect, 3);
  const live = new LivePicture(frame, frame, PORTS);
  const { bytes } = await decoded(await live.png(frameAsPicture(frame)));
  t.ok(bytes.equals(Buffer.from(frame.bytes.filter((_, i) => i % 4 !== 3))));
});

t.test("a palette stands for near colours by one, and says when it is full", async (t) => {
  const palette = new Palette(6);
  const out = new Uint8Array(4);
  const near = Uint32Array.of(0xff101010, 0xff161616, 0xff171010, 0xff101010);
  t.equal(palette.map(near, 0, 4, out, 0, 100), 3);
  t.same([...out], [0, 0, 1, 0]);
  t.same([...palette.bytes], [16, 16, 16, 16, 16, 23]);
  const many = Uint32Array.from(
    { length: 300 },
    (_, i) => (0xff000000 + (i % 20) * 13 + Math.floor(i / 20) * 13 * 256) >>> 0,
  );
  t.throws(() => palette.map(many, 0, 300, new Uint8Array(300), 0, 1000), PaletteFullError);
  t.throws(() => new Palette(0).map(many, 0, 300, new Uint8Array(300), 0, 10), PaletteFullError);
});

t.test("what changes while a smaller picture is encoded is in the next one", async (t) => {
  const frame = new Framebuffer(2000, 1500);
  paintPhoto(frame, 1);
  const size = { width: 1900, height: 1400 };
  const live = new LivePicture(frame, size, PORTS);
  const picture = frameAsPicture(frame);
  let isOver = false;
  let turn = 0;
  const paint = (): void => {
    if (isOver) return;
    turn++;
    const place = rect((turn * 37) % 1900, (turn * 91) % 1400, 60, 60);
    frame.fill(place, (turn * 0x0f0f01) & 0xffffff);
    live.invalidate(Region.of(place));
    setImmediate(paint);
  };
  paint();
  // Two at once: one waits for the other's pixels to be taken.
  await Promise.all([live.png(picture), live.jpeg(picture, 90)]);
  isOver = true;
  const from = { bytes: frame.bytes, offset: 0, strideBytes: frame.strideBytes };
  const { rgba } = scalePixels(from, frame, size);
  const { bytes } = await decoded(await live.png(picture));
  const wanted = Buffer.from(rgba.filter((_, i) => i % 4 !== 3));
  t.ok(bytes.equals(wanted), "every pixel is as it is now");
});
