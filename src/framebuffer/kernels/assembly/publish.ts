import { rowDiffers } from "./row";

/**
 * Brings one line of cells up to date. `from` and `to` are the top left pixels of the same `width` x `height` part of
 * two pictures, which begins at column `left`; cells are `cell` columns apart. Of a cell that differs the rows from
 * the first differing one on are copied and its flag is set to 1. Returns how many differed.
 */
export function publishCells(
  from: usize,
  fromStride: usize,
  to: usize,
  toStride: usize,
  left: i32,
  width: i32,
  height: i32,
  cell: i32,
  flags: usize,
): i32 {
  let changed = 0;
  let x = 0;
  let index: usize = 0;
  while (x < width) {
    const columns = min<i32>(cell - ((left + x) % cell), width - x);
    const bytes = columns << 2;
    let a = from + ((<usize>x) << 2);
    let b = to + ((<usize>x) << 2);
    let y = 0;
    while (y < height && !rowDiffers(a, b, bytes)) {
      a += fromStride;
      b += toStride;
      y++;
    }
    const differs = y < height;
    for (; y < height; y++) {
      memory.copy(b, a, bytes);
      a += fromStride;
      b += toStride;
    }
    store<u8>(flags + index, <u8>differs);
    changed += <i32>differs;
    index++;
    x += columns;
  }
  return changed;
}
