import fc from "fast-check";
import t from "tap";
import { nodeInflate } from "../../../../src/platform/node-zlib.ts";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import { corre } from "../../../../src/protocols/rfb/encodings/corre.ts";
import { rre } from "../../../../src/protocols/rfb/encodings/rre.ts";
import {
  checkDecodes,
  checkRefuses,
  decode,
  encoderState,
  picture,
  pixelsAt,
  sameWords,
} from "./decode-harness.ts";
import { anyPicture } from "./pictures.ts";

const rect = { x: 1, y: 0, width: 4, height: 3 };

/** Subrectangles as x, y, width, height, each red, on blue. */
function body(subrects: readonly (readonly number[])[], count = subrects.length): Uint8Array {
  const to = new ByteWriter(256).u32(count).u8(0).u8(0).u8(255).u8(0);
  for (const place of subrects) to.u8(255).u8(0).u8(0).u8(9).put(Uint8Array.from(place));
  return to.bytes();
}

t.test("places are one byte each", async (t) => {
  const expected = picture([".rbbb", ".bbrr", ".bbrr"], { r: 0xff0000, b: 0x0000ff });
  const wire = body([
    [0, 0, 1, 1],
    [2, 1, 2, 2],
  ]);
  checkDecodes(t, [{ encoding: corre, rect, body: wire }], expected);
});

t.test("a body of rre with its numbers cut to a byte is one of corre", async (t) => {
  fc.assert(
    fc.property(anyPicture(60), fc.integer({ min: 1, max: 50 }), (from, size) => {
      const to = new ByteWriter();
      rre.encode?.(to, pixelsAt(from, 0, 0), from.rect, encoderState());
      const wide = to.bytes();
      const narrow = new ByteWriter().put(wide.subarray(0, 8));
      for (let at = 8; at < wide.length; at += 12) {
        narrow.put(wide.subarray(at, at + 4));
        for (let i = at + 5; i < at + 12; i += 2) narrow.u8(wide[i] ?? 0);
      }
      const wire = [{ encoding: corre, rect: from.rect, body: narrow.bytes() }];
      const { framebuffer } = decode(wire, from.width, from.height, [size], nodeInflate);
      return sameWords(framebuffer.words, from.words);
    }),
    { numRuns: 60 },
  );
  t.pass("all pictures were equal");
});

t.test("case 15: subrectangles outside, too many or on top of each other are refused", async (t) => {
  const refuse = (wire: Uint8Array, message: RegExp): void =>
    checkRefuses(t, [{ encoding: corre, rect, body: wire }], 5, 3, message);
  refuse(body([[4, 0, 1, 1]]), /corre subrectangle 4,0 of 1x1, expected inside 4x3/);
  refuse(body([[0, 0, 255, 255]]), /expected inside 4x3/);
  refuse(body([], 0xffffffff), /corre with 4294967295 subrectangles/);
  refuse(body(Array.from({ length: 12 }, () => [0, 0, 4, 3])), /corre subrectangles overlap/);
});
