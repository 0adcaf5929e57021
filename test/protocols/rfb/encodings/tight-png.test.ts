import { crc32, deflateSync } from "node:zlib";
import sharp, { type PngOptions } from "sharp";
import t from "tap";
import { Framebuffer } from "../../../../src/framebuffer/framebuffer.ts";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import { TIGHT_MAX_WIDTH } from "../../../../src/protocols/rfb/encodings/tight.ts";
import { tightPng } from "../../../../src/protocols/rfb/encodings/tight-png.ts";
import { checkDecodes, checkRefuses, decode, encoderState, joinBytes, pixelsAt } from "./decode-harness.ts";
import { noisePicture, photoPicture } from "./pictures.ts";

const SIGNATURE = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10);

function chunk(type: string, data: Uint8Array): Uint8Array {
  const to = new ByteWriter().u32(data.length).ascii(type).put(data);
  return to.u32(crc32(to.bytes().subarray(4))).bytes();
}

function header(width: number, height: number, depth = 8, colour = 2, interlace = 0): Uint8Array {
  const to = new ByteWriter().u32(width).u32(height).u8(depth).u8(colour).pad(2).u8(interlace);
  return chunk("IHDR", to.bytes());
}

/** A rectangle's body: control byte, length, image. */
function body(...chunks: readonly Uint8Array[]): Uint8Array {
  const png = joinBytes([SIGNATURE, ...chunks]);
  const { length } = png;
  const size = length < 128 ? [length] : length < 16_384 ? [(length & 127) | 128, length >> 7] : [];
  const long = [(length & 127) | 128, ((length >> 7) & 127) | 128, length >> 14];
  return joinBytes([Uint8Array.from([0xa0, ...(size.length > 0 ? size : long)]), png]);
}

const end = chunk("IEND", new Uint8Array(0));
const data = (rows: readonly number[]): Uint8Array => chunk("IDAT", deflateSync(Uint8Array.from(rows)));

async function pngOf(from: Framebuffer, options: PngOptions): Promise<Uint8Array> {
  const raw = { width: from.width, height: from.height, channels: 4 as const };
  const png = await sharp(from.bytes, { raw }).removeAlpha().png(options).toBuffer();
  return png.subarray(SIGNATURE.length);
}

t.test("images of libpng with each of its filters come back in every pixel", async (t) => {
  for (const from of [photoPicture(67, 31), noisePicture(30, 20)]) {
    const { rect } = from;
    for (const adaptiveFiltering of [false, true]) {
      const wire = body(await pngOf(from, { adaptiveFiltering }));
      checkDecodes(t, [{ encoding: tightPng, rect, body: wire }], from);
    }
  }
});

t.test("rows with every filter", async (t) => {
  const from = photoPicture(9, 10);
  const rows: number[] = [];
  const at = (x: number, y: number, c: number): number =>
    x < 0 || y < 0 ? 0 : (from.bytes[(y * 9 + x) * 4 + c] ?? 0);
  for (let y = 0; y < 10; y++) {
    const filter = y % 5;
    rows.push(filter);
    for (let x = 0; x < 9; x++) {
      for (let c = 0; c < 3; c++) {
        const [left, up, corner] = [at(x - 1, y, c), at(x, y - 1, c), at(x - 1, y - 1, c)];
        const near = [left, up, corner].map((value) => Math.abs(left + up - corner - value));
        const paeth = [left, up, corner][near.indexOf(Math.min(...near))] ?? 0;
        const guess = [0, left, up, (left + up) >> 1, paeth][filter] ?? 0;
        rows.push((at(x, y, c) - guess) & 255);
      }
    }
  }
  checkDecodes(
    t,
    [{ encoding: tightPng, rect: from.rect, body: body(header(9, 10), data(rows), end) }],
    from,
  );
});

t.test("indexed and grey images of few bits, alpha, several data chunks and unknown ones", async (t) => {
  const rect = { x: 0, y: 0, width: 3, height: 1 };
  const expect = (wire: Uint8Array, ...words: readonly number[]): void =>
    checkDecodes(t, [{ encoding: tightPng, rect, body: wire }], {
      width: 3,
      height: 1,
      words: Uint32Array.from(words),
    });
  const palette = chunk("PLTE", Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9));
  const colours = [0xff030201, 0xff090807, 0xff060504] as const;
  expect(body(header(3, 1, 8, 3), palette, data([0, 0, 2, 1]), end), ...colours);
  expect(body(header(3, 1, 4, 3), palette, data([0, 0x02, 0x10]), end), ...colours);
  expect(body(header(3, 1, 2, 3), palette, data([0, 0b00100100]), end), ...colours);
  expect(body(header(3, 1, 1, 0), data([0, 0b01000000]), end), 0xff000000, 0xffffffff, 0xff000000);
  expect(body(header(3, 1, 8, 4), data([0, 1, 99, 2, 99, 3, 99]), end), 0xff010101, 0xff020202, 0xff030303);
  const rgba = data([0, 1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0]);
  expect(body(header(3, 1, 8, 6), rgba, end), 0xff030201, 0xff060504, 0xff090807);
  const whole = deflateSync(Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  const parts = [chunk("IDAT", whole.subarray(0, 5)), chunk("IDAT", whole.subarray(5))];
  const text = chunk("tEXt", Uint8Array.of(1, 2));
  expect(body(header(3, 1), text, ...parts, end), 0xff030201, 0xff060504, 0xff090807);
});

t.test("fill and jpeg are as in tight", async (t) => {
  const rect = { x: 0, y: 0, width: 2, height: 1 };
  const words = Uint32Array.of(0xff030201, 0xff030201);
  const wire = Uint8Array.of(0x80, 1, 2, 3);
  checkDecodes(t, [{ encoding: tightPng, rect, body: wire }], { width: 2, height: 1, words });
  const photo = photoPicture(100, 100);
  const to = new ByteWriter();
  tightPng.encode?.(to, pixelsAt(photo, 0, 0), photo.rect, encoderState({ jpegQuality: 90 }));
  t.equal(to.bytes()[0], 0x90);
});

t.test("what we encode is a picture to libpng", async (t) => {
  const plain = new Framebuffer(50, 20);
  plain.fill({ x: 4, y: 4, width: 9, height: 9 }, 0x123456);
  for (const from of [photoPicture(80, 60), noisePicture(90, 70), plain]) {
    const to = new ByteWriter();
    tightPng.encode?.(to, pixelsAt(from, 0, 0), from.rect, encoderState());
    const wire = to.bytes();
    t.equal(wire[0], 0xa0);
    const start = Buffer.from(wire).indexOf(Buffer.from(SIGNATURE));
    const { data: pixels } = await sharp(wire.subarray(start)).ensureAlpha().raw().toBuffer({
      resolveWithObject: true,
    });
    t.ok(pixels.equals(Buffer.from(from.bytes)), "libpng sees the same pixels");
    decode([{ encoding: tightPng, rect: from.rect, body: wire }], from.width, from.height);
  }
});

t.test("case 18: images of another size and kind, damaged and bombing ones are refused", async (t) => {
  const rect = { x: 0, y: 0, width: 3, height: 1 };
  const refuse = (wire: Uint8Array, message: RegExp): void =>
    checkRefuses(t, [{ encoding: tightPng, rect, body: wire }], 8, 8, message);
  const row = data([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  refuse(body(header(65_535, 65_535), row, end), /png of 65535x65535, expected 3x1/);
  refuse(body(header(3, 1, 16), row, end), /colour type 2 with 16 bits/);
  refuse(body(header(3, 1, 4, 2), row, end), /colour type 2 with 4 bits/);
  refuse(body(header(3, 1, 8, 5), row, end), /colour type 5/);
  refuse(body(header(3, 1, 8, 2, 1), row, end), /no interlacing/);
  refuse(body(row, end), /without header/);
  refuse(body(end), /without header/);
  refuse(body(header(3, 1), chunk("ABCD", new Uint8Array(1)), row, end), /unknown critical chunk/);
  refuse(body(header(3, 1), end), /ends before the last row/);
  refuse(body(header(3, 1), data([0, 1, 2]), end), /ends before the last row/);
  refuse(body(header(3, 1), data([5, 1, 2, 3, 4, 5, 6, 7, 8, 9]), end), /png filter 5/);
  refuse(body(header(3, 1), chunk("IDAT", Uint8Array.of(1, 2, 3)), end), /damaged/);
  refuse(body(header(3, 1), chunk("PLTE", new Uint8Array(900)), row, end), /palette of 900 bytes/);
  refuse(Uint8Array.of(0xa0, 8, 1, 2, 3, 4, 5, 6, 7, 8), /without its signature/);
  refuse(Uint8Array.of(0xa0, 12, ...SIGNATURE, 1, 2, 3, 4), /without header/);
  const huge = Uint8Array.of(0xa0, 20, ...SIGNATURE, 255, 255, 255, 255, 73, 72, 68, 82, 0, 0, 0, 0);
  refuse(huge, /png chunk of 4294967295 bytes/);
  const bomb = chunk("IDAT", deflateSync(new Uint8Array(16 * 1024 * 1024), { level: 9 }));
  refuse(body(header(3, 1), bomb, end), /goes on|more than/);
});

t.test("the encoder refuses what the caller should have split", async (t) => {
  const wide = new Framebuffer(TIGHT_MAX_WIDTH + 1, 1);
  t.throws(() => tightPng.encode?.(new ByteWriter(), pixelsAt(wide, 0, 0), wide.rect, encoderState()), {
    message: /expected 1 to 65536 pixels/,
  });
});
