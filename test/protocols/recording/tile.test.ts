import t from "tap";
import { paintPalette } from "../../../src/protocols/recording/tile.ts";

const SIDE = 11;
const MARK = 0x12345678;

/** A palette tile of 11x3 whose indices are given row by row, painted into the middle of a larger picture. */
function painted(
  colours: number,
  bits: number,
  indices: readonly number[],
): { isWhole: boolean; words: Uint32Array } {
  const rowBytes = Math.ceil((SIDE * bits) / 8);
  const bytes = new Uint8Array(colours * 3 + rowBytes * 3);
  for (let i = 0; i < colours; i++) bytes.set([i, 255 - i, 7], i * 3);
  for (const [i, index] of indices.entries()) {
    const bit = (i % SIDE) * bits;
    const at = colours * 3 + Math.floor(i / SIDE) * rowBytes + (bit >> 3);
    bytes[at] = (bytes[at] ?? 0) | (index << (8 - bits - (bit & 7)));
  }
  const words = new Uint32Array(20 * 5).fill(MARK);
  return { isWhole: paintPalette(words, 20 + 4, 20, SIDE, 3, bytes, 0, colours), words };
}

t.test("a tile of any number of colours is painted pixel by pixel, and nothing beside it", async (t) => {
  for (const [colours, bits] of [
    [1, 1],
    [2, 1],
    [3, 2],
    [4, 2],
    [5, 4],
    [16, 4],
    [17, 8],
    [256, 8],
  ] as const) {
    const indices = Array.from({ length: SIDE * 3 }, (_, i) => (i * 37 + (i >> 2)) % colours);
    const { isWhole, words } = painted(colours, bits, indices);
    const expected = new Uint32Array(20 * 5).fill(MARK);
    for (const [i, index] of indices.entries()) {
      const at = 20 + 4 + Math.floor(i / SIDE) * 20 + (i % SIDE);
      expected[at] = (0xff070000 | ((255 - index) << 8) | index) >>> 0;
    }
    t.ok(isWhole, `${colours} colours`);
    t.same(words, expected, `${colours} colours`);
  }
});

t.test("an index beyond the colours of a tile is told", async (t) => {
  for (const [colours, bits, index] of [
    [1, 1, 1],
    [3, 2, 3],
    [5, 4, 15],
    [17, 8, 17],
  ] as const) {
    const indices = new Array<number>(SIDE * 3).fill(0);
    for (const place of [0, SIDE - 1, SIDE * 3 - 1]) {
      t.notOk(
        painted(colours, bits, indices.with(place, index)).isWhole,
        `${index} of ${colours} at ${place}`,
      );
    }
  }
});
