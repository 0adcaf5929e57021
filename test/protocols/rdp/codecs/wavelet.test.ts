import fc from "fast-check";
import t from "tap";
import {
  PLAIN_WAVELET,
  REDUCED_WAVELET,
  TILE_COEFFICIENTS,
  TILE_SIDE,
  type Wavelet,
} from "../../../../src/protocols/rdp/codecs/wavelet.ts";

const WAVELETS = [
  {
    name: "plain",
    wavelet: PLAIN_WAVELET,
    sides: [
      [32, 32],
      [16, 16],
      [8, 8],
    ],
  },
  {
    name: "reduced",
    wavelet: REDUCED_WAVELET,
    sides: [
      [33, 31],
      [17, 16],
      [9, 8],
    ],
  },
] as const;

type Grid = readonly (readonly number[])[];

/** The forward transformation of a line: high values are what the mean of both neighbours does not foretell. */
function split(line: readonly number[], low: number, high: number): { lows: number[]; highs: number[] } {
  const extended = [...line];
  // The reduced wavelet goes on in a straight line; the plain one mirrors.
  while (extended.length < 2 * low - 1) {
    const n = extended.length;
    extended.push(2 * (extended[n - 1] ?? 0) - (extended[n - 2] ?? 0));
  }
  const at = (i: number): number => extended[i] ?? extended[2 * (extended.length - 1) - i] ?? 0;
  const highs = Array.from({ length: high }, (_, i) => (at(2 * i + 1) - (at(2 * i) + at(2 * i + 2)) / 2) / 2);
  const lows = Array.from({ length: low }, (_, i) => {
    const left = highs[i - 1] ?? highs[0] ?? 0;
    // Past the end there is another like the last, but for the second low value more, whose neighbour is nothing.
    const right = highs[i] ?? (low > high + 1 ? 0 : (highs.at(-1) ?? 0));
    return at(2 * i) + (i > high ? 0 : (left + right) / 2);
  });
  return { lows, highs };
}

function transpose(grid: Grid): number[][] {
  return (grid[0] ?? []).map((_, x) => grid.map((row) => row[x] ?? 0));
}

function splitRows(grid: Grid, low: number, high: number): { lows: number[][]; highs: number[][] } {
  const parts = grid.map((row) => split(row, low, high));
  return { lows: parts.map((p) => p.lows), highs: parts.map((p) => p.highs) };
}

/** All coefficients in the order of the stream. */
function forward(values: readonly number[], sides: (typeof WAVELETS)[number]["sides"]): number[] {
  let grid: number[][] = Array.from({ length: TILE_SIDE }, (_, y) =>
    values.slice(y * TILE_SIDE, (y + 1) * TILE_SIDE),
  );
  const out: number[] = [];
  for (const [low, high] of sides) {
    const columns = splitRows(transpose(grid), low, high);
    const top = splitRows(transpose(columns.lows), low, high);
    const bottom = splitRows(transpose(columns.highs), low, high);
    out.push(...top.highs.flat(), ...bottom.lows.flat(), ...bottom.highs.flat());
    grid = top.lows;
  }
  return [...out, ...grid.flat()];
}

function inverse(wavelet: Wavelet, coefficients: readonly number[]): Int16Array {
  const tile = Int16Array.from(coefficients, Math.round);
  wavelet.inverse(tile);
  return tile;
}

for (const { name, wavelet, sides } of WAVELETS) {
  t.test(`the ${name} wavelet's bands hold all coefficients, side by side`, async (t) => {
    let end = 0;
    for (const band of wavelet.bands) {
      t.equal(band.start, end);
      end += band.count;
    }
    t.equal(end, TILE_COEFFICIENTS);
  });

  t.test(`a constant in LL3 is a constant tile by the ${name} wavelet`, async (t) => {
    const tile = new Int16Array(TILE_COEFFICIENTS);
    const last = wavelet.bands.at(-1);
    tile.fill(321, last?.start);
    wavelet.inverse(tile);
    t.ok(tile.every((value) => value === 321));
  });

  t.test(`tiles come back by the ${name} wavelet but for rounding`, async (t) => {
    const anyTile = fc
      .record({
        waves: fc.array(
          fc.record({ u: fc.nat({ max: 40 }), v: fc.nat({ max: 40 }), size: fc.nat({ max: 900 }) }),
          {
            minLength: 1,
            maxLength: 4,
          },
        ),
        noise: fc.array(fc.integer({ min: -1500, max: 1500 }), { minLength: 5, maxLength: 97 }),
      })
      .map(({ waves, noise }) =>
        Array.from({ length: TILE_COEFFICIENTS }, (_, i) => {
          const x = i % TILE_SIDE;
          const y = Math.floor(i / TILE_SIDE);
          const smooth = waves.map(({ u, v, size }) => size * Math.sin((x * u + y * v) / 64));
          return Math.round(smooth.reduce((a, b) => a + b, 0) + (noise[(i * 31) % noise.length] ?? 0));
        }),
      );
    fc.assert(
      fc.property(anyTile, (values) => {
        const decoded = inverse(wavelet, forward(values, sides));
        // Half a unit of rounding in each coefficient, twice for high ones, through three levels.
        return values.every((value, i) => Math.abs(value - (decoded[i] ?? 0)) <= 12);
      }),
      { numRuns: 40 },
    );
    t.pass("all came back");
  });
}
