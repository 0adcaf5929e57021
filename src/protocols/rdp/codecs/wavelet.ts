/** Width and height of a tile, in pixels: the only size there is (MS-RDPRFX 2.2.2.2.4, CT_TILE_64x64). */
export const TILE_SIDE = 64;

/** Coefficients of one colour component of a tile. */
export const TILE_COEFFICIENTS = TILE_SIDE * TILE_SIDE;

/** Where a sub-band lies among the coefficients, in the order of the stream. */
interface Band {
  readonly start: number;
  readonly count: number;
}

/** HL1, LH1, HH1, HL2, LH2, HH2, HL3, LH3, HH3, LL3: what quantisation values are kept by, and how many there are. */
export const BANDS = 10;

/** A wavelet: its sub-bands, in the order of BANDS, and its inverse transformation. */
export interface Wavelet {
  readonly bands: readonly Band[];
  /** Turns coefficients into TILE_SIDE rows of values, in place. */
  inverse(tile: Int16Array): void;
}

/** Sides of the high and low sub-bands of the levels 1 to 3. */
interface Level {
  readonly low: number;
  readonly high: number;
}

/** Rows and columns of a level before they are put together; one is enough: transformations do not overlap. */
const SCRATCH = new Int16Array(TILE_COEFFICIENTS);

/** MS-RDPRFX 3.1.8.2.4: each level splits a side in two halves. */
export const PLAIN_WAVELET: Wavelet = waveletOf([
  { low: 32, high: 32 },
  { low: 16, high: 16 },
  { low: 8, high: 8 },
]);

/** MS-RDPEGFX 3.2.8.1.2.2, "reduce-extrapolate": low halves are a value longer, so that tiles meet without a seam. */
export const REDUCED_WAVELET: Wavelet = waveletOf([
  { low: 33, high: 31 },
  { low: 17, high: 16 },
  { low: 9, high: 8 },
]);

function waveletOf(levels: readonly Level[]): Wavelet {
  const bands: Band[] = [];
  const starts: number[] = [];
  let start = 0;
  const add = (count: number): void => {
    bands.push({ start, count });
    start += count;
  };
  for (const { low, high } of levels) {
    starts.push(start);
    add(high * low);
    add(low * high);
    add(high * high);
  }
  const last = levels.at(-1);
  if (last !== undefined) add(last.low * last.low);
  return {
    bands,
    inverse(tile) {
      for (let i = levels.length - 1; i >= 0; i--) {
        const { low, high } = levels[i]!;
        inverseLevel(tile, starts[i]!, low, high);
      }
    },
  };
}

/** One level from `start` on: HL, LH, HH and LL, in this order, become the LL of the level below, at `start`. */
function inverseLevel(tile: Int16Array, start: number, low: number, high: number): void {
  const side = low + high;
  const hl = start;
  const lh = hl + high * low;
  const hh = lh + low * high;
  const ll = hh + high * high;
  const scratch = SCRATCH;
  // Rows: LL and HL make the low rows, LH and HH the high ones.
  for (let y = 0; y < low; y++) joinRow(tile, ll + y * low, hl + y * high, scratch, y * side, low, high);
  for (let y = 0; y < high; y++)
    joinRow(tile, lh + y * low, hh + y * high, scratch, (low + y) * side, low, high);
  joinColumns(scratch, tile, start, low, high);
}

/** Even values are low ones less the mean of their high neighbours; odd ones high ones plus the mean of theirs. */
function joinRow(
  from: Int16Array,
  lows: number,
  highs: number,
  to: Int16Array,
  row: number,
  low: number,
  high: number,
): void {
  let before = from[highs]!;
  let even = from[lows]! - ((before + before + 1) >> 1);
  to[row] = even;
  let at = row + 1;
  for (let i = 1; i < high; i++, at += 2) {
    const here = from[highs + i]!;
    const next = from[lows + i]! - ((before + here + 1) >> 1);
    to[at] = (before << 1) + ((even + next) >> 1);
    to[at + 1] = next;
    even = next;
    before = here;
  }
  if (low === high) {
    to[at] = (before << 1) + even;
    return;
  }
  // The reduced wavelet has one or two low values more; beyond the last high one there is another like it, or nothing.
  const next = from[lows + high]! - (low === high + 1 ? before : before >> 1);
  to[at] = (before << 1) + ((even + next) >> 1);
  to[at + 1] = next;
  if (low > high + 1) to[at + 2] = (next + from[lows + high + 1]!) >> 1;
}

/** `joinRow` for all columns of `from` at a time, row by row, so that memory is read in order. */
function joinColumns(from: Int16Array, to: Int16Array, start: number, low: number, high: number): void {
  const side = low + high;
  const highs = low * side;
  for (let x = 0; x < side; x++) to[start + x] = from[x]! - from[highs + x]!;
  for (let i = 1; i < high; i++) {
    const out = start + 2 * i * side;
    const l = i * side;
    const h = highs + l;
    for (let x = 0; x < side; x++) {
      const before = from[h - side + x]!;
      const even = to[out - 2 * side + x]!;
      const next = from[l + x]! - ((before + from[h + x]! + 1) >> 1);
      to[out + x] = next;
      to[out - side + x] = (before << 1) + ((even + next) >> 1);
    }
  }
  const out = start + (2 * high - 1) * side;
  const h = highs + (high - 1) * side;
  const l = high * side;
  for (let x = 0; x < side; x++) {
    const before = from[h + x]!;
    const even = to[out - side + x]!;
    if (low === high) {
      to[out + x] = (before << 1) + even;
      continue;
    }
    const next = from[l + x]! - (low === high + 1 ? before : before >> 1);
    to[out + x] = (before << 1) + ((even + next) >> 1);
    to[out + side + x] = next;
    if (low > high + 1) to[out + 2 * side + x] = (next + from[l + side + x]!) >> 1;
  }
}
