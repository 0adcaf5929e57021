import t from "tap";
import type { Framebuffer } from "../../../../src/framebuffer/framebuffer.ts";
import { nodeDeflate, nodeInflate } from "../../../../src/platform/node-zlib.ts";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import { zywrle } from "../../../../src/protocols/rfb/encodings/zywrle.ts";
import { checkRefuses, decode, joinBytes, type WireRect } from "./decode-harness.ts";
import { FORMATS } from "./formats.ts";
import { photoPicture } from "./pictures.ts";

/** The transform on a pair as its paper draws it: which of eight triangles of the plane (a, b) lies in. */
function split(a: number, b: number): readonly [number, number] {
  const hasOneSign = a < 0 === b < 0;
  if (hasOneSign) {
    const difference = a - b;
    const isFirstLarger = difference < 0 === a < 0;
    return [isFirstLarger ? a : b, difference];
  }
  const sum = a + b;
  const isSecondLarger = sum < 0 === b < 0;
  return [sum, isSecondLarger ? -b : a];
}

/** One tile's body before zlib: outer subencoding 0, inner subencoding 0, then coefficients and odd pixels. */
function tileOf(from: Framebuffer): number[] {
  const { width, height, bytes } = from;
  const even = { width: width & ~1, height: height & ~1 };
  const at = (x: number, y: number): number[] => [
    ...bytes.subarray((y * width + x) * 4, (y * width + x) * 4 + 3),
  ];
  const planes: number[][] = Array.from({ length: even.height * even.width }, (_, i) => {
    const [r = 0, g = 0, b = 0] = at(i % even.width, Math.floor(i / even.width));
    return [(r - g) >> 1, ((r + 2 * g + b) >> 2) - 128, (b - g) >> 1];
  });
  const pairUp = (first: number, second: number): void => {
    for (let c = 0; c < 3; c++) {
      const [low, high] = split(planes[first]?.[c] ?? 0, planes[second]?.[c] ?? 0);
      planes[first]?.splice(c, 1, low);
      planes[second]?.splice(c, 1, high);
    }
  };
  for (let y = 0; y < even.height; y++) {
    for (let x = 0; x < even.width; x += 2) pairUp(y * even.width + x, y * even.width + x + 1);
  }
  for (let y = 0; y < even.height; y += 2) {
    for (let x = 0; x < even.width; x++) pairUp(y * even.width + x, (y + 1) * even.width + x);
  }
  const out = [0, 0];
  for (const part of [3, 2, 1, 0]) {
    for (let y = part >> 1; y < even.height; y += 2) {
      for (let x = part & 1; x < even.width; x += 2) {
        out.push(...(planes[y * even.width + x] ?? []).map((value) => value & 255));
      }
    }
  }
  if (width > even.width) for (let y = 0; y < even.height; y++) out.push(...at(even.width, y));
  if (height > even.height) for (let x = 0; x < width; x++) out.push(...at(x, even.height));
  return out;
}

function wire(from: Framebuffer, tiles: readonly number[]): WireRect {
  const data = nodeDeflate.zlib(Uint8Array.from(tiles), 6);
  const body = new ByteWriter().u32(data.length).put(data).bytes();
  return { encoding: zywrle, rect: from.rect, body };
}

t.test("a picture comes back but for what half the colour differences lose", async (t) => {
  for (const [width, height] of [
    [64, 64],
    [33, 20],
    [20, 33],
    [17, 17],
    [2, 2],
  ] as const) {
    const from = photoPicture(width, height);
    for (const size of [1, 100, 100_000]) {
      const { framebuffer } = decode([wire(from, tileOf(from))], width, height, [size]);
      const off = from.bytes.map((byte, i) => Math.abs(byte - (framebuffer.bytes[i] ?? 0)));
      t.ok(off.reduce((most, value) => Math.max(most, value), 0) <= 2, `${width}x${height} by ${size} bytes`);
      const last = (width * height - 1) * 4;
      if (width % 2 === 1)
        t.same(framebuffer.bytes.slice(last), from.bytes.slice(last), "odd pixels are exact");
    }
  }
});

t.test("other subencodings, and tiles one pixel wide, are as in zrle", async (t) => {
  const from = photoPicture(1, 5);
  const narrow = decode([wire(from, tileOf(from))], 1, 5);
  t.same(narrow.framebuffer.bytes, from.bytes);
  const solid = decode([wire(from, [1, 9, 8, 7])], 1, 5);
  t.ok(solid.framebuffer.words.every((word) => word === 0xff070809));
});

t.test("case 20: a tile without its inner one, and formats of few bits, are refused", async (t) => {
  const from = photoPicture(4, 4);
  checkRefuses(t, [wire(from, [0])], 4, 4, /zrle data ends before/);
  checkRefuses(t, [wire(from, [0, 17])], 4, 4, /zrle subencoding 17/);
  checkRefuses(t, [wire(from, [...tileOf(from), 0])], 4, 4, /goes on|more than/);
  const body = joinBytes([wire(from, tileOf(from)).body]);
  const rects = [{ encoding: zywrle, rect: from.rect, body }];
  t.throws(() => decode(rects, 4, 4, [1], nodeInflate, FORMATS["565"]), { message: /zywrle in 16 bits/ });
});
