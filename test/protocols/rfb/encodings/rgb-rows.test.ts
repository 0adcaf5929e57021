import fc from "fast-check";
import t from "tap";
import { Framebuffer } from "../../../../src/framebuffer/framebuffer.ts";
import { paintRgb, paintRgbx, viewOf } from "../../../../src/protocols/rfb/encodings/rgb-rows.ts";

for (const [name, paint, size] of [
  ["paintRgb", paintRgb, 3],
  ["paintRgbx", paintRgbx, 4],
] as const) {
  t.test(`${name} paints every width at every alignment, opaque, and nothing beside it`, async () => {
    const block = fc.record({
      width: fc.integer({ min: 0, max: 19 }),
      rows: fc.integer({ min: 0, max: 4 }),
      start: fc.integer({ min: 0, max: 5 }),
      seed: fc.integer({ min: 1, max: 1000 }),
    });
    fc.assert(
      fc.property(block, ({ width, rows, start, seed }) => {
        const to = new Framebuffer(width + 5, rows + 3);
        const first = to.width + 2;
        // Not one byte more than the pixels take: reading beyond them throws.
        const data = Uint8Array.from({ length: start + width * rows * size }, (_, i) => (i * seed) & 255);
        const expected = to.words.slice();
        for (let y = 0; y < rows; y++) {
          for (let x = 0; x < width; x++) {
            const at = start + (y * width + x) * size;
            const [r = 0, g = 0, b = 0] = data.subarray(at, at + 3);
            expected[first + y * to.width + x] = 0xff000000 | r | (g << 8) | (b << 16);
          }
        }
        const end = paint(viewOf(data), start, to.words, { first, stride: to.width, width, rows });
        return end === data.length && to.words.every((word, i) => word === expected[i]);
      }),
    );
  });
}
