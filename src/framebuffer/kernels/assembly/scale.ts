/** Adds a row of pixels, times `weight`, to 32-bit sums of each channel; the first row sets them. */
export function sumRow(source: usize, sums: usize, pixels: i32, weight: i32, isFirst: bool): void {
  const times = i16x8.splat(<i16>weight);
  let from = source;
  let to = sums;
  let left = pixels;
  // Weights fit 16 bits unsigned: extmul of channels (16 bits) by them gives 32.
  for (; left >= 4; left -= 4) {
    const v = v128.load(from);
    const low = i16x8.extend_low_i8x16_u(v);
    const high = i16x8.extend_high_i8x16_u(v);
    let s0 = i32x4.extmul_low_i16x8_u(low, times);
    let s1 = i32x4.extmul_high_i16x8_u(low, times);
    let s2 = i32x4.extmul_low_i16x8_u(high, times);
    let s3 = i32x4.extmul_high_i16x8_u(high, times);
    if (!isFirst) {
      s0 = i32x4.add(s0, v128.load(to));
      s1 = i32x4.add(s1, v128.load(to, 16));
      s2 = i32x4.add(s2, v128.load(to, 32));
      s3 = i32x4.add(s3, v128.load(to, 48));
    }
    v128.store(to, s0);
    v128.store(to, s1, 16);
    v128.store(to, s2, 32);
    v128.store(to, s3, 48);
    from += 16;
    to += 64;
  }
  for (; left > 0; left--) {
    let s = i32x4.extmul_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(from)), times);
    if (!isFirst) s = i32x4.add(s, v128.load(to));
    v128.store(to, s);
    from += 4;
    to += 16;
  }
}

/**
 * One new line from the sums of the old rows under it: new pixel x covers old pixels first[x] to last[x], the first by
 * `head`, the last by `tail`, those between by `whole`; tables are 32-bit. `area` is the weight of a new pixel, and
 * 255 * area is below 2^31. `sums` begin with old pixel `origin`.
 */
export function meanLine(
  sums: usize,
  origin: i32,
  target: usize,
  first: usize,
  head: usize,
  last: usize,
  tail: usize,
  from: i32,
  to: i32,
  whole: i32,
  area: i32,
): void {
  const between = i32x4.splat(whole);
  const half = i32x4.splat(area >> 1);
  // Quotients up to 255 of numbers below 2^24 are exact enough in 32-bit floats to be cut off, others in 64-bit ones.
  const isSmall = area < 65793;
  const by = f32x4.splat(<f32>area);
  const by64 = f64x2.splat(<f64>area);
  let out = target;
  for (let x = from; x < to; x++) {
    const at = (<usize>x) << 2;
    let i = sums + ((<usize>(load<i32>(first + at) - origin)) << 4);
    const end = sums + ((<usize>(load<i32>(last + at) - origin)) << 4);
    let sum = i32x4.add(half, i32x4.mul(v128.load(i), i32x4.splat(load<i32>(head + at))));
    for (i += 16; i < end; i += 16) sum = i32x4.add(sum, i32x4.mul(v128.load(i), between));
    if (i == end) sum = i32x4.add(sum, i32x4.mul(v128.load(i), i32x4.splat(load<i32>(tail + at))));
    let mean: v128;
    if (isSmall) {
      mean = i32x4.trunc_sat_f32x4_s(f32x4.div(f32x4.convert_i32x4_s(sum), by));
    } else {
      const low = f64x2.div(f64x2.convert_low_i32x4_s(sum), by64);
      const upper = i32x4.shuffle(sum, sum, 2, 3, 2, 3);
      const high = f64x2.div(f64x2.convert_low_i32x4_s(upper), by64);
      mean = i32x4.shuffle(i32x4.trunc_sat_f64x2_s_zero(low), i32x4.trunc_sat_f64x2_s_zero(high), 0, 1, 4, 5);
    }
    const bytes = i8x16.swizzle(mean, i8x16(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1));
    store<u32>(out, <u32>i32x4.extract_lane(bytes, 0) | 0xff000000);
    out += 4;
  }
}
