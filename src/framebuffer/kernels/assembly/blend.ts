/** Straight alpha over opaque, (s * a + t * (255 - a)) / 255 rounded to nearest in each channel; the result is opaque. */
// @ts-expect-error: a decorator of AssemblyScript
@inline
function over(source: v128, target: v128): v128 {
  const alpha = i8x16.swizzle(source, i8x16(3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15));
  const rest = v128.not(alpha);
  const half = i16x8.splat(128);
  let low = i16x8.add(i16x8.extmul_low_i8x16_u(source, alpha), i16x8.extmul_low_i8x16_u(target, rest));
  let high = i16x8.add(i16x8.extmul_high_i8x16_u(source, alpha), i16x8.extmul_high_i8x16_u(target, rest));
  low = i16x8.add(low, half);
  high = i16x8.add(high, half);
  low = i16x8.shr_u(i16x8.add(low, i16x8.shr_u(low, 8)), 8);
  high = i16x8.shr_u(i16x8.add(high, i16x8.shr_u(high, 8)), 8);
  return v128.or(i8x16.narrow_i16x8_u(low, high), i32x4.splat(0xff000000));
}

// @ts-expect-error: a decorator of AssemblyScript
@inline
function overOne(source: u32, target: usize): void {
  store<u32>(target, <u32>i32x4.extract_lane(over(i32x4.splat(source), i32x4.splat(load<u32>(target))), 0));
}

/** One word over `count` opaque ones. */
export function blendFill(target: usize, count: i32, word: u32): void {
  const source = i32x4.splat(word);
  let at = target;
  let left = count;
  for (; left >= 4; left -= 4) {
    v128.store(at, over(source, v128.load(at)));
    at += 16;
  }
  for (; left > 0; left--) {
    overOne(word, at);
    at += 4;
  }
}

/** `count` words over as many opaque ones. */
export function blendWords(target: usize, source: usize, count: i32): void {
  let at = target;
  let from = source;
  let left = count;
  for (; left >= 4; left -= 4) {
    const word = v128.load(from);
    if (v128.any_true(word)) v128.store(at, over(word, v128.load(at)));
    at += 16;
    from += 16;
  }
  for (; left > 0; left--) {
    overOne(load<u32>(from), at);
    at += 4;
    from += 4;
  }
}
