import { distance, rowDiffers } from "./row";

/** Rows that a search may still compare. */
let work: i32 = 0;

/** True where the patch stands with its top left pixel at `place`; looks at row `first` and those after it first. */
function stands(place: usize, stride: usize, patch: usize, width: i32, height: i32, first: i32): bool {
  const bytes = width << 2;
  for (let i = 0; i < height; i++) {
    let row = first + i;
    if (row >= height) row -= height;
    work--;
    if (rowDiffers(place + <usize>row * stride, patch + <usize>(row * bytes), bytes)) return false;
  }
  return true;
}

/**
 * Where a patch stands, exactly, with its top left pixel in columns x0 to x1 and rows y0 to y1 (both ends count):
 * x and y of each place to `out`, at most `most`. Pixel (ax, ay) of the patch is the one that is looked for first.
 * Returns how many, or -1 where more than `budget` rows would have to be compared.
 */
export function findExact(
  frame: usize,
  stride: usize,
  x0: i32,
  y0: i32,
  x1: i32,
  y1: i32,
  patch: usize,
  width: i32,
  height: i32,
  ax: i32,
  ay: i32,
  out: usize,
  most: i32,
  budget: i32,
): i32 {
  const wanted = load<u32>(patch + (<usize>(ay * width + ax) << 2));
  const key = i32x4.splat(wanted);
  let found = 0;
  work = budget;
  for (let y = y0; y <= y1; y++) {
    const row = frame + <usize>y * stride;
    const line = row + <usize>ay * stride + (<usize>ax << 2);
    let x = x0;
    while (x <= x1) {
      let mask: i32;
      if (x + 15 <= x1) {
        const at = line + (<usize>x << 2);
        const a = i32x4.eq(v128.load(at), key);
        const b = i32x4.eq(v128.load(at, 16), key);
        const c = i32x4.eq(v128.load(at, 32), key);
        const d = i32x4.eq(v128.load(at, 48), key);
        if (!v128.any_true(v128.or(v128.or(a, b), v128.or(c, d)))) {
          x += 16;
          continue;
        }
        mask =
          i32x4.bitmask(a) | (i32x4.bitmask(b) << 4) | (i32x4.bitmask(c) << 8) | (i32x4.bitmask(d) << 12);
        const base = x;
        x += 16;
        while (mask != 0) {
          const column = base + ctz(mask);
          mask &= mask - 1;
          if (!stands(row + (<usize>column << 2), stride, patch, width, height, ay)) {
            if (work < 0) return -1;
            continue;
          }
          store<i32>(out + (<usize>found << 3), column);
          store<i32>(out + (<usize>found << 3), y, 4);
          found++;
          if (found == most) return found;
        }
      } else {
        if (load<u32>(line + (<usize>x << 2)) == wanted) {
          if (stands(row + (<usize>x << 2), stride, patch, width, height, ay)) {
            store<i32>(out + (<usize>found << 3), x);
            store<i32>(out + (<usize>found << 3), y, 4);
            found++;
            if (found == most) return found;
          } else if (work < 0) return -1;
        }
        x++;
      }
    }
  }
  return found;
}

// @ts-expect-error: a decorator of AssemblyScript
@inline
function greyOf(v: v128): v128 {
  const low = i32x4.splat(255);
  const red = v128.and(v, low);
  const green = v128.and(i32x4.shr_u(v, 8), low);
  const blue = v128.and(i32x4.shr_u(v, 16), low);
  return i32x4.shr_u(i32x4.add(i32x4.add(red, blue), i32x4.shl(green, 1)), 2);
}

/** (R + 2G + B) / 4, cut off, of each pixel; a row of greys takes `greyStride` bytes. Writes whole 16 bytes. */
export function toGrey(source: usize, stride: usize, target: usize, greyStride: usize, width: i32, rows: i32): void {
  for (let y = 0; y < rows; y++) {
    let from = source + <usize>y * stride;
    let to = target + <usize>y * greyStride;
    let left = width;
    for (; left >= 16; left -= 16) {
      const a = i16x8.narrow_i32x4_u(greyOf(v128.load(from)), greyOf(v128.load(from, 16)));
      const b = i16x8.narrow_i32x4_u(greyOf(v128.load(from, 32)), greyOf(v128.load(from, 48)));
      v128.store(to, i8x16.narrow_i16x8_u(a, b));
      from += 64;
      to += 16;
    }
    for (; left > 0; left--) {
      const word = load<u32>(from);
      store<u8>(to, <u8>(((word & 255) + ((word >> 7) & 510) + ((word >> 16) & 255)) >> 2));
      from += 4;
      to++;
    }
  }
}

/**
 * Places at which nearly all samples agree. A sample is (offset of its grey from that of the place, grey), 32 bits each; at
 * most `misses` of the `count` may be off by more than `tolerance`. Looks at `columns` x `rows` places from `grey` on;
 * writes x, y (counted from there plus x0, y0) from number `found` on. Returns how many there are then, at most `most`.
 */
export function findSamples(
  grey: usize,
  greyStride: usize,
  columns: i32,
  rows: i32,
  samples: usize,
  count: i32,
  tolerance: i32,
  misses: i32,
  x0: i32,
  y0: i32,
  out: usize,
  found: i32,
  most: i32,
): i32 {
  const limit = i8x16.splat(<i8>tolerance);
  const allowed = i8x16.splat(<i8>misses);
  for (let y = 0; y < rows; y++) {
    const line = grey + <usize>y * greyStride;
    for (let x = 0; x < columns; x += 16) {
      const place = line + <usize>x;
      let missed = i8x16.splat(0);
      let isOut = false;
      for (let i = 0; i < count && !isOut; ) {
        // Four at a time between looks at whether any place is left.
        const end = min<i32>(i + 4, count);
        for (; i < end; i++) {
          const sample = samples + (<usize>i << 3);
          const seen = v128.load(place + <usize>load<i32>(sample));
          const off = distance(seen, i8x16.splat(<i8>load<i32>(sample, 4)));
          missed = i8x16.sub(missed, i8x16.gt_u(off, limit));
        }
        isOut = i8x16.all_true(i8x16.gt_u(missed, allowed));
      }
      if (isOut) continue;
      let mask = ~i8x16.bitmask(i8x16.gt_u(missed, allowed)) & 0xffff;
      while (mask != 0) {
        const column = x + ctz(mask);
        mask &= mask - 1;
        if (column >= columns) break;
        store<i32>(out + (<usize>found << 3), x0 + column);
        store<i32>(out + (<usize>found << 3), y0 + y, 4);
        found++;
        if (found == most) return found;
      }
    }
  }
  return found;
}

/**
 * How unlike a patch the pixels at `place` are: the number of pixels with a channel off by more than `tolerance`, to
 * which the sum of all differences is stored at `sum`. Stops once that number is over `limit`.
 */
export function compareAt(
  place: usize,
  stride: usize,
  patch: usize,
  width: i32,
  height: i32,
  tolerance: i32,
  limit: i32,
  sum: usize,
): i32 {
  const allowed = i8x16.splat(<i8>tolerance);
  const none = i32x4.splat(0);
  let bad = 0;
  let differences: u32 = 0;
  for (let y = 0; y < height; y++) {
    let a = place + <usize>y * stride;
    let b = patch + (<usize>(y * width) << 2);
    let rowSum = i32x4.splat(0);
    let left = width;
    for (; left >= 4; left -= 4) {
      const off = distance(v128.load(a), v128.load(b));
      rowSum = i32x4.add(rowSum, i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(off)));
      bad += popcnt(i32x4.bitmask(i32x4.ne(i8x16.gt_u(off, allowed), none)));
      a += 16;
      b += 16;
    }
    for (; left > 0; left--) {
      const off = distance(v128.load32_zero(a), v128.load32_zero(b));
      rowSum = i32x4.add(rowSum, i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(off)));
      bad += <i32>v128.any_true(i8x16.gt_u(off, allowed));
      a += 4;
      b += 4;
    }
    differences +=
      i32x4.extract_lane(rowSum, 0) +
      i32x4.extract_lane(rowSum, 1) +
      i32x4.extract_lane(rowSum, 2) +
      i32x4.extract_lane(rowSum, 3);
    if (bad > limit) break;
  }
  store<u32>(sum, differences);
  return bad;
}
