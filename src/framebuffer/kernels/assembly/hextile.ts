/** A side of a full tile, and bits of its first byte: RFC 6143 section 7.7.4. */
const SIDE: i32 = 16;
const RAW: i32 = 1;
const BACKGROUND: i32 = 2;
const FOREGROUND: i32 = 4;
const SUBRECTS: i32 = 8;
const COLOURED: i32 = 16;
const UNKNOWN: i32 = 0xe0;

const OPAQUE: u32 = 0xff000000;

/** Bytes of 8 subrectangles without colours, and those bytes of each that say its size. */
const SOME: usize = 16;
const SIZES: i16 = -256;

/**
 * Paints the Hextile tiles that lie whole from `wire` to `end`, in pixels of R, G, B and a byte that means nothing.
 * The rectangle is `width` x `height` pixels from address `at` on. `state`, 32-bit numbers, is kept from call to call:
 * x and y of the next tile in the rectangle, background, foreground, and which of these are known (1, 2). Returns the
 * address of the first tile that is not whole; one that is wrong is left as well, perhaps half painted.
 */
export function paintHextile(
  wire: usize,
  end: usize,
  at: usize,
  stride: usize,
  width: i32,
  height: i32,
  state: usize,
): usize {
  let x = load<i32>(state);
  let y = load<i32>(state, 4);
  let p = wire;
  while (y < height && p < end) {
    const columns = min<i32>(SIDE, width - x);
    const rows = min<i32>(SIDE, height - y);
    const origin = at + <usize>y * stride + (<usize>x << 2);
    const next = paintTile(p, end, origin, stride, columns, rows, state + 8);
    if (next == 0) break;
    p = next;
    x += SIDE;
    if (x >= width) {
      x = 0;
      y += SIDE;
    }
  }
  store<i32>(state, x);
  store<i32>(state, y, 4);
  return p;
}

/** Where the tile ends; 0 where it is not whole or wrong: the colours are then as before. */
// @ts-expect-error: a decorator of AssemblyScript
@inline
function paintTile(
  start: usize,
  end: usize,
  origin: usize,
  stride: usize,
  columns: i32,
  rows: i32,
  colours: usize,
): usize {
  const kind = <i32>load<u8>(start);
  if (kind & UNKNOWN) return 0;
  let p = start + 1;
  if (kind & RAW) {
    const after = p + ((columns * rows) << 2);
    if (after > end) return 0;
    paintRaw(p, origin, stride, columns, rows);
    return after;
  }
  let background = load<u32>(colours);
  let foreground = load<u32>(colours, 4);
  let known = load<i32>(colours, 8);
  if (kind & BACKGROUND) {
    background = load<u32>(p) | OPAQUE;
    known |= 1;
    p += 4;
  }
  if (kind & FOREGROUND) {
    foreground = load<u32>(p) | OPAQUE;
    known |= 2;
    p += 4;
  }
  let count: usize = 0;
  if (kind & SUBRECTS) {
    if (p >= end) return 0;
    count = load<u8>(p++);
  }
  const after = p + count * (kind & COLOURED ? 6 : 2);
  if (after > end || (known & 1) == 0) return 0;
  if ((kind & (SUBRECTS | COLOURED)) == SUBRECTS && (known & 2) == 0) return 0;
  fill(origin, stride, columns, rows, background);
  if (kind & COLOURED) {
    for (; p < after; p += 6) {
      if (!paintSubrect(origin, stride, columns, rows, load<u8>(p, 4), load<u8>(p, 5), load<u32>(p) | OPAQUE)) return 0;
    }
  } else {
    const isFull = columns == SIDE && rows == SIDE;
    while (p < after) {
      const some = min<usize>(p + SOME, after);
      if (isFull && some == p + SOME && paintPixels(p, origin, stride, foreground)) {
        p = some;
        continue;
      }
      for (; p < some; p += 2) {
        if (!paintSubrect(origin, stride, columns, rows, load<u8>(p), load<u8>(p, 1), foreground)) return 0;
      }
    }
  }
  store<u32>(colours, background);
  store<u32>(colours, foreground, 4);
  store<i32>(colours, known, 8);
  return after;
}

// @ts-expect-error: a decorator of AssemblyScript
@inline
function paintRaw(from: usize, origin: usize, stride: usize, columns: i32, rows: i32): void {
  const opaque = i32x4.splat(OPAQUE);
  let p = from;
  for (let y = 0, row = origin; y < rows; y++, row += stride) {
    let i: usize = 0;
    const bytes = <usize>columns << 2;
    for (; i + 16 <= bytes; i += 16) v128.store(row + i, v128.or(v128.load(p + i), opaque));
    for (; i < bytes; i += 4) store<u32>(row + i, load<u32>(p + i) | OPAQUE);
    p += bytes;
  }
}

// @ts-expect-error: a decorator of AssemblyScript
@inline
function fill(origin: usize, stride: usize, columns: i32, rows: i32, colour: u32): void {
  const colours = i32x4.splat(colour);
  for (let y = 0, row = origin; y < rows; y++, row += stride) {
    let i = 0;
    for (; i + 4 <= columns; i += 4) v128.store(row + ((<usize>i) << 2), colours);
    for (; i < columns; i++) store<u32>(row + ((<usize>i) << 2), colour);
  }
}

/** Paints 8 subrectangles of a full tile, where all of them are single pixels; false where they are not. */
// @ts-expect-error: a decorator of AssemblyScript
@inline
function paintPixels(from: usize, origin: usize, stride: usize, colour: u32): bool {
  const places = v128.load(from);
  if (v128.any_true(v128.and(places, i16x8.splat(SIZES)))) return false;
  const x = i16x8.shr_u(places, 4);
  const y = v128.and(places, i16x8.splat(15));
  const rowBytes = i32x4.splat(<i32>stride);
  const before = offsets(i32x4.extend_low_i16x8_u(x), i32x4.extend_low_i16x8_u(y), rowBytes);
  const after = offsets(i32x4.extend_high_i16x8_u(x), i32x4.extend_high_i16x8_u(y), rowBytes);
  store<u32>(origin + i32x4.extract_lane(before, 0), colour);
  store<u32>(origin + i32x4.extract_lane(before, 1), colour);
  store<u32>(origin + i32x4.extract_lane(before, 2), colour);
  store<u32>(origin + i32x4.extract_lane(before, 3), colour);
  store<u32>(origin + i32x4.extract_lane(after, 0), colour);
  store<u32>(origin + i32x4.extract_lane(after, 1), colour);
  store<u32>(origin + i32x4.extract_lane(after, 2), colour);
  store<u32>(origin + i32x4.extract_lane(after, 3), colour);
  return true;
}

/** Where four pixels lie behind their tile's first one, in bytes. */
// @ts-expect-error: a decorator of AssemblyScript
@inline
function offsets(x: v128, y: v128, rowBytes: v128): v128 {
  return i32x4.add(i32x4.mul(y, rowBytes), i32x4.shl(x, 2));
}

/** `place`: U4 x, U4 y; `size`: U4 width - 1, U4 height - 1. Most are one pixel of a letter's edge. */
// @ts-expect-error: a decorator of AssemblyScript
@inline
function paintSubrect(
  origin: usize,
  stride: usize,
  columns: i32,
  rows: i32,
  place: i32,
  size: i32,
  colour: u32,
): bool {
  const left = place >> 4;
  const top = place & 15;
  const across = size >> 4;
  const down = size & 15;
  if (left + across >= columns || top + down >= rows) return false;
  let row = origin + <usize>top * stride + (<usize>left << 2);
  store<u32>(row, colour);
  if (size == 0) return true;
  const bytes = (<usize>across + 1) << 2;
  for (let y = 0; y <= down; y++, row += stride) {
    for (let i: usize = 0; i < bytes; i += 4) store<u32>(row + i, colour);
  }
  return true;
}
