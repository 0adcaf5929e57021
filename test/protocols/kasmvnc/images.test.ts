import fc from "fast-check";
import sharp from "sharp";
import t from "tap";
import { jpegTurbo } from "../../../src/imaging/jpeg/jpeg-turbo.ts";
import { decodeWebp } from "../../../src/imaging/webp/webp-decode.ts";
import { ByteWriter } from "../../../src/protocols/byte-writer.ts";
import { kasmvnc } from "../../../src/protocols/kasmvnc/dialect.ts";
import { webpSize } from "../../../src/protocols/kasmvnc/images.ts";
import { decodeQoi, qoiSize } from "../../../src/protocols/kasmvnc/qoi.ts";
import { RfbError } from "../../../src/protocols/rfb/error.ts";
import { checkChunking, errorOf, Peer } from "../rfb/client/peer.ts";
import { hello, join, rectangle, update } from "../rfb/client/server-bytes.ts";

const KASM = { dialect: kasmvnc() } as const;
const KIND = { jpeg: 0x90, webp: 0xb0, qoi: 0xc0, watermark: 0xd0 } as const;
const QOI_END = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 1);

/** A Tight rectangle that fills a client of width x height pixels. */
function tight(width: number, height: number, kind: number, image: Uint8Array): Uint8Array {
  const length = image.length;
  const compact =
    length < 128
      ? [length]
      : length < 16_384
        ? [(length & 127) | 128, length >> 7]
        : [(length & 127) | 128, ((length >> 7) & 127) | 128, length >> 14];
  return update(rectangle(0, 0, width, height, 7, join(Uint8Array.of(kind, ...compact), image)));
}

function qoi(width: number, height: number, ...ops: readonly number[]): Uint8Array {
  const head = new ByteWriter().ascii("qoif").u32(width).u32(height).u8(3).u8(1).bytes();
  return join(head, Uint8Array.from(ops), QOI_END);
}

function errorAfter(kind: number, image: Uint8Array): RfbError {
  return errorOf(() => new Peer(KASM).say(hello(4, 4), tight(4, 4, kind, image)));
}

function pixelsOf({ client }: Peer): number[][] {
  const { bytes } = client.framebuffer;
  return Array.from({ length: bytes.length / 4 }, (_, i) => [...bytes.subarray(i * 4, i * 4 + 4)]);
}

t.test("QOI: every kind of chunk, at any cut", async (t) => {
  const image = qoi(
    3,
    2,
    ...[0xfe, 10, 20, 30], // rgb
    0x40 | (3 << 4) | (1 << 2) | 0, // diff +1 -1 -2: 11 19 28
    ...[0x80 | 40, (10 << 4) | 6], // luma: green +8, red 8 + 2, blue 8 - 2: 21 27 34
    (10 * 3 + 20 * 5 + 30 * 7 + 255 * 11) & 63, // index: 10 20 30
    0xc0 | 1, // a run of two
  );
  const peer = checkChunking(t, join(hello(3, 2), tight(3, 2, KIND.qoi, image)), KASM);
  t.same(pixelsOf(peer), [
    [10, 20, 30, 255],
    [11, 19, 28, 255],
    [21, 27, 34, 255],
    [10, 20, 30, 255],
    [10, 20, 30, 255],
    [10, 20, 30, 255],
  ]);
});

t.test(
  "QOI: the first pixel may be a run of black, colours go round at 256, alpha is left out",
  async (t) => {
    t.same([...decodeQoi(qoi(2, 1, 0xc1))], [0xff000000, 0xff000000]);
    t.same([...decodeQoi(qoi(1, 1, 0x40))], [0xfffefefe]);
    t.same([...decodeQoi(qoi(1, 1, 0xff, 1, 2, 3, 0))], [0xff030201]);
  },
);

t.test("QOI that ends early, goes on, or is none", async (t) => {
  t.match(errorAfter(KIND.qoi, qoi(4, 4, 0xcd)), { code: "bad_data", message: /ends after 14 pixels/ });
  t.match(errorAfter(KIND.qoi, qoi(4, 4, 0xd0)), { code: "bad_data", message: /run/ });
  t.match(errorAfter(KIND.qoi, qoi(4, 4, 0xcf, 0xc0)), { code: "bad_data", message: /1 bytes after/ });
  t.match(errorAfter(KIND.qoi, qoi(4, 4, 0xce, 0xfe)), { code: "bad_data" });
  t.match(errorAfter(KIND.qoi, new Uint8Array(40)), { code: "bad_data", message: /signature/ });
  t.match(errorAfter(KIND.qoi, new Uint8Array(5)), { code: "bad_data", message: /5 bytes/ });
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (ops) => {
      try {
        return decodeQoi(qoi(5, 5, ...ops)).length === 25;
      } catch (error) {
        return error instanceof RfbError;
      }
    }),
    { numRuns: 500 },
  );
});

t.test("case 18: an image larger than its rectangle is refused by its header, in every format", async (t) => {
  const side = 65_535;
  t.match(errorAfter(KIND.qoi, qoi(side, side, 0xc0)), { code: "bad_data", message: /qoi of 65535x65535/ });
  const jpeg = Buffer.from(jpegTurbo.encode(new Uint8Array(16 * 16 * 4), 16, 16, 64, 90));
  t.match(errorAfter(KIND.jpeg, jpeg), { code: "bad_data" });
  const webp = await sharp({ create: { width: 5, height: 4, channels: 3, background: "red" } })
    .webp()
    .toBuffer();
  t.match(errorAfter(KIND.webp, webp), { code: "bad_data", message: /webp of 5x4, expected 1x1 to 4x4/ });
  t.match(errorAfter(KIND.qoi, qoi(0, 4)), { code: "bad_data" });
});

t.test("an image smaller than its rectangle is stretched over it", async (t) => {
  const image = qoi(2, 1, 0xfe, 1, 2, 3, 0xfe, 4, 5, 6);
  const peer = new Peer(KASM).say(hello(5, 2), tight(5, 2, KIND.qoi, image));
  const [left, right] = [
    [1, 2, 3, 255],
    [4, 5, 6, 255],
  ];
  const row = [left, left, left, right, right];
  t.same(pixelsOf(peer), [...row, ...row]);
  const grey = jpegTurbo.encode(new Uint8Array(8 * 8 * 4).fill(128), 8, 8, 32, 90);
  const wide = new Peer(KASM).say(hello(2100, 8), tight(2100, 8, KIND.jpeg, grey));
  t.ok(
    wide.client.framebuffer.words.every((word) => word >>> 0 === 0xff808080),
    "wider than Tight's 2048 pixels too",
  );
});

t.test("a WebP is decoded by the platform, and what comes after it waits", async (t) => {
  const webp = await sharp({ create: { width: 4, height: 4, channels: 3, background: "#0a141e" } })
    .webp({ lossless: true })
    .toBuffer();
  const peer = new Peer(KASM).say(hello(4, 4));
  const red = update(rectangle(0, 0, 1, 1, 7, Uint8Array.of(0x80, 255, 0, 0)));
  peer.say(tight(4, 4, KIND.webp, webp), red, red);
  t.equal(peer.of("update").length, 0, "nothing is told before the image is there");
  const [{ effect } = {}] = peer.of("effect");
  if (effect?.kind !== "decodeImage") throw new Error("expected an image to decode");
  t.match(effect, { format: "webp", width: 4, height: 4 });
  effect.finish(await decodeWebp(effect.bytes, effect));
  peer.client.resume(0);
  t.equal(peer.of("update").length, 3);
  const [first, second] = pixelsOf(peer);
  t.same(
    [first, second],
    [
      [255, 0, 0, 255],
      [10, 20, 30, 255],
    ],
  );
});

t.test("a WebP that does not decode, or to another size, ends it", async (t) => {
  const webp = await sharp({ create: { width: 4, height: 4, channels: 3, background: "red" } })
    .webp()
    .toBuffer();
  for (const image of [
    null,
    { width: 2, height: 2, rgba: new Uint8Array(16) },
    { width: 4, height: 4, rgba: new Uint8Array(60) },
  ]) {
    const peer = new Peer(KASM).say(hello(4, 4), tight(4, 4, KIND.webp, webp));
    const [{ effect } = {}] = peer.of("effect");
    if (effect?.kind === "decodeImage") effect.finish(image);
    t.match(
      errorOf(() => peer.client.resume(0)),
      { code: "bad_data", message: /webp is damaged/ },
    );
  }
  await t.rejects(decodeWebp(webp.subarray(0, webp.length - 8), { width: 4, height: 4 }));
  await t.rejects(decodeWebp(webp, { width: 2, height: 4 }));
});

t.test("sizes are read from the header of every kind of WebP", async (t) => {
  const flat = (background: string) => sharp({ create: { width: 300, height: 7, channels: 4, background } });
  for (const [name, image] of [
    ["lossy", await flat("#fff").removeAlpha().webp({ quality: 50 }).toBuffer()],
    ["lossless", await flat("#fff").removeAlpha().webp({ lossless: true }).toBuffer()],
    ["extended", await flat("#ffffff40").webp({ quality: 50 }).toBuffer()],
  ] as const) {
    t.same(webpSize(image), { width: 300, height: 7 }, name);
  }
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 30, maxLength: 40 }),
      fc.constantFrom("VP8 ", "VP8L", "VP8X", "ICCP"),
      (bytes, chunk) => {
        bytes.set(Buffer.from(`RIFF0000WEBP${chunk}`));
        try {
          const { width, height } = webpSize(bytes);
          return width >= 0 && height >= 0;
        } catch (error) {
          return error instanceof RfbError;
        }
      },
    ),
  );
  t.throws(() => webpSize(new Uint8Array(29)), RfbError);
  t.throws(() => qoiSize(new Uint8Array(21)), RfbError);
});

t.test("a watermark is passed over", async (t) => {
  const peer = new Peer(KASM).say(hello(5, 1), tight(5, 1, KIND.watermark, new Uint8Array(3000)));
  t.equal(peer.of("update").length, 1);
});
