import fc from "fast-check";
import t from "tap";
import { planar } from "../../../../src/protocols/rdp/codecs/planar.ts";
import { RdpError } from "../../../../src/protocols/rdp/error.ts";
import { anyPicture } from "../../rfb/encodings/pictures.ts";
import { encodePlanar } from "./planar-writer.ts";

const anyChoice = fc.record({
  isRunLength: fc.boolean(),
  hasAlpha: fc.boolean(),
  colourLoss: fc.constant(0),
  isSubsampled: fc.constant(false),
});

function decode(bytes: Uint8Array, width: number, height: number): Uint8Array {
  const to = new Uint8Array(width * height * 4);
  planar(bytes, width, height, { words: new Uint32Array(to.buffer), bytes: to, first: 0, step: width });
  return to;
}

t.test("red, green and blue come back exactly, with and without runs and alpha", async (t) => {
  fc.assert(
    fc.property(anyPicture(70), anyChoice, (picture, choice) => {
      const { width, height, bytes } = picture;
      return Buffer.from(decode(encodePlanar(bytes, width, height, choice), width, height)).equals(bytes);
    }),
    { numRuns: 400 },
  );
  t.pass("all came back");
});

t.test(
  "greys, and planes of which only two are the same, come back in a larger picture, bottom up",
  async (t) => {
    const kinds = [
      ["grey", [0, 0, 0]],
      ["red is green", [0, 0, 2]],
      ["green is blue", [0, 1, 1]],
      ["red is blue", [0, 1, 0]],
    ] as const;
    const anyPlace = fc.record({
      kind: fc.constantFrom(...kinds),
      isRunLength: fc.boolean(),
      left: fc.nat({ max: 3 }),
      right: fc.nat({ max: 3 }),
    });
    fc.assert(
      fc.property(
        anyPicture(40),
        anyPlace,
        ({ width, height, bytes }, { kind, isRunLength, left, right }) => {
          const [, channels] = kind;
          const wanted = bytes.map((value, i) => {
            const channel = channels[i % 4];
            return channel === undefined ? value : (bytes[i - (i % 4) + channel] ?? 0);
          });
          const stride = left + width + right;
          const words = new Uint32Array(stride * (height + 2)).fill(0xff123456);
          const rows = {
            words,
            bytes: new Uint8Array(words.buffer),
            first: height * stride + left,
            step: -stride,
          };
          const choice = { isRunLength, hasAlpha: false, colourLoss: 0, isSubsampled: false };
          planar(encodePlanar(wanted, width, height, choice), width, height, rows);
          const pixels = new Uint32Array(wanted.slice().buffer);
          return words.every((word, i) => {
            const [x, y] = [(i % stride) - left, Math.floor(i / stride) - 1];
            const isInside = x >= 0 && x < width && y >= 0 && y < height;
            return word === (isInside ? pixels[(height - 1 - y) * width + x] : 0xff123456);
          });
        },
      ),
      { numRuns: 400 },
    );
    t.pass("all came back, and nothing else was touched");
  },
);

t.test("luma and chroma come back within what they lose", async (t) => {
  for (const colourLoss of [1, 2, 3, 4]) {
    fc.assert(
      fc.property(anyPicture(40), fc.boolean(), (picture, isRunLength) => {
        const { width, height, bytes } = picture;
        const choice = { isRunLength, hasAlpha: false, colourLoss, isSubsampled: false };
        const decoded = decode(encodePlanar(bytes, width, height, choice), width, height);
        // Each chroma loses up to 2^loss - 1, and luma rounds.
        return decoded.every((value, i) => Math.abs(value - (bytes[i] ?? 0)) <= 2 << colourLoss);
      }),
      { numRuns: 60 },
    );
  }
  t.pass("all came back");
});

t.test("subsampled chroma is spread over 2x2 pixels, also at odd edges", async (t) => {
  const width = 5;
  const height = 3;
  const rgba = new Uint8Array(width * height * 4);
  for (let i = 0; i < width * height; i++) rgba.set([200, 40, 90, 255], 4 * i);
  for (const isRunLength of [true, false]) {
    const choice = { isRunLength, hasAlpha: true, colourLoss: 1, isSubsampled: true };
    const decoded = decode(encodePlanar(rgba, width, height, choice), width, height);
    t.ok(
      decoded.every((value, i) => Math.abs(value - (rgba[i] ?? 0)) <= 2),
      "one colour stays one colour",
    );
  }
});

t.test("the specification's rows decode as it says (MS-RDPEGDI 3.1.9.2)", async (t) => {
  const plane = "13ff20fefd" + "60017df5c29a38" + "6001678ba378af";
  const bytes = Buffer.from(`30${plane}${plane}${plane}`, "hex");
  const rows = [255, 255, 255, 255, 254, 253, 254, 192, 132, 96, 75, 25, 253, 140, 62, 14, 135, 193];
  const decoded = decode(bytes, 6, 3);
  t.same(
    [...decoded],
    rows.flatMap((value) => [value, value, value, 255]),
  );
});

t.test("what cannot be is an RdpError", async (t) => {
  for (const [hex, message] of [
    ["", /0 bytes/],
    ["20", /cut off/],
    ["30", /cut off/],
    ["3050aabb", /segment of 5 values, expected 4 at most/],
    ["304011", /cut off/],
    ["2800", /subsampling without colour loss/],
  ] as const) {
    const bytes = Buffer.from(hex, "hex");
    t.throws(() => decode(bytes, 4, 1), { name: "RdpError", code: "bad_data", message });
  }
});

t.test("damaged data ends in pixels or an RdpError, and alpha is 255", async (t) => {
  const anyHeader = fc.nat({ max: 255 });
  fc.assert(
    fc.property(anyHeader, fc.uint8Array({ maxLength: 600 }), (header, body) => {
      try {
        const decoded = decode(Uint8Array.of(header, ...body), 17, 9);
        return decoded.every((value, i) => i % 4 !== 3 || value === 255);
      } catch (error) {
        return error instanceof RdpError;
      }
    }),
    { numRuns: 1500 },
  );
  t.pass("nothing else happened");
});
