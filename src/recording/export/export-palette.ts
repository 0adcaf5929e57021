/** At most 256 colours and, for each pixel, which of them it is. */
export interface IndexedPixels {
  /** Three bytes a colour, red first. */
  readonly palette: Uint8Array;
  readonly indices: Uint8Array;
}

export const MOST_COLOURS = 256;
/** Bits of a channel that are told apart where there are too many colours: 32 768 boxes to count. */
const BITS = 5;
const CELLS = 1 << (3 * BITS);

/** Gives RGBA pixels a palette: exact where 256 colours are enough, else the nearest of a median cut. */
export function indexPixels(rgba: Uint8Array): IndexedPixels {
  return exactly(rgba) ?? nearly(rgba);
}

function exactly(rgba: Uint8Array): IndexedPixels | null {
  const indexOf = new Map<number, number>();
  const indices = new Uint8Array(rgba.length / 4);
  for (let i = 0; i < indices.length; i++) {
    const at = i * 4;
    const colour = (rgba[at]! << 16) | (rgba[at + 1]! << 8) | rgba[at + 2]!;
    let index = indexOf.get(colour);
    if (index === undefined) {
      if (indexOf.size === MOST_COLOURS) return null;
      index = indexOf.size;
      indexOf.set(colour, index);
    }
    indices[i] = index;
  }
  const palette = new Uint8Array(indexOf.size * 3);
  for (const [colour, index] of indexOf) {
    palette.set([colour >> 16, (colour >> 8) & 255, colour & 255], index * 3);
  }
  return { palette, indices };
}

/** Which of the 32 768 cells a pixel lies in. */
function cellAt(rgba: Uint8Array, at: number): number {
  const shift = 8 - BITS;
  return ((rgba[at]! >> shift) << (2 * BITS)) | ((rgba[at + 1]! >> shift) << BITS) | (rgba[at + 2]! >> shift);
}

function nearly(rgba: Uint8Array): IndexedPixels {
  const counts = new Uint32Array(CELLS);
  for (let at = 0; at < rgba.length; at += 4) counts[cellAt(rgba, at)]! += 1;
  const boxes = cut(counts);
  const indexOfCell = new Uint8Array(CELLS);
  boxes.forEach(({ cells }, index) => {
    for (const cell of cells) indexOfCell[cell] = index;
  });
  const indices = new Uint8Array(rgba.length / 4);
  const sums = new Float64Array(boxes.length * 4);
  for (let i = 0; i < indices.length; i++) {
    const at = i * 4;
    const index = indexOfCell[cellAt(rgba, at)]!;
    indices[i] = index;
    for (let channel = 0; channel < 3; channel++) sums[index * 4 + channel]! += rgba[at + channel]!;
    sums[index * 4 + 3]! += 1;
  }
  const palette = new Uint8Array(boxes.length * 3);
  for (let index = 0; index < boxes.length; index++) {
    const count = Math.max(1, sums[index * 4 + 3]!);
    for (let channel = 0; channel < 3; channel++) {
      palette[index * 3 + channel] = Math.round(sums[index * 4 + channel]! / count);
    }
  }
  return { palette, indices };
}

interface Box {
  readonly cells: readonly number[];
  readonly pixels: number;
  /** The channel in which its cells lie farthest apart, and how far. */
  readonly channel: number;
  readonly spread: number;
}

/** Median cut: the box that weighs most (pixels times spread) is halved until there are 256. */
function cut(counts: Uint32Array): readonly Box[] {
  const used: number[] = [];
  for (let cell = 0; cell < CELLS; cell++) if (counts[cell]! > 0) used.push(cell);
  const boxes = [boxOf(used, counts)];
  while (boxes.length < MOST_COLOURS) {
    let heaviest = -1;
    let weight = 0;
    boxes.forEach(({ pixels, spread }, index) => {
      if (pixels * spread <= weight) return;
      heaviest = index;
      weight = pixels * spread;
    });
    const box = boxes[heaviest];
    if (box === undefined) break;
    boxes.splice(heaviest, 1, ...halves(box, counts));
  }
  return boxes;
}

function halves({ cells, pixels, channel }: Box, counts: Uint32Array): readonly Box[] {
  const sorted = [...cells].sort((a, b) => levelOf(a, channel) - levelOf(b, channel));
  let before = 0;
  let at = 0;
  while (at < sorted.length - 1) {
    before += counts[sorted[at]!]!;
    at += 1;
    if (before * 2 >= pixels) break;
  }
  return [boxOf(sorted.slice(0, at), counts), boxOf(sorted.slice(at), counts)];
}

function boxOf(cells: readonly number[], counts: Uint32Array): Box {
  const low = [31, 31, 31];
  const high = [0, 0, 0];
  let pixels = 0;
  for (const cell of cells) {
    pixels += counts[cell]!;
    for (let channel = 0; channel < 3; channel++) {
      const level = levelOf(cell, channel);
      low[channel] = Math.min(low[channel]!, level);
      high[channel] = Math.max(high[channel]!, level);
    }
  }
  const spreads = high.map((level, channel) => level - low[channel]!);
  const spread = Math.max(...spreads);
  return { cells, pixels, channel: spreads.indexOf(spread), spread };
}

/** 0 to 31; channel 0 is red. */
function levelOf(cell: number, channel: number): number {
  return (cell >> ((2 - channel) * BITS)) & 31;
}
