import fc from "fast-check";
import t from "tap";
import type { Framebuffer } from "../../../../src/framebuffer/framebuffer.ts";
import type { Rect } from "../../../../src/framebuffer/rect.ts";
import { pakoInflate } from "../../../../src/platform/pako-inflate.ts";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import type { EncoderState, Encoding } from "../../../../src/protocols/rfb/encodings/encoding.ts";
import { ALL_ENCODINGS } from "../../../../src/protocols/rfb/encodings/list.ts";
import { zrle } from "../../../../src/protocols/rfb/encodings/zrle.ts";
import { startZrle } from "../../../../src/protocols/rfb/encodings/zrle-encode.ts";
import { decode, encoderState, pixelsAt, sameWords, type WireRect } from "./decode-harness.ts";
import { anyPicture } from "./pictures.ts";

/** The picture's part within `rect`, encoded. */
function encoded(encoding: Encoding, from: Framebuffer, rect: Rect, state: EncoderState): WireRect {
  const to = new ByteWriter();
  encoding.encode?.(to, pixelsAt(from, rect.x, rect.y), rect, state);
  return { encoding, rect, body: to.bytes() };
}

/** Four rectangles that make up the picture, so that offsets and streams over several rectangles are tried. */
function quarters({ width, height }: Framebuffer): Rect[] {
  const x = Math.ceil(width / 3);
  const y = Math.ceil(height / 2);
  return [
    { x: 0, y: 0, width: x, height: y },
    { x, y: 0, width: width - x, height: y },
    { x: 0, y, width: x, height: height - y },
    { x, y, width: width - x, height: height - y },
  ].filter((r) => r.width > 0 && r.height > 0);
}

for (const encoding of ALL_ENCODINGS.filter((e) => e.encode !== undefined)) {
  t.test(`${encoding.name} gives back every picture at every chunking`, async (t) => {
    fc.assert(
      fc.property(
        anyPicture(150),
        fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 9 }),
        (picture, cuts, compressLevel) => {
          const state = encoderState({ compressLevel });
          const rects = quarters(picture).map((rect) => encoded(encoding, picture, rect, state));
          const { framebuffer } = decode(rects, picture.width, picture.height, cuts);
          return sameWords(framebuffer.words, picture.words);
        },
      ),
      { numRuns: 120 },
    );
    t.pass("all pictures were equal");
  });

  t.test(`${encoding.name} bodies do not depend on the memory their pixels lie in`, async (t) => {
    fc.assert(
      fc.property(anyPicture(40), fc.integer({ min: 1, max: 3 }), (picture, shift) => {
        const moved = new Uint8Array(picture.bytes.length + shift);
        moved.set(picture.bytes, shift);
        const to = new ByteWriter();
        const pixels = { bytes: moved, offset: shift, strideBytes: picture.strideBytes };
        encoding.encode?.(to, pixels, picture.rect, encoderState());
        const aligned = encoded(encoding, picture, picture.rect, encoderState()).body;
        return Buffer.compare(to.bytes(), aligned) === 0;
      }),
      { numRuns: 40 },
    );
    t.pass("all bodies were equal");
  });
}

t.test("pako decodes what zlib decodes", async (t) => {
  fc.assert(
    fc.property(anyPicture(100), fc.constantFrom("tight", "zrle"), (picture, name) => {
      const state = encoderState();
      const rects = ALL_ENCODINGS.filter((e) => e.name === name).flatMap((encoding) =>
        quarters(picture).map((rect) => encoded(encoding, picture, rect, state)),
      );
      const run = decode(rects, picture.width, picture.height, [97], pakoInflate);
      return sameWords(run.framebuffer.words, picture.words);
    }),
    { numRuns: 40 },
  );
  t.pass("all pictures were equal");
});

t.test("a shared zrle body serves viewers that join early and late", async (t) => {
  fc.assert(
    fc.property(anyPicture(90), (picture) => {
      const shared = quarters(picture).map((rect) =>
        encoded(zrle, picture, rect, encoderState({ zrleStarted: true })),
      );
      return shared.every((_, joined) => {
        const seen = shared.slice(joined).map((r, i) => (i === 0 ? { ...r, body: startZrle(r.body) } : r));
        const { framebuffer } = decode(seen, picture.width, picture.height, [500]);
        return seen.every(({ rect }) =>
          Buffer.from(framebuffer.read(rect)).equals(Buffer.from(picture.read(rect))),
        );
      });
    }),
    { numRuns: 40 },
  );
  const picture = fc.sample(anyPicture(20), 1)[0];
  if (picture === undefined) throw new Error("no picture");
  const state = encoderState();
  encoded(zrle, picture, picture.rect, state);
  t.equal(state.zrleStarted, true, "the encoder notes that the stream is begun");
});
