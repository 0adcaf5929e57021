import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import t from "tap";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import type { Picture } from "../../../src/framebuffer/picture.ts";
import { PlainPicture } from "../../../src/framebuffer/plain-picture.ts";
import type { Rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { PictureDecoder, readHeads } from "../../../src/protocols/recording/picture-decoder.ts";
import { PictureEncoder } from "../../../src/protocols/recording/picture-encoder.ts";
import { PictureError } from "../../../src/protocols/recording/picture-format.ts";

const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("base64");

function pictureOf(frame: Framebuffer, shift = 0): Picture {
  // A shift makes the pixels lie where no 32-bit word may: both ways to read them are used.
  const bytes = new Uint8Array(frame.bytes.length + shift);
  bytes.set(frame.bytes, shift);
  return {
    width: frame.width,
    height: frame.height,
    pixels: ({ x, y }: Rect) => ({
      bytes,
      offset: shift + (y * frame.width + x) * 4,
      strideBytes: frame.strideBytes,
    }),
  };
}

function add(encoder: PictureEncoder, frame: Framebuffer, damage: Region, isKey: boolean, shift = 0): number {
  const rest = { copies: [], atMs: 5, generation: 7, isPartial: false };
  return encoder.add({ picture: pictureOf(frame, shift), damage, isKey, ...rest });
}

/** As the server paints it, which is what a browser paints. */
function decode(chunks: readonly Uint8Array[]): Framebuffer | null {
  const decoder = new PictureDecoder((width, height) => new Framebuffer(width, height));
  const browser = new PictureDecoder((width, height) => new PlainPicture(width, height));
  for (const chunk of chunks) {
    for (const head of readHeads(chunk)) {
      decoder.paint(chunk, head);
      browser.paint(chunk, head);
      assert.deepEqual(browser.frame?.bytes, decoder.frame?.bytes);
    }
  }
  return decoder.frame;
}

t.test("any picture comes back in every pixel, whatever changes and however it is grained", async () => {
  const change = fc.record({
    x: fc.nat(149),
    y: fc.nat(99),
    width: fc.integer({ min: 1, max: 150 }),
    height: fc.integer({ min: 1, max: 100 }),
    colours: fc.constantFrom(1, 2, 3, 5, 17, 200, 256, 257, 5000),
    seed: fc.nat(3),
  });
  const grain = fc.record({ isTile: fc.boolean(), isShared: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 8 }), grain, fc.nat(1), (changes, grain, shift) => {
      const frame = new Framebuffer(150, 100);
      const encoder = new PictureEncoder(digest, grain);
      add(encoder, frame, Region.empty, true, shift);
      const chunks = [encoder.take()];
      for (const { x, y, width, height, colours, seed } of changes) {
        const right = Math.min(150, x + width);
        const bottom = Math.min(100, y + height);
        for (let py = y; py < bottom; py++) {
          for (let px = x; px < right; px++) {
            const number = Math.imul(px * 31 + py * 17 + seed * 7, 2_654_435_761) >>> 8;
            frame.words[py * 150 + px] = (0xff000000 | ((number % colours) * 0x10305)) >>> 0;
          }
        }
        add(encoder, frame, Region.of({ x, y, width: right - x, height: bottom - y }), false, shift);
        chunks.push(encoder.take());
      }
      return Buffer.from(frame.bytes).equals(decode(chunks)?.bytes ?? Buffer.alloc(0));
    }),
    { numRuns: 150 },
  );
});

t.test("what was shown since the key is only named when it comes back", async (t) => {
  const frame = new Framebuffer(128, 64);
  const encoder = new PictureEncoder(digest);
  const shown = (seed: number): number => {
    for (let i = 0; i < frame.words.length; i++)
      frame.words[i] = (0xff000000 | Math.imul(i + seed, 40_503)) >>> 0;
    return add(encoder, frame, Region.of(frame.rect), false);
  };
  add(encoder, frame, Region.empty, true);
  const first = shown(1);
  shown(2);
  const again = shown(1);
  t.ok(first > 20_000);
  t.equal(again, 22 + 2 * 9, "two tiles, named");
  t.ok(Buffer.from(frame.bytes).equals(decode([encoder.take()])?.bytes ?? Buffer.alloc(0)));
});

t.test("a move takes the pixels from where they are", async (t) => {
  const frame = new Framebuffer(200, 100);
  const encoder = new PictureEncoder(digest);
  for (let i = 0; i < frame.words.length; i++) frame.words[i] = (0xff000000 | (i * 977)) >>> 0;
  add(encoder, frame, Region.empty, true);
  const to = { x: 20, y: 10, width: 150, height: 80 };
  frame.copy(5, 3, to);
  const bytes = encoder.add({
    ...{ picture: pictureOf(frame), damage: Region.empty, copies: [{ fromX: 5, fromY: 3, to }] },
    ...{ atMs: 1, generation: 2, isKey: false, isPartial: true },
  });
  t.equal(bytes, 22 + 13);
  const chunk = encoder.take();
  t.ok(Buffer.from(frame.bytes).equals(decode([chunk])?.bytes ?? Buffer.alloc(0)));
  t.same(
    readHeads(chunk).map(({ isKey, isPartial, atMs, generation }) => ({
      isKey,
      isPartial,
      atMs,
      generation,
    })),
    [
      { isKey: true, isPartial: false, atMs: 5, generation: 7 },
      { isKey: false, isPartial: true, atMs: 1, generation: 2 },
    ],
  );
});

t.test("a picture without its key, or of another size than its key, is refused", async (t) => {
  const encoder = new PictureEncoder(digest);
  add(encoder, new Framebuffer(64, 64), Region.of({ x: 0, y: 0, width: 9, height: 9 }), false);
  const alone = encoder.take();
  t.throws(() => decode([alone]), { name: "PictureError" });
  add(encoder, new Framebuffer(32, 64), Region.empty, true);
  t.throws(() => decode([encoder.take(), alone]), { name: "PictureError" });
});

t.test("hostile bytes end in a PictureError, or in a picture", async () => {
  const frame = new Framebuffer(100, 80);
  const encoder = new PictureEncoder(digest);
  for (let i = 0; i < frame.words.length; i++) frame.words[i] = (0xff000000 | (i % 90)) >>> 0;
  add(encoder, frame, Region.empty, true);
  add(encoder, frame, Region.of({ x: 3, y: 4, width: 30, height: 60 }), false);
  const whole = encoder.take();
  const isTame = (bytes: Uint8Array): boolean => {
    try {
      decode([bytes]);
      return true;
    } catch (error) {
      return error instanceof PictureError;
    }
  };
  const flip = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
  fc.assert(
    fc.property(fc.array(flip, { minLength: 1, maxLength: 6 }), fc.nat(whole.length), (flips, length) => {
      const bytes = whole.slice();
      for (const [at, value] of flips) bytes[at] = value;
      return isTame(bytes) && isTame(bytes.slice(0, length));
    }),
    { numRuns: 1500 },
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), isTame), { numRuns: 1500 });
});
