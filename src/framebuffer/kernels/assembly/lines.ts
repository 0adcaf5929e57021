// What lines of pixels look like, as a number each: of a strip across them, whose top left pixel is at `source`.

/** An odd number with its bits well spread: 2^32 divided by the golden ratio. */
const MIX: i32 = 0x9e3779b1;

/** A number for each row of a strip; `width` is a multiple of 4. Four columns in turn, and at the end one after another. */
export function hashRows(source: usize, stride: usize, width: i32, rows: i32, out: usize): void {
  const mix = i32x4.splat(MIX);
  const bytes = <usize>width << 2;
  for (let row = 0; row < rows; row++) {
    let lanes = i32x4.splat(0);
    for (let i: usize = 0; i < bytes; i += 16) {
      lanes = i32x4.mul(v128.xor(lanes, v128.load(source + i)), mix);
    }
    let hash = i32x4.extract_lane(lanes, 0) * MIX;
    hash = (hash ^ i32x4.extract_lane(lanes, 1)) * MIX;
    hash = (hash ^ i32x4.extract_lane(lanes, 2)) * MIX;
    hash = (hash ^ i32x4.extract_lane(lanes, 3)) * MIX;
    store<i32>(out, hash);
    out += 4;
    source += stride;
  }
}

/** A number for each column of a strip. Reads and writes up to 12 bytes beyond the last one. */
export function hashColumns(source: usize, stride: usize, width: i32, rows: i32, out: usize): void {
  const mix = i32x4.splat(MIX);
  const bytes = <usize>width << 2;
  for (let i: usize = 0; i < bytes; i += 16) {
    let hashes = i32x4.splat(0);
    let at = source + i;
    for (let row = 0; row < rows; row++) {
      hashes = i32x4.mul(v128.xor(hashes, v128.load(at)), mix);
      at += stride;
    }
    v128.store(out + i, hashes);
  }
}
