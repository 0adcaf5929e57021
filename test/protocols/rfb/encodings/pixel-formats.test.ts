import fc from "fast-check";
import t from "tap";
import { RGBX } from "../../../../src/framebuffer/pixel-format.ts";
import { nodeInflate } from "../../../../src/platform/node-zlib.ts";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import { DecoderStreams } from "../../../../src/protocols/rfb/encodings/decoder-state.ts";
import { hextile } from "../../../../src/protocols/rfb/encodings/hextile.ts";
import { ALL_ENCODINGS } from "../../../../src/protocols/rfb/encodings/list.ts";
import { raw } from "../../../../src/protocols/rfb/encodings/raw.ts";
import { decode, encoderState, pixelsAt, sameWords } from "./decode-harness.ts";
import { FORMATS, throughFormat } from "./formats.ts";
import { anyPicture } from "./pictures.ts";

/** TightPNG's images have eight bits of each colour whatever the format. */
const encoders = ALL_ENCODINGS.filter((e) => e.encode !== undefined && e.name !== "tightpng");

for (const [name, format] of Object.entries(FORMATS)) {
  t.test(`pictures come back in every encoding in a format ${name}`, async (t) => {
    for (const encoding of encoders) {
      fc.assert(
        fc.property(anyPicture(70), fc.integer({ min: 1, max: 2000 }), (picture, size) => {
          const to = new ByteWriter();
          encoding.encode?.(to, pixelsAt(picture, 0, 0), picture.rect, encoderState({ format }));
          const wire = [{ encoding, rect: picture.rect, body: to.bytes() }];
          const { width, height } = picture;
          const { framebuffer } = decode(wire, width, height, [size], nodeInflate, format);
          return sameWords(framebuffer.words, throughFormat(picture, format).words);
        }),
        { numRuns: 25 },
      );
    }
    t.pass("all pictures were equal");
  });
}

const jpeg = encoderState().jpeg;
const mapped = { ...RGBX, bitsPerPixel: 8, depth: 8, isTrueColour: false };

t.test("colours of a map are those last set, black before", async (t) => {
  const state = new DecoderStreams({ inflate: nodeInflate, jpeg });
  state.format = mapped;
  const words = new Uint32Array(3);
  const pixels = Uint8Array.of(0, 7, 255);
  state.pixels.plain.read(pixels, 0, words, 0, 3);
  t.same([...words], [0xff000000, 0xff000000, 0xff000000]);
  state.setColours(7, Uint8Array.of(0xff, 0xee, 0x80, 0x11, 0x01, 0x22));
  state.setColours(255, Uint8Array.of(1, 0, 2, 0, 3, 0));
  state.pixels.plain.read(pixels, 0, words, 0, 3);
  t.same([...words], [0xff000000, 0xff0180ff, 0xff030201]);
  t.equal(state.pixels.compact.sizeBytes, 1);
  t.equal(state.pixels.tight.sizeBytes, 1);
  t.throws(() => state.setColours(255, new Uint8Array(12)), { code: "bad_data", phase: "message" });
  state.format = RGBX;
  state.setColours(0, new Uint8Array(6));
  t.equal(state.pixels.plain.isRgb, true, "a map means nothing in true colour");
  state.format = { ...mapped, bitsPerPixel: 16, isBigEndian: true };
  state.setColours(0x0102, Uint8Array.of(9, 0, 8, 0, 7, 0));
  t.equal(state.pixels.plain.word(Uint8Array.of(1, 2), 0), 0xff070809);
});

t.test("case 11: formats that no pixel can lie in are refused", async (t) => {
  const state = new DecoderStreams({ inflate: nodeInflate, jpeg });
  const wrong = [
    { bitsPerPixel: 255 },
    { bitsPerPixel: 7 },
    { bitsPerPixel: 0 },
    { bitsPerPixel: 24 },
    { redShift: 99 },
    { blueShift: 25 },
    { greenMax: 0 },
    { greenMax: 0x10000 },
    { isTrueColour: false },
    { bitsPerPixel: 16 },
    { bitsPerPixel: 8 },
  ];
  for (const change of wrong) {
    const message = /^got a pixel format with .*, expected/;
    t.throws(
      () => {
        state.format = { ...RGBX, ...change };
      },
      { code: "bad_pixel_format", message },
      JSON.stringify(change),
    );
    t.equal(state.format, RGBX, "the format before stays");
  }
});

t.test(
  "maxima that are no power of two less one, and depths beyond the bits, are read as they are",
  async (t) => {
    const state = new DecoderStreams({ inflate: nodeInflate, jpeg });
    state.format = { ...RGBX, redMax: 100, greenMax: 200, blueMax: 255, depth: 200 };
    t.equal(state.pixels.plain.word(Uint8Array.of(100, 100, 9, 0), 0) >>> 0, 0xff0980ff);
    t.equal((state.pixels.plain.word(Uint8Array.of(127, 255, 0, 0), 0) >>> 0) & 0xffff, 0xffff, "cut to 255");
  },
);

t.test("every encoding takes less bytes a pixel where the format has less", async (t) => {
  const rect = { x: 0, y: 0, width: 2, height: 1 };
  const format = FORMATS["565"] ?? RGBX;
  for (const [encoding, body] of [
    [raw, [0x00, 0xf8, 0x1f, 0x00]],
    [hextile, [1, 0x00, 0xf8, 0x1f, 0x00]],
  ] as const) {
    const wire = [{ encoding, rect, body: Uint8Array.from(body) }];
    const { framebuffer } = decode(wire, 2, 1, [1], nodeInflate, format);
    t.same([...framebuffer.words], [0xff0000ff, 0xffff0000]);
  }
});
