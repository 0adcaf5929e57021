import t from "tap";
import { Framebuffer } from "../../../../src/framebuffer/framebuffer.ts";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import { raw } from "../../../../src/protocols/rfb/encodings/raw.ts";
import { checkDecodes, decode, encoderState, picture, pixelsAt } from "./decode-harness.ts";
import { noisePicture } from "./pictures.ts";

t.test("raw pixels are r, g, b and a byte that does not matter, row by row", async (t) => {
  const body = Uint8Array.from([255, 0, 0, 0, 0, 255, 0, 9, 0, 0, 255, 255, 1, 2, 3, 128]);
  const rect = { x: 1, y: 1, width: 2, height: 2 };
  const expected = picture(["....", ".rg.", ".bx.", "...."], {
    r: 0xff0000,
    g: 0x00ff00,
    b: 0x0000ff,
    x: 0x010203,
  });
  checkDecodes(t, [{ encoding: raw, rect, body }], expected);
});

t.test("rows are used as they arrive, the queue never holds more than the next one", async (t) => {
  const from = noisePicture(300, 200);
  const to = new ByteWriter();
  raw.encode?.(to, pixelsAt(from, 0, 0), from.rect, encoderState());
  const { mostQueued } = decode([{ encoding: raw, rect: from.rect, body: to.bytes() }], 300, 200, [700]);
  t.ok(mostQueued < 300 * 4, `${mostQueued} bytes waited at most`);
});

t.test("an empty rectangle has no body", async (t) => {
  const rect = { x: 3, y: 3, width: 0, height: 5 };
  const { framebuffer } = decode([{ encoding: raw, rect, body: new Uint8Array(0) }], 8, 8);
  t.same(framebuffer.words, new Framebuffer(8, 8).words);
});

t.test("a body that ends early leaves the parser waiting", async (t) => {
  const rect = { x: 0, y: 0, width: 2, height: 2 };
  t.throws(() => decode([{ encoding: raw, rect, body: new Uint8Array(15) }], 2, 2), /wants 8 bytes, has 7/);
});
