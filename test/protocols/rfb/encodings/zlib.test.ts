import t from "tap";
import { nodeDeflate } from "../../../../src/platform/node-zlib.ts";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import { zlib } from "../../../../src/protocols/rfb/encodings/zlib.ts";
import { startStream } from "../../../../src/protocols/rfb/encodings/zlib-segment.ts";
import {
  checkDecodes,
  checkRefuses,
  decode,
  encoderState,
  picture,
  pixelsAt,
  sameWords,
} from "./decode-harness.ts";
import { noisePicture } from "./pictures.ts";

const rect = { x: 1, y: 0, width: 2, height: 2 };
const RED = [255, 0, 0, 0];
const BLUE = [0, 0, 255, 9];

function body(...pixels: readonly number[]): Uint8Array {
  const data = nodeDeflate.zlib(Uint8Array.from(pixels), 6);
  return new ByteWriter().u32(data.length).put(data).bytes();
}

t.test("pixels as in raw, through zlib", async (t) => {
  const wire = body(...RED, ...BLUE, ...BLUE, ...RED);
  const expected = picture([".rb", ".br"], { r: 0xff0000, b: 0x0000ff });
  checkDecodes(t, [{ encoding: zlib, rect, body: wire }], expected);
});

t.test("the stream goes on over rectangles, and one body serves viewers that join late", async (t) => {
  const from = noisePicture(60, 40);
  const state = encoderState({ zlibStarted: true });
  const rects = [0, 10, 20, 30].map((y) => {
    const place = { x: 0, y, width: 60, height: 10 };
    const to = new ByteWriter();
    zlib.encode?.(to, pixelsAt(from, 0, y), place, state);
    return { encoding: zlib, rect: place, body: to.bytes() };
  });
  for (const joined of [0, 2]) {
    const seen = rects.slice(joined).map((r, i) => (i === 0 ? { ...r, body: startStream(r.body) } : r));
    const { framebuffer } = decode(seen, 60, 40, [333]);
    const place = { x: 0, y: joined * 10, width: 60, height: 40 - joined * 10 };
    t.same(framebuffer.read(place), from.read(place));
  }
  const first = encoderState();
  zlib.encode?.(new ByteWriter(), pixelsAt(from, 0, 0), from.rect, first);
  t.equal(first.zlibStarted, true, "the encoder notes that the stream is begun");
});

t.test("a large rectangle is decoded as it arrives", async (t) => {
  const from = noisePicture(1500, 1000);
  const to = new ByteWriter();
  zlib.encode?.(to, pixelsAt(from, 0, 0), from.rect, encoderState());
  const run = decode([{ encoding: zlib, rect: from.rect, body: to.bytes() }], 1500, 1000, [10_000]);
  t.ok(sameWords(run.framebuffer.words, from.words));
  t.ok(run.mostQueued < 30_000, `${run.mostQueued} bytes waited at most`);
});

t.test("case 20: short, long, damaged and bombing data is refused", async (t) => {
  const refuse = (wire: Uint8Array, message: RegExp): void =>
    checkRefuses(t, [{ encoding: zlib, rect, body: wire }], 3, 2, message);
  refuse(body(...RED), /zlib data ends before/);
  refuse(body(...RED, ...RED, ...RED, ...RED, 1), /goes on|more than/);
  refuse(Uint8Array.of(0, 0, 0, 4, 0x78, 0x9c, 0xff, 0xff), /damaged/);
  refuse(Uint8Array.of(0x7f, 255, 255, 255), /where the rectangle allows/);
  const bomb = nodeDeflate.zlib(new Uint8Array(16 * 1024 * 1024), 9);
  refuse(new ByteWriter().u32(bomb.length).put(bomb).bytes(), /more than the rectangle holds/);
});
