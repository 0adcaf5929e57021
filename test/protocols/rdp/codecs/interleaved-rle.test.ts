import fc from "fast-check";
import t from "tap";
import { interleavedRle } from "../../../../src/protocols/rdp/codecs/interleaved-rle.ts";
import { RdpError } from "../../../../src/protocols/rdp/error.ts";
import { encodeInterleavedRle, type RawPicture, whiteOf } from "./interleaved-rle-writer.ts";

const DEPTHS = [8, 15, 16, 24] as const;

/** Few colours, so that runs of all kinds are found. */
const anyPicture: fc.Arbitrary<RawPicture> = fc
  .record({
    width: fc.integer({ min: 1, max: 70 }),
    height: fc.integer({ min: 1, max: 12 }),
    bitsPerPixel: fc.constantFrom(...DEPTHS),
    colours: fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
    walk: fc.array(fc.nat({ max: 400 }), { minLength: 1, maxLength: 200 }),
  })
  .map(({ width, height, bitsPerPixel, colours, walk }) => {
    const palette = [0, whiteOf(bitsPerPixel), ...colours.map((c) => c & whiteOf(bitsPerPixel))];
    const pixels: number[] = [];
    for (let i = 0; pixels.length < width * height; i++) {
      const step = walk[i % walk.length] ?? 0;
      const run = 1 + (step % 13) * (step % 7 === 0 ? 9 : 1);
      // Some rows repeat the one above, as desktops do.
      for (let k = 0; k < run; k++) {
        const above = pixels[pixels.length - width];
        const isCopy = step % 3 === 0 && above !== undefined;
        pixels.push(isCopy ? above : (palette[(step + (step % 5 === 0 ? k : 0)) % palette.length] ?? 0));
      }
    }
    return { width, height, bitsPerPixel, pixels: pixels.slice(0, width * height) };
  });

function bytesOf({ bitsPerPixel, pixels }: RawPicture): Uint8Array {
  const size = (bitsPerPixel + 7) >> 3;
  return Uint8Array.from(pixels.flatMap((p) => Array.from({ length: size }, (_, i) => (p >> (8 * i)) & 255)));
}

function decode(bytes: Uint8Array, { width, height, bitsPerPixel }: Omit<RawPicture, "pixels">): Uint8Array {
  const to = new Uint8Array(width * height * ((bitsPerPixel + 7) >> 3));
  interleavedRle(bytes, width, height, bitsPerPixel, to);
  return to;
}

t.test("a picture written with any order in any form comes back", async (t) => {
  fc.assert(
    fc.property(anyPicture, fc.array(fc.nat(), { minLength: 1, maxLength: 60 }), (picture, choices) => {
      let turn = 0;
      const next = (most: number): number => (choices[turn++ % choices.length] ?? 0) % (most + 1);
      const encoded = encodeInterleavedRle(picture, next);
      return Buffer.from(decode(encoded, picture)).equals(bytesOf(picture));
    }),
    { numRuns: 1500 },
  );
  t.pass("all came back");
});

t.test("orders do what the specification says", async (t) => {
  const rows = (hex: string, width: number, height: number, bitsPerPixel = 8) =>
    Buffer.from(decode(Buffer.from(hex, "hex"), { width, height, bitsPerPixel })).toString("hex");
  t.equal(rows("04", 4, 1), "00000000", "background in the first row is black");
  t.equal(rows("24", 4, 1), "ffffffff", "the first foreground is white");
  t.equal(rows("2404", 4, 2), "ffffffffffffffff", "background in later rows is what is above");
  t.equal(rows("2323", 3, 2), "ffffff000000", "foreground in later rows is xor of what is above");
  t.equal(
    rows("2224", 3, 2),
    "ffffffffffff",
    "a run that begins in the first row has black above it to its end",
  );
  t.equal(rows("020201", 5, 1), "0000ff00ff", "between two background runs stands a foreground pixel");
  t.equal(rows("c2aa02", 4, 1), "aaaa0000", "a set foreground");
  t.equal(rows("4105", 8, 1), "ff00ff0000000000", "a mask, lowest bit first");
  t.equal(rows("40020503", 6, 1), "ff00ff000000", "a mask of 3 pixels, then background");
  t.equal(
    rows("fdfef9", 10, 1),
    "ff00ffff000000000000",
    "white, black, and the first of the two special masks",
  );
  t.equal(rows("fa", 8, 1), "ff00ff0000000000", "the second special mask");
  t.equal(rows("e21122", 4, 1), "11221122", "a dithered run");
  t.equal(rows("f40200aabb", 2, 1), "aabb", "a mega order");
  t.equal(rows("fd", 1, 1, 15), "ff7f", "white has 15 bits at 15 bits a pixel");
});

t.test("bytes after the last pixel are ignored", async (t) => {
  t.same([...decode(Uint8Array.of(0xfd, 0xff, 0xff), { width: 1, height: 1, bitsPerPixel: 8 })], [255]);
});

t.test("what cannot be is an RdpError", async (t) => {
  const size = { width: 4, height: 1, bitsPerPixel: 8 };
  for (const [hex, message] of [
    ["", /cut off/],
    ["84aabb", /cut off/],
    ["f0ff", /cut off/],
    ["25", /run of 5 bytes, expected at most the 4 left/],
    ["f5", /order 0xf5/],
    ["ff", /order 0xff/],
    ["a0", /order 0xa0/],
  ] as const) {
    t.throws(() => decode(Buffer.from(hex, "hex"), size), { name: "RdpError", code: "bad_data", message });
  }
});

t.test("damaged data ends in pixels or an RdpError, never outside its picture", async (t) => {
  fc.assert(
    fc.property(
      anyPicture,
      fc.array(fc.nat(), { minLength: 1 }),
      fc.nat(),
      fc.nat(),
      (picture, choices, at, byte) => {
        let turn = 0;
        const next = (most: number): number => (choices[turn++ % choices.length] ?? 0) % (most + 1);
        const encoded = encodeInterleavedRle(picture, next);
        encoded[at % encoded.length] = byte & 255;
        try {
          decode(encoded, picture);
        } catch (error) {
          return error instanceof RdpError;
        }
        return true;
      },
    ),
    { numRuns: 1500 },
  );
  t.pass("nothing else happened");
});
