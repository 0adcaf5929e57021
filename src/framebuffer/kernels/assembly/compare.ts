import { rowDiffers } from "./row";

/**
 * Compares one line of cells. `a` and `b` are the top left pixels of two parts of `width` x `height` pixels, of which
 * the first begins at column `left`; cells are `cell` columns apart. Sets each cell's flag to whether any pixel differs.
 */
export function differCells(
  a: usize,
  aStride: usize,
  b: usize,
  bStride: usize,
  left: i32,
  width: i32,
  height: i32,
  cell: i32,
  flags: usize,
): void {
  let x = 0;
  let index: usize = 0;
  while (x < width) {
    const columns = min<i32>(cell - ((left + x) % cell), width - x);
    const bytes = columns << 2;
    let p = a + ((<usize>x) << 2);
    let q = b + ((<usize>x) << 2);
    let y = 0;
    while (y < height && !rowDiffers(p, q, bytes)) {
      p += aStride;
      q += bStride;
      y++;
    }
    store<u8>(flags + index, <u8>(y < height));
    index++;
    x += columns;
  }
}
