import fc from "fast-check";
import t from "tap";
import type { Rect } from "../../../../src/framebuffer/rect.ts";
import { nodeDeflate, nodeInflate } from "../../../../src/platform/node-zlib.ts";
import { pakoInflate } from "../../../../src/platform/pako-inflate.ts";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import type { Encoding } from "../../../../src/protocols/rfb/encodings/encoding.ts";
import { ALL_ENCODINGS } from "../../../../src/protocols/rfb/encodings/list.ts";
import { tight } from "../../../../src/protocols/rfb/encodings/tight.ts";
import { zrle } from "../../../../src/protocols/rfb/encodings/zrle.ts";
import { RfbError } from "../../../../src/protocols/rfb/error.ts";
import { decode, encoderState, Incomplete, joinBytes, pixelsAt, type WireRect } from "./decode-harness.ts";
import { anyPicture } from "./pictures.ts";

const WIDTH = 150;
const HEIGHT = 90;

const anyRect: fc.Arbitrary<Rect> = fc
  .record({
    x: fc.integer({ min: 0, max: WIDTH }),
    y: fc.integer({ min: 0, max: HEIGHT }),
    width: fc.integer({ min: 0, max: WIDTH }),
    height: fc.integer({ min: 0, max: HEIGHT }),
  })
  .map((r) => ({ ...r, width: Math.min(r.width, WIDTH - r.x), height: Math.min(r.height, HEIGHT - r.y) }));

/** True where decoding succeeds, waits for more, or says what is wrong: `decode` itself checks alpha and waits. */
function isCivil(rects: readonly WireRect[], sizes: readonly number[], inflate = nodeInflate): boolean {
  try {
    decode(rects, WIDTH, HEIGHT, sizes, inflate);
  } catch (error) {
    if (error instanceof RfbError) return error.phase === "rectangle" && error.message.length > 0;
    // Bytes that are left over belong to the next message.
    return error instanceof Incomplete || (error instanceof Error && /were not read$/.test(error.message));
  }
  return true;
}

const cuts = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 5 });

for (const encoding of ALL_ENCODINGS) {
  t.test(`random bytes as ${encoding.name} end in pixels, waiting or an RfbError`, async (t) => {
    fc.assert(
      fc.property(anyRect, fc.uint8Array({ maxLength: 2000 }), cuts, (rect, body, sizes) =>
        isCivil([{ encoding, rect, body }], sizes),
      ),
      { numRuns: 600 },
    );
    t.pass("nothing else happened");
  });
}

t.test("random tiles in sound zlib data end in pixels, waiting or an RfbError", async (t) => {
  const tiles = fc.array(
    fc.oneof(
      fc.constantFrom(0, 1, 2, 3, 5, 16, 17, 127, 128, 129, 130, 131, 255).map((kind) => Uint8Array.of(kind)),
      fc.uint8Array({ maxLength: 300 }),
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(anyRect, tiles, cuts, fc.boolean(), (rect, parts, sizes, isPako) => {
      const data = nodeDeflate.zlib(joinBytes(parts), 1);
      const body = new ByteWriter().u32(data.length).put(data).bytes();
      return isCivil([{ encoding: zrle, rect, body }], sizes, isPako ? pakoInflate : nodeInflate);
    }),
    { numRuns: 800 },
  );
  t.pass("nothing else happened");
});

t.test("random pixels behind sound tight headers end in pixels, waiting or an RfbError", async (t) => {
  const heads = fc.constantFrom([0], [0x31], [0x40, 0], [0x50, 2], [0x61, 1, 1, 1, 2, 3, 4, 5, 6], [0x90]);
  fc.assert(
    fc.property(anyRect, heads, fc.uint8Array({ maxLength: 3000 }), cuts, (rect, head, pixels, sizes) => {
      const data = nodeDeflate.zlib(pixels, 1);
      const length = [(data.length & 127) | 128, data.length >> 7];
      const body = joinBytes([Uint8Array.from([...head, ...length]), data]);
      return isCivil([{ encoding: tight, rect, body }], sizes);
    }),
    { numRuns: 800 },
  );
  t.pass("nothing else happened");
});

function isEncoder(encoding: Encoding): boolean {
  return encoding.encode !== undefined;
}

for (const encoding of ALL_ENCODINGS.filter(isEncoder)) {
  t.test(`${encoding.name} bodies with flipped bytes end in pixels, waiting or an RfbError`, async (t) => {
    const flips = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(anyPicture(90), flips, cuts, (picture, changes, sizes) => {
        const to = new ByteWriter();
        encoding.encode?.(to, pixelsAt(picture, 0, 0), picture.rect, encoderState());
        const body = to.bytes();
        for (const [at, value] of changes) body[at % body.length] = value;
        return isCivil([{ encoding, rect: picture.rect, body }], sizes);
      }),
      { numRuns: 300 },
    );
    t.pass("nothing else happened");
  });
}
