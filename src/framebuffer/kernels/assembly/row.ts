// Rows of RGBA pixels, read 16 bytes at a time. Addresses are bytes in the imported memory.

/** True where two rows differ; `bytes` is a multiple of 4. */
// @ts-expect-error: a decorator of AssemblyScript
@inline
export function rowDiffers(a: usize, b: usize, bytes: i32): bool {
  let seen = i32x4.splat(0);
  let i: usize = 0;
  const whole = <usize>(bytes & ~15);
  for (; i < whole; i += 16) seen = v128.or(seen, v128.xor(v128.load(a + i), v128.load(b + i)));
  if (v128.any_true(seen)) return true;
  for (; i < <usize>bytes; i += 4) if (load<u32>(a + i) != load<u32>(b + i)) return true;
  return false;
}

/** |a - b| of 16 unsigned bytes. */
// @ts-expect-error: a decorator of AssemblyScript
@inline
export function distance(a: v128, b: v128): v128 {
  return v128.or(i8x16.sub_sat_u(a, b), i8x16.sub_sat_u(b, a));
}
