import fc from "fast-check";
import sharp from "sharp";
import t from "tap";
import { jpegTurbo } from "../../../src/imaging/jpeg/jpeg-turbo.ts";

function ramp(width: number, height: number): Uint8Array {
  const rgba = new Uint8Array(width * height * 4).fill(255);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      rgba[at] = (x * 255) / width;
      rgba[at + 1] = (y * 255) / height;
      rgba[at + 2] = 90;
    }
  }
  return rgba;
}

function averageError(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((sum, byte, i) => sum + Math.abs(byte - (b[i] ?? 0)), 0) / a.length;
}

const SOI = [0xff, 0xd8];
const frame = (marker: number, width: number, height: number) => [
  ...[0xff, marker, 0, 17, 8, height >> 8, height & 255, width >> 8, width & 255, 3],
  ...[1, 17, 0, 2, 17, 1, 3, 17, 1],
];

t.test("what was encoded decodes to nearly the same, opaque", async (t) => {
  for (const [width, height] of [
    [1, 1],
    [17, 5],
    [320, 200],
  ] as const) {
    const rgba = ramp(width, height);
    const jpeg = jpegTurbo.encode(rgba, width, height, width * 4, 90);
    t.same(jpegTurbo.size(jpeg), { width, height });
    const image = jpegTurbo.decode(jpeg);
    t.equal(image.rgba.length, rgba.length);
    t.ok(averageError(image.rgba, rgba) < 4);
    t.ok(image.rgba.every((byte, i) => i % 4 !== 3 || byte === 255));
  }
});

t.test("a file takes as much memory as it has bytes, and is its own", async (t) => {
  const [width, rows] = [1920, 16];
  const rgba = ramp(width, rows);
  const encode = (quality: number) => jpegTurbo.encode(rgba, width, rows, width * 4, quality);
  const qualities = Array.from({ length: 200 }, (_, i) => 50 + (i % 50));
  encode(100);
  const before = process.memoryUsage().arrayBuffers;
  const files = qualities.map(encode);
  const grown = process.memoryUsage().arrayBuffers - before;
  const sizeBytes = files.reduce((sum, { length }) => sum + length, 0);
  t.ok(grown < sizeBytes + 1024 * 1024, `${grown} bytes for ${sizeBytes} bytes of files`);
  t.ok(
    files.every((file, i) => Buffer.compare(file, encode(qualities[i] ?? 0)) === 0),
    "no other was written over it",
  );
});

t.test("pixels go where they are wanted, if there is room, and nowhere else", async (t) => {
  const jpeg = jpegTurbo.encode(ramp(40, 30), 40, 30, 160, 90);
  const own = jpegTurbo.decode(jpeg).rgba;
  const memory = new Uint8Array(40 * 30 * 4 + 100).fill(7);
  const { rgba, width, height } = jpegTurbo.decode(jpeg, memory);
  t.same([width, height, rgba.length], [40, 30, own.length]);
  t.ok(Buffer.compare(memory.subarray(0, own.length), own) === 0, "they are at its beginning");
  t.ok(
    memory.subarray(own.length).every((byte) => byte === 7),
    "nothing behind them was written to",
  );
  const small = new Uint8Array(own.length - 1).fill(7);
  t.ok(Buffer.compare(jpegTurbo.decode(jpeg, small).rgba, own) === 0, "too little memory is not used");
  t.ok(small.every((byte) => byte === 7));
});

t.test("an independent decoder sees the same picture", async (t) => {
  const rgba = ramp(200, 120);
  const jpeg = jpegTurbo.encode(rgba, 200, 120, 800, 95);
  const { data, info } = await sharp(jpeg).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  t.match(info, { width: 200, height: 120 });
  t.ok(averageError(data, rgba) < 3);
});

/** dB between the colours of two RGBA pictures. */
function signalToNoise(a: Uint8Array, b: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += ((a[i] ?? 0) - (b[i] ?? 0)) ** 2;
  return 10 * Math.log10((255 * 255 * (a.length / 4) * 3) / sum);
}

/** Thin dark strokes on white, the hardest for a DCT. */
async function text(width: number, height: number): Promise<Buffer> {
  const rows = Array.from(
    { length: Math.floor(height / 15) },
    (_, i) =>
      `<text x="3" y="${14 + i * 15}" font-family="DejaVu Sans Mono" font-size="12" fill="${["#000", "#c00", "#00a"][i % 3]}">jumps over ${i} lazy dogs {x: 0x${(i * 7919).toString(16)}}</text>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="white"/>${rows.join("")}</svg>`;
  return await sharp(Buffer.from(svg)).ensureAlpha().raw().toBuffer();
}

t.test("text and colours at high quality are within 0.5 dB of libjpeg, both ways", async (t) => {
  const [width, height] = [320, 200];
  const raw = { width, height, channels: 4 } as const;
  for (const original of [await text(width, height), ramp(width, height)]) {
    for (const quality of [93, 95, 98, 100]) {
      const reference = await sharp(original, { raw })
        .removeAlpha()
        .jpeg({ quality, chromaSubsampling: "4:4:4" })
        .toBuffer();
      const best = signalToNoise(await sharp(reference).ensureAlpha().raw().toBuffer(), original);
      t.ok(signalToNoise(jpegTurbo.decode(reference).rgba, original) > best - 0.5, `decoded at ${quality}`);
    }
    const reference = await sharp(original, { raw })
      .removeAlpha()
      .jpeg({ quality: 100, chromaSubsampling: "4:4:4" })
      .toBuffer();
    const best = signalToNoise(await sharp(reference).ensureAlpha().raw().toBuffer(), original);
    const own = jpegTurbo.encode(original, width, height, width * 4, 100);
    const seen = await sharp(own).ensureAlpha().raw().toBuffer();
    t.ok(signalToNoise(seen, original) > best - 0.5, "encoded at 100");
  }
});

t.test("a damaged image of high quality is refused, and the next one is exact again", async (t) => {
  const original = await text(64, 48);
  const jpeg = jpegTurbo.encode(original, 64, 48, 256, 100);
  const expected = jpegTurbo.decode(jpeg).rgba;
  for (let i = 0; i < 40; i++) {
    t.throws(() => jpegTurbo.decode(jpeg.subarray(0, jpeg.length - 40 - i)), Error);
    t.same(jpegTurbo.decode(jpeg).rgba, expected);
  }
});

t.test("grey and progressive images of high quality decode", async (t) => {
  const original = await text(64, 48);
  const input = sharp(original, { raw: { width: 64, height: 48, channels: 4 } }).removeAlpha();
  for (const jpeg of [
    await input.clone().greyscale().jpeg({ quality: 100 }).toBuffer(),
    await input.clone().jpeg({ quality: 100, progressive: true }).toBuffer(),
  ]) {
    const expected = await sharp(jpeg).toColourspace("srgb").ensureAlpha().raw().toBuffer();
    t.ok(signalToNoise(jpegTurbo.decode(jpeg).rgba, expected) > 50);
  }
});

t.test("rows may lie apart, and the last one may end with its pixels", async (t) => {
  const rgba = ramp(64, 40);
  const part = rgba.subarray((10 * 64 + 30) * 4);
  const whole = jpegTurbo.decode(jpegTurbo.encode(part, 20, 12, 64 * 4, 95)).rgba;
  const short = part.subarray(0, 11 * 64 * 4 + 20 * 4);
  const cut = jpegTurbo.decode(jpegTurbo.encode(short, 20, 12, 64 * 4, 95)).rgba;
  t.same(cut, whole);
  const expected = new Uint8Array(20 * 12 * 4);
  for (let y = 0; y < 12; y++) expected.set(part.subarray(y * 256, y * 256 + 80), y * 80);
  t.ok(averageError(whole, expected) < 4);
});

t.test("wrong strides, sizes and lengths are refused", async (t) => {
  const rgba = ramp(8, 8);
  t.throws(() => jpegTurbo.encode(rgba, 8, 8, 31, 80), /expected a multiple of 4 from 32 on/);
  t.throws(() => jpegTurbo.encode(rgba, 8, 8, 28, 80), /expected a multiple of 4 from 32 on/);
  t.throws(() => jpegTurbo.encode(rgba, 8, 9, 32, 80), /expected 288/);
  t.throws(() => jpegTurbo.encode(rgba, 0, 8, 32, 80), /jpeg of 0x8 pixels refused/);
  t.throws(() => jpegTurbo.encode(rgba, 65_535, 8, 65_535 * 4, 80), /refused/);
});

t.test("the size is read past other segments and fill bytes", async (t) => {
  const app = [0xff, 0xe0, 0, 6, 1, 2, 3, 4];
  const size = { width: 300, height: 200 };
  t.same(jpegTurbo.size(Uint8Array.from([...SOI, ...frame(0xc0, 300, 200)])), size);
  t.same(jpegTurbo.size(Uint8Array.from([...SOI, ...app, 0xff, 0xff, ...frame(0xc2, 300, 200)])), size);
  t.same(jpegTurbo.size(Uint8Array.from([...SOI, 0xff, 0xc4, 0, 3, 9, ...frame(0xc1, 300, 200)])), size);
});

t.test("what is no jpeg, has no frame or claims too much is refused", async (t) => {
  const refused = (bytes: readonly number[], message: RegExp) =>
    t.throws(() => jpegTurbo.size(Uint8Array.from(bytes)), message);
  refused([], /no jpeg/);
  refused([0x89, 0x50, 0x4e, 0x47], /no jpeg/);
  refused(SOI, /without a frame header/);
  refused([...SOI, 0xff, 0xd9], /without a frame header/);
  refused([...SOI, 0xff, 0xda, 0, 8], /without a frame header/);
  refused([...SOI, 1, 2, 3], /expected a marker/);
  refused([...SOI, 0xff, 0xe0, 0, 1, 0xff], /at least 2/);
  refused([...SOI, ...frame(0xc0, 300, 200).slice(0, 8)], /within its frame header/);
  refused([...SOI, ...frame(0xc0, 65_535, 65_535)], /65535x65535 pixels refused/);
  refused([...SOI, ...frame(0xc0, 0, 10)], /0x10 pixels refused/);
});

t.test("damaged and cut images are refused", async (t) => {
  const jpeg = jpegTurbo.encode(ramp(100, 100), 100, 100, 400, 80);
  t.throws(() => jpegTurbo.decode(jpeg.subarray(0, jpeg.length - 200)));
  t.throws(() => jpegTurbo.decode(Uint8Array.from([...SOI, ...frame(0xc0, 16, 16)])));
});

t.test("an image of very many scans is refused", async (t) => {
  const jpeg = jpegTurbo.encode(ramp(16, 16), 16, 16, 64, 80);
  const scans = Array.from({ length: 1000 }, () => [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0]).flat();
  t.throws(() => jpegTurbo.decode(Buffer.concat([jpeg.subarray(0, -2), Buffer.from(scans)])), /16 scans/);
});

t.test("progressive images of ordinary encoders are read", async (t) => {
  const rgba = ramp(90, 70);
  const progressive = await sharp(rgba, { raw: { width: 90, height: 70, channels: 4 } })
    .jpeg({ progressive: true, quality: 95 })
    .toBuffer();
  t.ok(averageError(jpegTurbo.decode(progressive).rgba, rgba) < 4);
});

t.test("random bytes behind a sound beginning end in a picture or an Error", async (t) => {
  const jpeg = jpegTurbo.encode(ramp(24, 24), 24, 24, 96, 70);
  fc.assert(
    fc.property(fc.integer({ min: 2, max: jpeg.length }), fc.uint8Array({ maxLength: 200 }), (keep, rest) => {
      const bytes = Buffer.concat([jpeg.subarray(0, keep), rest]);
      try {
        const { width, height, rgba } = jpegTurbo.decode(bytes);
        return rgba.length === width * height * 4;
      } catch (error) {
        return error instanceof Error;
      }
    }),
    { numRuns: 300 },
  );
  t.pass("nothing else happened");
});
