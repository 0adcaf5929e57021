import { readFileSync } from "node:fs";
import fc from "fast-check";
import t from "tap";
import { Framebuffer } from "../../../../src/framebuffer/framebuffer.ts";
import type { Rect } from "../../../../src/framebuffer/rect.ts";
import { ClearCodec } from "../../../../src/protocols/rdp/codecs/clear-codec.ts";
import { RdpError } from "../../../../src/protocols/rdp/error.ts";
import { LittleEndianWriter } from "../../../../src/protocols/rdp/little-endian-writer.ts";
import { anyPicture } from "../../rfb/encodings/pictures.ts";
import { BandWriter, clearStream, residualOf, subcodecOf } from "./clear-writer.ts";

const SPECIFICATION = new URL("../../../wire/rdp-egfx/", import.meta.url);

/** True where the rectangle of both pictures holds the same pixels. */
function isSame(a: Framebuffer, b: Framebuffer, rect: Rect): boolean {
  return Buffer.from(a.read(rect)).equals(b.read(rect));
}

/** A piece of a picture, where its bitmap goes. */
const anyPiece = anyPicture(90).chain((picture) =>
  fc
    .record({ x: fc.nat({ max: picture.width - 1 }), y: fc.nat({ max: picture.height - 1 }) })
    .map(({ x, y }) => ({
      picture,
      rect: { x, y, width: picture.width - x, height: picture.height - y },
    })),
);

t.test("the residual layer comes back", async (t) => {
  fc.assert(
    fc.property(anyPiece, ({ picture, rect }) => {
      const to = new Framebuffer(picture.width, picture.height);
      new ClearCodec().decode(clearStream({ residual: residualOf(picture, rect) }), to, rect);
      return isSame(picture, to, rect) && to.words.every((word) => word >>> 24 === 255);
    }),
    { numRuns: 150 },
  );
  t.pass("all came back");
});

t.test("bands come back, with storages that outlive bitmaps and resets", async (t) => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({ piece: anyPiece, height: fc.integer({ min: 1, max: 52 }), isReset: fc.boolean() }),
        {
          minLength: 1,
          maxLength: 4,
        },
      ),
      (bitmaps) => {
        const writer = new BandWriter();
        const codec = new ClearCodec();
        return bitmaps.every(({ piece: { picture, rect }, height, isReset }) => {
          if (isReset) writer.rewind();
          const to = new Framebuffer(picture.width, picture.height);
          const stream = clearStream({ bands: writer.encode(picture, rect, height) }, null, isReset);
          codec.decode(stream, to, rect);
          return isSame(picture, to, rect);
        });
      },
    ),
    { numRuns: 60 },
  );
  t.pass("all came back");
});

t.test("subcodecs come back: uncompressed, and a palette with suites", async (t) => {
  fc.assert(
    fc.property(anyPiece, fc.nat(), ({ picture, rect }, cut) => {
      const split = cut % (rect.width + 1);
      const left = { x: 0, y: 0, width: split, height: rect.height };
      const right = { x: split, y: 0, width: rect.width - split, height: rect.height };
      const codec = new Set(picture.words).size <= 127 ? 2 : 0;
      const parts = [left, right].filter((part) => part.width > 0);
      const subcodecs = parts.map((part, i) => subcodecOf(picture, rect, part, i === 0 ? 0 : codec));
      const to = new Framebuffer(picture.width, picture.height);
      new ClearCodec().decode(clearStream({ subcodecs: Buffer.concat(subcodecs) }), to, rect);
      return isSame(picture, to, rect);
    }),
    { numRuns: 150 },
  );
  t.pass("all came back");
});

t.test("layers cover each other in order", async (t) => {
  const ground = new Framebuffer(20, 20);
  ground.fill(ground.rect, 0x112233);
  const figure = new Framebuffer(20, 20);
  figure.fill(figure.rect, 0x445566);
  const part = { x: 5, y: 6, width: 3, height: 4 };
  const to = new Framebuffer(20, 20);
  const layers = {
    residual: residualOf(ground, ground.rect),
    subcodecs: subcodecOf(figure, figure.rect, part, 2),
  };
  new ClearCodec().decode(clearStream(layers), to, to.rect);
  ground.fill(part, 0x445566);
  t.ok(isSame(ground, to, to.rect));
});

t.test("a glyph that was stored is painted elsewhere", async (t) => {
  const glyph = new Framebuffer(8, 9);
  for (const [i] of glyph.words.entries()) glyph.fill({ x: i % 8, y: i >> 3, width: 1, height: 1 }, i * 1000);
  const to = new Framebuffer(30, 30);
  const codec = new ClearCodec();
  const first = { x: 0, y: 0, width: 8, height: 9 };
  codec.decode(clearStream({ residual: residualOf(glyph, first) }, 0x11), to, first);
  const hit = { x: 20, y: 19, width: 8, height: 9 };
  // MS-RDPEGFX 4.1.1.1, example 1.
  codec.decode(Buffer.from("03c31100", "hex"), to, hit);
  t.same(to.read(hit), glyph.read(first));
  const bad = { code: "bad_data" };
  t.throws(() => codec.decode(clearStream(null, 0x12), to, hit), bad, "never stored");
  t.throws(() => codec.decode(clearStream(null, 0x11), to, { ...hit, width: 5 }), bad, "of another size");
  t.throws(() => codec.decode(clearStream(null, 4000), to, hit), bad, "no such place");
  t.throws(() => codec.decode(Buffer.from("0200", "hex"), to, hit), bad, "a hit without its index");
  t.throws(
    () => codec.decode(clearStream({}, 1), new Framebuffer(33, 32), { x: 0, y: 0, width: 33, height: 32 }),
    bad,
  );
});

t.test("the specification's bitmaps decode (MS-RDPEGFX 4.1.1.1)", async (t) => {
  const decode = (example: number, width: number, height: number): Framebuffer => {
    const to = new Framebuffer(width, height);
    const bytes = readFileSync(new URL(`clear-specification-4.1.1-${example}.bin`, SPECIFICATION));
    new ClearCodec().decode(bytes, to, to.rect);
    return to;
  };
  const rlex = decode(2, 78, 17);
  const column = (x: number) =>
    Array.from({ length: 15 }, (_, y) => (rlex.words[y * 78 + x] ?? 0) & 0xffffff);
  t.same(new Set(column(5)), new Set([0]), "example 2: a black line in column 5 down to the rule");
  t.same(new Set(column(40)), new Set([0xffffff]), "and paper beside it");
  t.equal((rlex.words[15 * 78 + 40] ?? 0) & 0xffffff, 0x646464, "above a grey rule");
  const residual = decode(3, 64, 24);
  t.equal((residual.words[0] ?? 0) & 0xffffff, 0xfefefe, "example 3: the residual layer");
  t.equal((residual.words[22 * 64] ?? 0) & 0xffffff, 0xffffff, "has a white row near its end");
  const bands = decode(4, 7, 15);
  t.equal((bands.words[0] ?? 0) & 0xffffff, 0xffffff, "example 4: a new column");
  t.equal((bands.words[6 * 7] ?? 0) & 0xffffff, 0xffb666, "of 15 pixels, blue first");
});

t.test("nscodec subcodecs decode: runs, raw planes, subsampling", async (t) => {
  const plane = (value: number, size: number): number[] =>
    size > 8 ? [value, value, size - 4 - 2, value, value, value, value] : new Array<number>(size).fill(value);
  const nsc = (width: number, height: number, isSubsampled: boolean): Uint8Array => {
    const lumaSize = isSubsampled ? ((width + 7) & ~7) * height : width * height;
    const chromaSize = isSubsampled ? (((width + 7) & ~7) >> 1) * ((height + 1) >> 1) : width * height;
    const planes = [plane(100, lumaSize), plane(20, chromaSize), plane(256 - 10, chromaSize), []];
    const body = new LittleEndianWriter();
    for (const { length } of planes) body.u32(length);
    body
      .u8(1)
      .u8(isSubsampled ? 1 : 0)
      .u16(0)
      .put(Uint8Array.from(planes.flat()));
    return new LittleEndianWriter()
      .u16(0)
      .u16(0)
      .u16(width)
      .u16(height)
      .u32(body.length)
      .u8(1)
      .put(body.bytes())
      .bytes();
  };
  for (const [width, height] of [
    [2, 2],
    [9, 7],
    [16, 5],
  ] as const) {
    for (const isSubsampled of [false, true]) {
      const to = new Framebuffer(width, height);
      const codec = new ClearCodec();
      codec.decode(clearStream({ subcodecs: nsc(width, height, isSubsampled) }), to, to.rect);
      // luma 100, orange 20, green -10
      const expected = 0xff000000 + (90 * 0x10000 + 90 * 0x100 + 130);
      t.ok(
        to.words.every((word) => word === expected),
        `${width}x${height} ${isSubsampled ? "subsampled" : "full"}`,
      );
      t.ok(codec.isLossy, "and says that it is not exact");
    }
  }
});

t.test("what cannot be is an RdpError", async (t) => {
  const to = new Framebuffer(10, 10);
  const bad = (stream: Uint8Array, message: RegExp) =>
    t.throws(() => new ClearCodec().decode(stream, to, to.rect), {
      name: "RdpError",
      code: "bad_data",
      message,
    });
  bad(Uint8Array.of(0), /1/);
  bad(clearStream({ residual: Uint8Array.of(1, 2, 3, 99) }), /1 pixels short/);
  bad(clearStream({ residual: Uint8Array.of(1, 2, 3, 101) }), /run of 101 pixels/);
  bad(clearStream({ bands: Uint8Array.of(0, 0, 10, 0, 0, 0, 1, 0, 1, 2, 3) }), /band/);
  bad(clearStream({ bands: Uint8Array.of(0, 0, 1, 0, 0, 0, 1, 0, 1, 2, 3, 5, 2) }), /column of -3/);
  bad(clearStream({ subcodecs: Uint8Array.of(5, 0, 0, 0, 6, 0, 1, 0, 0, 0, 0, 0, 0) }), /subcodec's 6x1/);
  bad(clearStream({ subcodecs: Uint8Array.of(0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 3) }), /subcodec 3/);
  const again = Uint8Array.of(0, 0, 0, 0, 10, 0, 10, 0, 8, 0, 0, 0, 2, 2, 1, 2, 3, 4, 5, 6, 0);
  bad(clearStream({ subcodecs: again }), /expected|1 at offset/);
});

t.test("damaged streams end in pixels or an RdpError", async (t) => {
  fc.assert(
    fc.property(
      anyPiece,
      fc.array(fc.record({ at: fc.nat(), byte: fc.nat({ max: 255 }) }), { minLength: 1, maxLength: 4 }),
      ({ picture, rect }, faults) => {
        const codec = new Set(picture.words).size <= 127 ? 2 : 0;
        const whole = { x: 0, y: 0, width: rect.width, height: rect.height };
        const stream = clearStream({
          residual: residualOf(picture, rect),
          bands: new BandWriter().encode(picture, rect, 17),
          subcodecs: subcodecOf(picture, rect, whole, codec),
        });
        for (const { at, byte } of faults) stream[at % Math.min(stream.length, 400)] = byte;
        const to = new Framebuffer(picture.width, picture.height);
        try {
          new ClearCodec().decode(stream, to, rect);
        } catch (error) {
          return error instanceof RdpError;
        }
        return to.words.every((word) => word >>> 24 === 255);
      },
    ),
    { numRuns: 150 },
  );
  t.pass("nothing else happened");
});
