import { constants, deflateSync } from "node:zlib";
import t from "tap";
import { nodeDeflate, nodeInflate } from "../../../../src/platform/node-zlib.ts";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import {
  DecoderStreams,
  SCRATCH_LIMIT_BYTES,
} from "../../../../src/protocols/rfb/encodings/decoder-state.ts";
import { zrle } from "../../../../src/protocols/rfb/encodings/zrle.ts";
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

const RED = [255, 0, 0];
const GREEN = [0, 255, 0];
const BLUE = [0, 0, 255];
const colours = { r: 0xff0000, g: 0x00ff00, b: 0x0000ff, w: 0xffffff };

/** The body of a connection's first rectangle whose tiles are these bytes. */
function body(...tiles: readonly number[]): Uint8Array {
  const data = nodeDeflate.zlib(Uint8Array.from(tiles), 6);
  return new ByteWriter().u32(data.length).put(data).bytes();
}

const rect = { x: 0, y: 0, width: 3, height: 2 };

function vector(name: string, tiles: readonly number[], rows: readonly string[]) {
  t.test(name, async (t) => {
    checkDecodes(t, [{ encoding: zrle, rect, body: body(...tiles) }], picture(rows, colours));
  });
}

vector("0: raw pixels", [0, ...RED, ...GREEN, ...BLUE, ...BLUE, ...GREEN, ...RED], ["rgb", "bgr"]);
vector("1: one colour", [1, ...GREEN], ["ggg", "ggg"]);
vector(
  "2: a palette of two, one bit a pixel, rows padded",
  [2, ...RED, ...BLUE, 0b01000000, 0b10100000],
  ["rbr", "brb"],
);
vector(
  "3: a palette of three, two bits a pixel",
  [3, ...RED, ...GREEN, ...BLUE, 0b00011000, 0b10010000],
  ["rgb", "bgr"],
);
vector(
  "5: a palette of five, four bits a pixel",
  [5, ...RED, ...GREEN, ...BLUE, ...RED, ...[255, 255, 255], 0x01, 0x20, 0x43, 0x00],
  ["rgb", "wrr"],
);
vector(
  "128: runs of pixels that go on over the row's end",
  [128, ...RED, 3, ...BLUE, 0, ...GREEN, 0],
  ["rrr", "rbg"],
);
vector("130: runs of palette indices", [130, ...RED, ...BLUE, 0, 0x81, 3, 0], ["rbb", "bbr"]);

t.test("a run longer than 255 has several length bytes, and one of 255 more ends with a zero", async (t) => {
  const wide = { x: 0, y: 0, width: 64, height: 9 };
  const tiles = body(128, ...RED, 255, 255, 1, ...BLUE, 63);
  const rows = [...Array.from({ length: 8 }, () => "r".repeat(64)), "b".repeat(64)];
  checkDecodes(t, [{ encoding: zrle, rect: wide, body: tiles }], picture(rows, colours));
  const exact = { x: 0, y: 0, width: 64, height: 4 };
  checkDecodes(
    t,
    [{ encoding: zrle, rect: exact, body: body(130, ...RED, ...BLUE, 0x81, 255, 0) }],
    picture(
      Array.from({ length: 4 }, () => "b".repeat(64)),
      colours,
    ),
  );
});

t.test("tiles of 64 go left to right, narrow at the edges", async (t) => {
  const wide = { x: 2, y: 0, width: 66, height: 65 };
  const tiles = body(1, ...RED, 1, ...GREEN, 1, ...BLUE, 1, 255, 255, 255);
  const rows = Array.from({ length: 64 }, () => `..${"r".repeat(64)}gg`);
  rows.push(`..${"b".repeat(64)}ww`);
  checkDecodes(t, [{ encoding: zrle, rect: wide, body: tiles }], picture(rows, colours));
});

t.test("the stream goes on over rectangles", async (t) => {
  const header = deflateSync(Uint8Array.of(1, ...RED), { finishFlush: constants.Z_SYNC_FLUSH });
  const more = nodeDeflate.rawSegment(Uint8Array.of(1, ...BLUE), 6);
  const bodies = [header, more].map((data) => new ByteWriter().u32(data.length).put(data).bytes());
  const rects = bodies.map((data, i) => ({
    encoding: zrle,
    rect: { x: i, y: 0, width: 1, height: 1 },
    body: data,
  }));
  checkDecodes(t, rects, picture(["rb"], colours));
});

function refused(name: string, wire: Uint8Array, message: RegExp) {
  t.test(name, async (t) => checkRefuses(t, [{ encoding: zrle, rect, body: wire }], 3, 2, message));
}

vector("case 19: a run longer than its tile ends with it", [128, ...RED, 1, ...BLUE, 6], ["rrb", "bbb"]);
vector(
  "case 19: a long run of length bytes ends with its tile",
  [130, ...RED, ...BLUE, 0, 0x81, 255, 255, 255, 0],
  ["rbb", "bbb"],
);
refused(
  "case 19: a run without end is refused",
  body(130, ...RED, ...BLUE, 0x80, ...Array(300).fill(255), 0),
  /run of 65\d+ pixels, expected at most/,
);
refused(
  "case 19: an index beyond the palette is refused in runs",
  body(130, ...RED, ...BLUE, 2),
  /palette index 2/,
);
refused(
  "case 19: an index beyond the palette is refused in bits",
  body(3, ...RED, ...RED, ...RED, 0xff, 0xff),
  /palette index 3/,
);
refused(
  "case 19: a length of 2^31 is refused at once",
  Uint8Array.of(0x80, 0, 0, 0),
  /where the rectangle allows/,
);
refused(
  "case 19: a length of 2^32 - 1 is refused at once",
  Uint8Array.of(255, 255, 255, 255),
  /rectangle allows/,
);
refused("subencodings 17 to 127 are refused", body(17, ...RED), /subencoding 17/);
refused("subencoding 129 is refused", body(129, ...RED, 0), /subencoding 129/);
refused("case 20: data that ends before the last pixel is refused", body(0, ...RED, ...RED), /ends before/);
refused("case 20: a run without its length is refused", body(128, ...RED), /ends before/);
refused("case 20: no data at all is refused", Uint8Array.of(0, 0, 0, 0), /ends before/);
refused("case 20: data that goes on after the last pixel is refused", body(1, ...RED, 1), /goes on/);
refused("case 20: damaged data is refused", Uint8Array.of(0, 0, 0, 4, 0x78, 0x9c, 0xff, 0xff), /damaged/);

t.test("case 20: a bomb is refused within the scratch memory", async (t) => {
  const bomb = nodeDeflate.zlib(new Uint8Array(64 * 1024 * 1024), 9);
  t.ok(bomb.length < 70_000, "64 MiB in a few kilobytes");
  const wire = new ByteWriter().u32(bomb.length).put(bomb).bytes();
  checkRefuses(t, [{ encoding: zrle, rect, body: wire }], 3, 2, /damaged or decodes to more/);
  const large = { x: 0, y: 0, width: 1920, height: 1080 };
  checkRefuses(
    t,
    [{ encoding: zrle, rect: large, body: wire }],
    1920,
    1080,
    /goes on|damaged or decodes to more/,
  );
});

t.test("a large rectangle is decoded as it arrives and in bounded memory", async (t) => {
  const from = noisePicture(1500, 1300);
  const to = new ByteWriter();
  zrle.encode?.(to, pixelsAt(from, 0, 0), from.rect, encoderState());
  const whole = [{ encoding: zrle, rect: from.rect, body: to.bytes() }];
  for (const sizes of [[1460], [100_000], [Number.POSITIVE_INFINITY]]) {
    const run = decode(whole, 1500, 1300, sizes);
    t.ok(sameWords(run.framebuffer.words, from.words), "same pixels");
    t.ok(run.mostQueued < 100_000, `${run.mostQueued} bytes waited at most`);
  }
  const state = new DecoderStreams({ inflate: nodeInflate, jpeg: encoderState().jpeg });
  t.throws(() => state.scratch(SCRATCH_LIMIT_BYTES + 1), { code: "too_large" });
});
