import { constants, inflateRawSync } from "node:zlib";
import fc from "fast-check";
import t from "tap";
import { filterPixels } from "../../src/imaging/png/png-rows.ts";
import { deflateRows } from "../../src/platform/deflate-rows.ts";
import { nodeDeflate } from "../../src/platform/node-zlib.ts";
import { numbers } from "../framebuffer/frames.ts";
import { frameAsPicture, paintedFrame } from "../imaging/pictures.ts";

/** Rows of `width` pixels of few or many colours, some of them repeats of what came before. */
function rowsOf(seed: number, width: number, count: number, colours: number): Uint8Array {
  const next = numbers(seed);
  const rowBytes = 1 + 3 * width;
  const rows = new Uint8Array(rowBytes * count);
  for (let y = 0; y < count; y++) {
    rows[y * rowBytes] = next() % 5;
    for (let x = 0; x < width; ) {
      const at = y * rowBytes + 1 + 3 * x;
      const run = Math.min(width - x, 1 + (next() % 90));
      const back = next() % 3 === 0 ? 1 + (next() % (at + 1)) : 0;
      for (let i = at; i < at + 3 * run; i++) {
        rows[i] = back > 0 && back <= i ? (rows[i - back] ?? 0) : ((next() % colours) * 37) & 255;
      }
      x += run;
    }
  }
  return rows;
}

function inflated(segments: readonly Uint8Array[]): Buffer {
  return inflateRawSync(Buffer.concat(segments), { finishFlush: constants.Z_SYNC_FLUSH });
}

t.test("zlib reads back what the kernel compressed, one segment after the other", async () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer({ min: 1, max: 400 }),
      fc.integer({ min: 1, max: 24 }),
      fc.constantFrom(1, 2, 3, 40, 256),
      (seed, width, count, colours) => {
        const first = rowsOf(seed, width, count, colours);
        const second = rowsOf(seed + 1, width, 3, 2);
        const segments = [first, second].map((rows) => deflateRows(rows, 1 + 3 * width) ?? new Uint8Array(0));
        return inflated(segments).equals(Buffer.concat([first, second]));
      },
    ),
    { numRuns: 300 },
  );
});

t.test("rows wider than deflate can look back are read back", async (t) => {
  for (const [width, count] of [
    [10_922, 3],
    [10_923, 3],
    [16_384, 16],
  ] as const) {
    const rows = rowsOf(7, width, count, 3);
    const segment = deflateRows(rows, 1 + 3 * width);
    t.ok(segment !== null && inflated([segment]).equals(rows), `${width} pixels`);
  }
});

t.test("codes stay within fifteen bits, however uneven the bytes are", async (t) => {
  // Each byte comes about 1.6 times as often as the next: an unlimited code would have lengths of 24 and more.
  const bytes: number[] = [];
  for (let value = 0, times = 1, before = 1; value < 24; value++) {
    for (let i = 0; i < times; i++) bytes.push(value * 7, (value * 7 + i) & 255, value * 7);
    [times, before] = [times + before, times];
  }
  const width = Math.min(16_384, Math.floor(bytes.length / 3 / 10));
  const rows = Uint8Array.from({ length: (1 + 3 * width) * 10 }, (_, i) => bytes[i % bytes.length] ?? 0);
  const segment = deflateRows(rows, 1 + 3 * width);
  t.ok(segment !== null && inflated([segment]).equals(rows));
});

t.test("noise grows by little", async (t) => {
  const next = numbers(5);
  const rows = Uint8Array.from({ length: (1 + 3 * 500) * 16 }, () => next() & 255);
  const segment = deflateRows(rows, 1 + 3 * 500);
  t.ok(segment !== null && inflated([segment]).equals(rows));
  t.ok((segment?.length ?? 0) <= rows.length * 1.02);
});

t.test("a drawn picture is no larger than by zlib's fastest level", async (t) => {
  const frame = paintedFrame(640, 400);
  const sizes = { kernel: 0, zlib: 0 };
  for (let y = 0; y < 400; y += 16) {
    const pixels = frameAsPicture(frame).pixels({ x: 0, y, width: 640, height: 16 });
    const { bytes } = filterPixels(pixels, 640, 16);
    sizes.kernel += deflateRows(bytes, 1 + 3 * 640)?.length ?? Number.POSITIVE_INFINITY;
    sizes.zlib += nodeDeflate.rawSegment(bytes, 1).length;
  }
  t.ok(sizes.kernel <= sizes.zlib, `${sizes.kernel} and ${sizes.zlib} bytes`);
});

t.test("what the scratch memory has no room for is left to zlib", async (t) => {
  t.equal(deflateRows(new Uint8Array((1 + 3 * 2000) * 600), 1 + 3 * 2000), null);
});
