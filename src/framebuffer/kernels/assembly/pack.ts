import { distance } from "./row";

/**
 * RGBA rows to PNG rows: a filter type, then R, G, B of each pixel, as they are (filter 0) or less those of the pixel
 * to the left (filter 1, Sub). Writes up to 4 bytes beyond the end.
 */
export function packRows(source: usize, strideBytes: usize, target: usize, width: i32, rows: i32, filter: i32): void {
  const order = i8x16(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
  let to = target;
  for (let y = 0; y < rows; y++) {
    let from = source + <usize>y * strideBytes;
    const end = from + (<usize>width << 2);
    store<u8>(to++, <u8>filter);
    if (filter == 0) {
      for (; from + 16 <= end; from += 16) {
        v128.store(to, i8x16.swizzle(v128.load(from), order));
        to += 12;
      }
      for (; from < end; from += 4) {
        store<u16>(to, load<u16>(from));
        store<u8>(to, load<u8>(from, 2), 2);
        to += 3;
      }
    } else {
      store<u16>(to, load<u16>(from));
      store<u8>(to, load<u8>(from, 2), 2);
      to += 3;
      from += 4;
      for (; from + 16 <= end; from += 16) {
        v128.store(to, i8x16.swizzle(i8x16.sub(v128.load(from), v128.load(from - 4)), order));
        to += 12;
      }
      for (; from < end; from += 4) {
        store<u8>(to, load<u8>(from) - load<u8>(from - 4));
        store<u8>(to, load<u8>(from, 1) - load<u8>(from - 4, 1), 1);
        store<u8>(to, load<u8>(from, 2) - load<u8>(from - 4, 2), 2);
        to += 3;
      }
    }
  }
}

/** Pixels of every `step`th row whose largest difference to the left neighbour is 1 to `near`. */
export function countNear(source: usize, strideBytes: usize, width: i32, rows: i32, step: i32, near: i32): i32 {
  const colours = i32x4.splat(0x00ffffff);
  const limit = i8x16.splat(<i8>near);
  const none = i32x4.splat(0);
  let count = 0;
  for (let y = 0; y < rows; y += step) {
    let at = source + <usize>y * strideBytes + 4;
    const end = at + (<usize>(width - 1) << 2);
    for (; at + 16 <= end; at += 16) {
      const step4 = v128.and(distance(v128.load(at), v128.load(at - 4)), colours);
      const far = i32x4.ne(i8x16.gt_u(step4, limit), none);
      count += 4 - popcnt(i32x4.bitmask(v128.or(far, i32x4.eq(step4, none))));
    }
    for (; at < end; at += 4) {
      const one = v128.and(distance(i32x4.splat(load<u32>(at)), i32x4.splat(load<u32>(at - 4))), colours);
      if (v128.any_true(one) && !v128.any_true(i8x16.gt_u(one, limit))) count++;
    }
  }
  return count;
}

/** The largest prime below 65536, RFC 1950 section 8.2. */
const BASE: u32 = 65521;
/** A multiple of 16 below the 5552 bytes after which the second sum may need more than 32 bits. */
const BLOCK: i32 = 5536;

// @ts-expect-error: a decorator of AssemblyScript
@inline
function total(lanes: v128): u32 {
  return (
    i32x4.extract_lane(lanes, 0) +
    i32x4.extract_lane(lanes, 1) +
    i32x4.extract_lane(lanes, 2) +
    i32x4.extract_lane(lanes, 3)
  );
}

/** Adler-32, RFC 1950 section 8.2. */
export function adler32(bytes: usize, length: i32): u32 {
  const first = i16x8(16, 15, 14, 13, 12, 11, 10, 9);
  const second = i16x8(8, 7, 6, 5, 4, 3, 2, 1);
  let a: u32 = 1;
  let b: u32 = 0;
  let at = bytes;
  let left = length;
  while (left > 0) {
    const size = min<i32>(left, BLOCK);
    left -= size;
    const blocks = size >> 4;
    let sum = i32x4.splat(0);
    // Sums as they were before each 16 bytes: every later byte counts them once more.
    let before = i32x4.splat(0);
    let weighted = i32x4.splat(0);
    for (let i = 0; i < blocks; i++) {
      const v = v128.load(at);
      before = i32x4.add(before, sum);
      sum = i32x4.add(sum, i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(v)));
      weighted = i32x4.add(weighted, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(v), first));
      weighted = i32x4.add(weighted, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(v), second));
      at += 16;
    }
    b += a * <u32>(blocks << 4) + 16 * total(before) + total(weighted);
    a += total(sum);
    for (let rest = size & 15; rest > 0; rest--) {
      a += load<u8>(at++);
      b += a;
    }
    a %= BASE;
    b %= BASE;
  }
  return (b << 16) | a;
}
