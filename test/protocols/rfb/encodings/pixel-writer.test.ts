import { constants, inflateSync } from "node:zlib";
import t from "tap";
import { Framebuffer } from "../../../../src/framebuffer/framebuffer.ts";
import { type PixelFormat, RGBX } from "../../../../src/framebuffer/pixel-format.ts";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import type { Encoding } from "../../../../src/protocols/rfb/encodings/encoding.ts";
import { hextile } from "../../../../src/protocols/rfb/encodings/hextile.ts";
import { type PixelLayout, pixelWriterFor } from "../../../../src/protocols/rfb/encodings/pixel-writer.ts";
import { raw } from "../../../../src/protocols/rfb/encodings/raw.ts";
import { tight } from "../../../../src/protocols/rfb/encodings/tight.ts";
import { zrle } from "../../../../src/protocols/rfb/encodings/zrle.ts";
import { encoderState, pixelsAt } from "./decode-harness.ts";

const RGB565: PixelFormat = {
  ...{ bitsPerPixel: 16, depth: 16, isBigEndian: false, isTrueColour: true },
  ...{ redMax: 31, greenMax: 63, blueMax: 31, redShift: 11, greenShift: 5, blueShift: 0 },
};
const RGB332: PixelFormat = {
  ...{ bitsPerPixel: 8, depth: 8, isBigEndian: false, isTrueColour: true },
  ...{ redMax: 7, greenMax: 7, blueMax: 3, redShift: 5, greenShift: 2, blueShift: 0 },
};
const BGRX: PixelFormat = { ...RGBX, redShift: 16, greenShift: 8, blueShift: 0 };
const XRGB: PixelFormat = { ...BGRX, isBigEndian: true };
const HIGH: PixelFormat = { ...RGBX, redShift: 8, greenShift: 16, blueShift: 24 };
const DEEP: PixelFormat = {
  ...RGBX,
  depth: 30,
  redMax: 1023,
  greenMax: 1023,
  blueMax: 1023,
  greenShift: 10,
  blueShift: 20,
};

/** Red 0xff, green 0x80, blue 0x01. */
const colour = new Framebuffer(1, 1);
colour.fill(colour.rect, 0x0180ff);

function written(layout: PixelLayout): number[] {
  const values = new Uint32Array(1);
  layout.load(pixelsAt(colour, 0, 0), 0, 0, 1, 1, values);
  const one = new Uint8Array(8);
  const all = new Uint8Array(8);
  const end = layout.put(values[0] ?? 0, one, 2);
  layout.putAll(values, 1, all, 2);
  t.same(one, all, "put and putAll agree");
  t.equal(end, 2 + layout.sizeBytes);
  return [...one.subarray(2, end)];
}

const CASES = [
  {
    name: "our own",
    format: RGBX,
    plain: [0xff, 0x80, 1, 0],
    compact: [0xff, 0x80, 1],
    tight: [0xff, 0x80, 1],
  },
  {
    name: "blue lowest",
    format: BGRX,
    plain: [1, 0x80, 0xff, 0],
    compact: [1, 0x80, 0xff],
    tight: [0xff, 0x80, 1],
  },
  {
    name: "big-endian",
    format: XRGB,
    plain: [0, 0xff, 0x80, 1],
    compact: [0xff, 0x80, 1],
    tight: [0xff, 0x80, 1],
  },
  {
    name: "the highest bytes",
    format: HIGH,
    plain: [0, 0xff, 0x80, 1],
    compact: [0xff, 0x80, 1],
    tight: [0xff, 0x80, 1],
  },
  {
    name: "the highest bytes, big-endian",
    format: { ...HIGH, isBigEndian: true },
    plain: [1, 0x80, 0xff, 0],
    compact: [1, 0x80, 0xff],
    tight: [0xff, 0x80, 1],
  },
  // 1023, 0x80 * 1023 / 255 = 513.5, 1 * 1023 / 255 = 4.01: 0x004807ff with 514.
  {
    name: "ten bits",
    format: DEEP,
    plain: [0xff, 0x0b, 0x48, 0],
    compact: [0xff, 0x0b, 0x48, 0],
    tight: [0xff, 0x0b, 0x48, 0],
  },
  // 31 << 11 | 32 << 5 | 0
  { name: "565", format: RGB565, plain: [0x00, 0xfc], compact: [0x00, 0xfc], tight: [0x00, 0xfc] },
  {
    name: "565 big-endian",
    format: { ...RGB565, isBigEndian: true },
    plain: [0xfc, 0x00],
    compact: [0xfc, 0x00],
    tight: [0xfc, 0x00],
  },
  // 7 << 5 | 4 << 2 | 0
  { name: "332", format: RGB332, plain: [0xf0], compact: [0xf0], tight: [0xf0] },
];

for (const { name, format, plain, compact, tight } of CASES) {
  t.test(`a pixel in the format ${name} lies as RFC 6143 and rfbproto say`, async (t) => {
    const writer = pixelWriterFor(format);
    t.same(written(writer.plain), plain, "PIXEL");
    t.same(written(writer.compact), compact, "CPIXEL");
    t.same(written(writer.tight), tight, "TPIXEL");
    t.equal(pixelWriterFor(format), writer, "made once");
  });
}

t.test("a colour map format is refused", async (t) => {
  t.throws(() => pixelWriterFor({ ...RGB332, isTrueColour: false }), /expected true colour/);
  t.throws(() => pixelWriterFor({ ...RGBX, bitsPerPixel: 24 }), /24 bits, expected 8, 16 or 32/);
});

t.test("each encoding writes in the viewer's format", async (t) => {
  const from = new Framebuffer(4, 2);
  from.fill({ x: 3, y: 0, width: 1, height: 2 }, 0xffffff);
  const body = (encoding: Encoding, format: PixelFormat) => {
    const to = new ByteWriter();
    encoding.encode?.(to, pixelsAt(from, 0, 0), from.rect, encoderState({ format }));
    return [...to.bytes()];
  };
  const inflated = (zlib: readonly number[]) => [
    ...inflateSync(Uint8Array.from(zlib), { finishFlush: constants.Z_SYNC_FLUSH }),
  ];
  t.same(body(raw, RGB332), [0, 0, 0, 255, 0, 0, 0, 255]);
  t.same(body(raw, RGB565), [0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0, 0, 0, 255, 255]);
  t.same(body(hextile, RGB332), [14, 0, 255, 1, 0x30, 0x01]);
  t.same(body(hextile, RGB565), [14, 0, 0, 255, 255, 1, 0x30, 0x01]);
  t.same(inflated(body(zrle, RGB332).slice(4)), [2, 0, 255, 0b00010000, 0b00010000]);
  t.same(inflated(body(zrle, RGB565).slice(4)), [2, 0, 0, 255, 255, 0b00010000, 0b00010000]);
  t.same(body(tight, RGB332), [0x41, 1, 1, 0, 255, 0b00010000, 0b00010000]);
  t.same(body(tight, RGB565), [0x41, 1, 1, 0, 0, 255, 255, 0b00010000, 0b00010000]);
});
