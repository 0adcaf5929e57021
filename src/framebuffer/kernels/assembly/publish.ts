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

/**
 * Moves a `width` x `height` part of a picture within it, whose first pixel is at `pixels`, from (fromX, fromY) to (toX,
 * toY). Flags of the cells of the target, which lie at multiples of `cell`, line after line: 1 where one differed.
 */
export function moveCells(
  pixels: usize,
  stride: usize,
  fromX: i32,
  fromY: i32,
  toX: i32,
  toY: i32,
  width: i32,
  height: i32,
  cell: i32,
  flags: usize,
): void {
  const firstLine = toY / cell;
  const perLine = (toX + width - 1) / cell - toX / cell + 1;
  const lines = (toY + height - 1) / cell - firstLine + 1;
  memory.fill(flags, 0, perLine * lines);
  const goesDown = toY > fromY;
  for (let row = 0; row < height; row++) {
    // No row is written before it was read: a row of its own is copied as a whole.
    const y = goesDown ? height - 1 - row : row;
    const a = pixels + <usize>(fromY + y) * stride + ((<usize>fromX) << 2);
    const b = pixels + <usize>(toY + y) * stride + ((<usize>toX) << 2);
    let flag = flags + <usize>(((toY + y) / cell - firstLine) * perLine);
    let differs = false;
    for (let x = 0; x < width; flag++) {
      const columns = min<i32>(cell - ((toX + x) % cell), width - x);
      const at = (<usize>x) << 2;
      if (load<u8>(flag) != 0) differs = true;
      else if (rowDiffers(a + at, b + at, columns << 2)) {
        store<u8>(flag, 1);
        differs = true;
      }
      x += columns;
    }
    if (differs) memory.copy(b, a, width << 2);
  }
}
