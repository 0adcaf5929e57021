import t from "tap";
import { Framebuffer } from "../../../../src/framebuffer/framebuffer.ts";
import { jpegTurbo } from "../../../../src/imaging/jpeg/jpeg-turbo.ts";
import { nodeDeflate } from "../../../../src/platform/node-zlib.ts";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import { TIGHT_MAX_AREA, TIGHT_MAX_WIDTH, tight } from "../../../../src/protocols/rfb/encodings/tight.ts";
import {
  checkDecodes,
  checkRefuses,
  decode,
  encoderState,
  joinBytes,
  picture,
  pixelsAt,
  sameWords,
} from "./decode-harness.ts";
import { noisePicture, photoPicture } from "./pictures.ts";

const RED = [255, 0, 0];
const GREEN = [0, 255, 0];
const BLUE = [0, 0, 255];
const colours = { r: 0xff0000, g: 0x00ff00, b: 0x0000ff, w: 0xffffff };

/** Of rfbproto "Tight Encoding". */
const FILL = 0x80;
const JPEG = 0x90;
const FILTER = 0x40;
const COPY_FILTER = 0;
const PALETTE_FILTER = 1;
const GRADIENT_FILTER = 2;

function lengthOf(count: number): number[] {
  if (count < 128) return [count];
  if (count < 16_384) return [(count & 127) | 128, count >> 7];
  return [(count & 127) | 128, ((count >> 7) & 127) | 128, count >> 14];
}

/** Head bytes, then data with its length: as a zlib stream of its own. */
function packed(head: readonly number[], data: readonly number[] | Uint8Array): Uint8Array {
  const zlib = nodeDeflate.zlib(Uint8Array.from(data), 6);
  return joinBytes([Uint8Array.from([...head, ...lengthOf(zlib.length)]), zlib]);
}

const rect = { x: 1, y: 0, width: 3, height: 2 };

t.test("fill is one colour", async (t) => {
  const body = Uint8Array.from([FILL, ...GREEN]);
  checkDecodes(t, [{ encoding: tight, rect, body }], picture([".ggg", ".ggg"], colours));
});

t.test("a fill may be wider than other rectangles", async (t) => {
  const wide = { x: 0, y: 0, width: 2500, height: 2 };
  const body = Uint8Array.from([FILL, ...GREEN]);
  checkDecodes(
    t,
    [{ encoding: tight, rect: wide, body }],
    picture(["g".repeat(2500), "g".repeat(2500)], colours),
  );
});

t.test("pixels without a filter", async (t) => {
  const pixels = [...RED, ...GREEN, ...BLUE, ...BLUE, ...GREEN, ...RED];
  const expected = picture([".rgb", ".bgr"], colours);
  checkDecodes(t, [{ encoding: tight, rect, body: packed([0], pixels) }], expected);
  checkDecodes(t, [{ encoding: tight, rect, body: packed([FILTER, COPY_FILTER], pixels) }], expected);
});

t.test("less than 12 bytes come as they are, without a length", async (t) => {
  const narrow = { x: 0, y: 0, width: 3, height: 1 };
  const body = Uint8Array.from([0, ...RED, ...GREEN, ...BLUE]);
  checkDecodes(t, [{ encoding: tight, rect: narrow, body }], picture(["rgb"], colours));
  const bits = Uint8Array.from([FILTER, PALETTE_FILTER, 1, ...RED, ...BLUE, 0b01000000, 0b10100000]);
  checkDecodes(t, [{ encoding: tight, rect, body: bits }], picture([".rbr", ".brb"], colours));
  const indices = Uint8Array.from([FILTER, PALETTE_FILTER, 2, ...RED, ...GREEN, ...BLUE, 0, 1, 2, 2, 1, 0]);
  checkDecodes(t, [{ encoding: tight, rect, body: indices }], picture([".rgb", ".bgr"], colours));
});

t.test("two colours are one bit a pixel, rows padded to bytes", async (t) => {
  const wide = { x: 0, y: 0, width: 10, height: 6 };
  const head = [FILTER, PALETTE_FILTER, 1, ...RED, ...BLUE];
  const body = packed(head, [0x80, 0x40, 0x01, 0x80, 0xff, 0xc0, 0x00, 0x00, 0xaa, 0x80, 0x00, 0x3f]);
  const rows = ["brrrrrrrrb", "rrrrrrrbbr", "bbbbbbbbbb", "rrrrrrrrrr", "brbrbrbrbr", "rrrrrrrrrr"];
  checkDecodes(t, [{ encoding: tight, rect: wide, body }], picture(rows, colours));
});

t.test("a palette of 256 colours", async (t) => {
  const wide = { x: 0, y: 0, width: 16, height: 16 };
  const palette = Array.from({ length: 256 }, (_, i) => [i, 255 - i, 7]).flat();
  const indices = Array.from({ length: 256 }, (_, i) => 255 - i);
  const words = Uint32Array.from(indices, (i) => 0xff000000 | (7 << 16) | ((255 - i) << 8) | i);
  const body = packed([FILTER, PALETTE_FILTER, 255, ...palette], indices);
  checkDecodes(t, [{ encoding: tight, rect: wide, body }], { width: 16, height: 16, words });
});

t.test("the gradient filter adds to left + above - above left, cut to a byte", async (t) => {
  const square = { x: 0, y: 0, width: 2, height: 2 };
  // Red: 200, 250 | 100, then 100 + 250 - 200 = 150, and 10 more. Green: 250 + 250 - 100 is cut to 255, 2 more
  // come round to 1. Blue: 0 + 0 - 50 is cut to 0, and 9 more.
  const differences = [...[200, 100, 50], ...[50, 150, 206], ...[156, 150, 206], ...[10, 2, 9]];
  const expected = picture(["ab", "cd"], { a: 0xc86432, b: 0xfafa00, c: 0x64fa00, d: 0xa00109 });
  checkDecodes(
    t,
    [{ encoding: tight, rect: square, body: packed([FILTER, GRADIENT_FILTER], differences) }],
    expected,
  );
});

t.test("the gradient filter gives back a picture of any size", async (t) => {
  const from = noisePicture(61, 40);
  const differences: number[] = [];
  const at = (x: number, y: number, c: number) =>
    x < 0 || y < 0 ? 0 : (from.bytes[y * from.strideBytes + x * 4 + c] ?? 0);
  for (let y = 0; y < 40; y++) {
    for (let x = 0; x < 61; x++) {
      for (let c = 0; c < 3; c++) {
        const guess = at(x - 1, y, c) + at(x, y - 1, c) - at(x - 1, y - 1, c);
        differences.push((at(x, y, c) - Math.min(255, Math.max(0, guess))) & 255);
      }
    }
  }
  const body = packed([FILTER, GRADIENT_FILTER], differences);
  checkDecodes(t, [{ encoding: tight, rect: from.rect, body }], from);
});

t.test("each of the four streams has its own history, and a reset bit forgets it", async (t) => {
  const colourOf = (stream: number) => [stream, 40 + stream, 200 - stream];
  const pixels = (stream: number) =>
    Uint8Array.from(Array.from({ length: 6 }, () => colourOf(stream)).flat());
  const more = (stream: number) => nodeDeflate.rawSegment(pixels(stream), 6);
  const body = (control: number, data: Uint8Array) =>
    joinBytes([Uint8Array.from([control, ...lengthOf(data.length)]), data]);
  const streams = [0, 1, 2, 3];
  const first = streams.map((stream) => body(stream << 4, nodeDeflate.zlib(pixels(stream), 6)));
  const second = streams.map((stream) => body(stream << 4, more(stream)));
  const third = streams.map((stream) =>
    body((stream << 4) | (1 << stream), nodeDeflate.zlib(pixels(stream), 6)),
  );
  const all = [...first, ...second, ...third].map((wire, i) => ({
    encoding: tight,
    rect: { x: 3 * i, y: 0, width: 3, height: 2 },
    body: wire,
  }));
  const expected = new Framebuffer(36, 2);
  for (let i = 0; i < 12; i++) {
    const [r = 0, g = 0, b = 0] = colourOf(i % 4);
    expected.fill({ x: 3 * i, y: 0, width: 3, height: 2 }, r | (g << 8) | (b << 16));
  }
  checkDecodes(t, all, expected);
  const forgotten = [...first, body(0x0f, more(0))].map((wire) => ({ encoding: tight, rect, body: wire }));
  checkRefuses(t, forgotten, 4, 2, /damaged/);
});

t.test("jpeg rectangles have the image's pixels", async (t) => {
  const from = photoPicture(70, 33);
  const jpeg = jpegTurbo.encode(from.bytes, 70, 33, from.strideBytes, 95);
  const place = { x: 5, y: 2, width: 70, height: 33 };
  const body = joinBytes([Uint8Array.from([JPEG, ...lengthOf(jpeg.length)]), jpeg]);
  const expected = new Framebuffer(80, 40);
  const { rgba } = jpegTurbo.decode(jpeg);
  for (let y = 0; y < 33; y++)
    expected.bytes.set(rgba.subarray(y * 280, (y + 1) * 280), ((y + 2) * 80 + 5) * 4);
  checkDecodes(t, [{ encoding: tight, rect: place, body }], expected);
});

t.test("jpeg rectangles as wide as the picture are decoded in place, one below the other", async (t) => {
  const from = photoPicture(70, 64);
  const expected = new Framebuffer(70, 64);
  const rects = [0, 24, 40].map((y, i) => {
    const height = [24, 16, 24][i] ?? 0;
    const place = { x: 0, y, width: 70, height };
    const part = from.bytes.subarray(y * from.strideBytes);
    const jpeg = jpegTurbo.encode(part, 70, height, from.strideBytes, 95);
    expected.bytes.set(jpegTurbo.decode(jpeg).rgba, y * from.strideBytes);
    return {
      encoding: tight,
      rect: place,
      body: joinBytes([Uint8Array.from([JPEG, ...lengthOf(jpeg.length)]), jpeg]),
    };
  });
  checkDecodes(t, rects, expected);
});

t.test("the encoder sends photographs as jpeg where it may, close to the original", async (t) => {
  const from = photoPicture(200, 160);
  const to = new ByteWriter();
  tight.encode?.(to, pixelsAt(from, 0, 0), from.rect, encoderState({ jpegQuality: 92 }));
  t.equal(to.bytes()[0], JPEG);
  const { framebuffer } = decode([{ encoding: tight, rect: from.rect, body: to.bytes() }], 200, 160, [999]);
  const off = from.bytes.reduce((sum, byte, i) => sum + Math.abs(byte - (framebuffer.bytes[i] ?? 0)), 0);
  t.ok(off / from.bytes.length < 3, `${off / from.bytes.length} off on average`);
});

t.test("the encoder sends lossless where no jpeg is wanted, or the picture is small or plain", async (t) => {
  const photo = photoPicture(200, 160);
  const small = { x: 170, y: 140, width: 30, height: 20 };
  const flat = new Framebuffer(100, 100);
  for (const [from, rect, jpegQuality] of [
    [photo, photo.rect, null],
    [photo, small, 90],
    [flat, flat.rect, 90],
  ] as const) {
    const to = new ByteWriter();
    tight.encode?.(to, pixelsAt(from, rect.x, rect.y), rect, encoderState({ jpegQuality }));
    const run = decode([{ encoding: tight, rect, body: to.bytes() }], from.width, from.height, [64]);
    t.ok(Buffer.from(run.framebuffer.read(rect)).equals(Buffer.from(from.read(rect))));
  }
});

t.test(
  "the encoder sends as a fill what is of one colour, whatever lies around it, and nothing else",
  async (t) => {
    const from = noisePicture(300, 200);
    const inner = { x: 20, y: 10, width: 120, height: 90 };
    from.fill(inner, 0xff102030);
    const encoded = (): Uint8Array => {
      const to = new ByteWriter();
      tight.encode?.(to, pixelsAt(from, inner.x, inner.y), inner, encoderState());
      return to.bytes();
    };
    t.same([...encoded()], [FILL, 0x30, 0x20, 0x10]);
    for (const [x, y] of [
      [0, 0],
      [119, 0],
      [0, 89],
      [119, 89],
      [60, 45],
    ] as const) {
      from.fill({ x: inner.x + x, y: inner.y + y, width: 1, height: 1 }, 0xff102031);
      const body = encoded();
      t.not(body[0], FILL, `${x}, ${y}`);
      const { framebuffer } = decode([{ encoding: tight, rect: inner, body }], 300, 200, [999]);
      t.ok(Buffer.from(framebuffer.read(inner)).equals(Buffer.from(from.read(inner))));
      from.fill(inner, 0xff102030);
    }
  },
);

t.test("every encoded rectangle stands alone", async (t) => {
  const from = noisePicture(300, 200);
  const rects = [0, 1, 2].map((i) => {
    const rect = { x: i * 100, y: 0, width: 100, height: 200 };
    const to = new ByteWriter();
    tight.encode?.(to, pixelsAt(from, rect.x, rect.y), rect, encoderState());
    return { encoding: tight, rect, body: to.bytes() };
  });
  const { framebuffer } = decode([...rects].reverse(), 300, 200, [5000]);
  t.ok(sameWords(framebuffer.words, from.words), "in any order");
});

t.test("the encoder refuses what the caller should have split", async (t) => {
  const wide = new Framebuffer(TIGHT_MAX_WIDTH + 1, 40);
  for (const rect of [
    { x: 0, y: 0, width: TIGHT_MAX_WIDTH + 1, height: 1 },
    { x: 0, y: 0, width: 1700, height: 39 },
    { x: 0, y: 0, width: 0, height: 1 },
  ]) {
    t.throws(
      () => tight.encode?.(new ByteWriter(), pixelsAt(wide, 0, 0), rect, encoderState()),
      new RegExp(`expected 1 to ${TIGHT_MAX_AREA} pixels`),
    );
  }
});

function refused(name: string, body: Uint8Array, message: RegExp, place = rect) {
  t.test(name, async (t) => {
    checkRefuses(t, [{ encoding: tight, rect: place, body }], 4000, 4, message);
  });
}

refused(
  "case 17: a palette of one colour is refused",
  Uint8Array.of(FILTER, PALETTE_FILTER, 0),
  /palette of 1/,
);
refused("case 17: filter 3 is refused", Uint8Array.of(FILTER, 3), /tight filter 3/);
refused("case 17: filter 9 is refused", Uint8Array.of(FILTER, 9), /tight filter 9/);
refused(
  "case 17: an index beyond the palette is refused",
  Uint8Array.from([FILTER, PALETTE_FILTER, 2, ...RED, ...RED, ...RED, 0, 1, 2, 3, 0, 0]),
  /palette index 3/,
);
for (const [name, head] of [
  ["copied", [0]],
  ["gradient", [FILTER, GRADIENT_FILTER]],
  ["palette", [FILTER, PALETTE_FILTER, 1]],
  ["jpeg", [JPEG]],
] as const) {
  const wide = { x: 0, y: 0, width: 2049, height: 1 };
  refused(
    `case 17: a ${name} rectangle wider than 2048 is refused`,
    Uint8Array.from(head),
    /at most 2048/,
    wide,
  );
}
for (const kind of [0xa0, 0xb0, 0xf0]) {
  refused(
    `compression ${kind >> 4} is refused`,
    Uint8Array.of(kind),
    new RegExp(`tight compression ${kind >> 4}`),
  );
}

const bigHeader = (width: number, height: number) =>
  Uint8Array.of(
    0xff,
    0xd8,
    0xff,
    0xc0,
    0,
    11,
    8,
    height >> 8,
    height & 255,
    width >> 8,
    width & 255,
    1,
    1,
    17,
    0,
  );

function jpegBody(jpeg: Uint8Array): Uint8Array {
  return joinBytes([Uint8Array.from([JPEG, ...lengthOf(jpeg.length)]), jpeg]);
}

refused(
  "case 18: a jpeg that claims 65535x65535 is refused",
  jpegBody(bigHeader(65535, 65535)),
  /jpeg is damaged/,
);
refused("case 18: a jpeg of another size is refused", jpegBody(bigHeader(4, 2)), /jpeg of 4x2, expected 3x2/);
refused("case 18: a png is refused", jpegBody(Uint8Array.of(0x89, 0x50, 0x4e, 0x47)), /jpeg is damaged/);
refused("case 18: an empty jpeg is refused", Uint8Array.of(JPEG, 0), /jpeg is damaged/);
refused("case 18: a jpeg without image data is refused", jpegBody(bigHeader(3, 2)), /jpeg is damaged/);

t.test("case 18: a jpeg cut short is refused", async (t) => {
  const from = photoPicture(64, 64);
  const jpeg = jpegTurbo.encode(from.bytes, 64, 64, from.strideBytes, 90);
  const body = jpegBody(jpeg.subarray(0, jpeg.length >> 1));
  checkRefuses(t, [{ encoding: tight, rect: from.rect, body }], 64, 64, /jpeg is damaged/);
});

const pixels = [...RED, ...GREEN, ...BLUE, ...BLUE, ...GREEN, ...RED];
refused(
  "case 20: data that goes on after the last pixel is refused",
  packed([0], [...pixels, 1]),
  /more than/,
);
refused(
  "case 20: data that ends before the last pixel is refused",
  packed([0], pixels.slice(1)),
  /ends before/,
);
refused(
  "case 20: a bomb is refused",
  packed([0], new Uint8Array(32 * 1024 * 1024)),
  /more than|rectangle allows/,
);
refused(
  "a length beyond what the rectangle allows is refused",
  Uint8Array.of(0, 255, 255, 255),
  /rectangle allows/,
);

t.test("a large rectangle is decoded as it arrives and in bounded memory", async (t) => {
  const from = noisePicture(1400, 1200);
  const rgb = from.bytes.filter((_, i) => i % 4 !== 3).subarray(0, 1400 * 900 * 3);
  const rect = { x: 0, y: 0, width: 1400, height: 900 };
  const { framebuffer, mostQueued } = decode(
    [{ encoding: tight, rect, body: packed([0], rgb) }],
    1400,
    900,
    [1460],
  );
  t.ok(Buffer.from(framebuffer.bytes).equals(Buffer.from(from.read(rect))), "same pixels");
  t.ok(mostQueued < 3000, `${mostQueued} bytes waited at most`);
});
