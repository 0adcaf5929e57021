/** The largest prime below 65536, RFC 1950 section 8.2. */
const BASE = 65_521;

/** Bytes that may be summed before the second sum needs more than 32 bits. */
const BLOCK = 5_552;

/** The two bytes at bits 0 and 16 of a word. */
const PAIR = 0x00ff00ff;

/** Adler-32 of `bytes`, RFC 1950 section 8.2. */
export function adler32(bytes: Uint8Array): number {
  const isAligned = bytes.byteOffset % 4 === 0;
  const words = isAligned
    ? new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2)
    : new Uint32Array(0);
  const paired = 2 * (words.length >> 1);
  let a = 1;
  let b = 0;
  for (let at = 0; at < paired; ) {
    const end = Math.min(at + BLOCK / 4, paired);
    for (; at < end; at += 2) {
      // Eight bytes x0 to x7 add x0 + … + x7 to a, and 8 a + 8 x0 + 7 x1 + … + 1 x7 to b. Those in upper halves
      // (x2, x3, x6, x7) weigh two less than those below them.
      const w0 = words[at]!;
      const w1 = words[at + 1]!;
      const x02 = w0 & PAIR;
      const x13 = (w0 >>> 8) & PAIR;
      const x46 = w1 & PAIR;
      const x57 = (w1 >>> 8) & PAIR;
      const sum = x02 + x13 + x46 + x57;
      const weighted = Math.imul(x02, 8) + Math.imul(x13, 7) + Math.imul(x46, 4) + Math.imul(x57, 3);
      const upper = sum >>> 16;
      b = (b + (a << 3) + (weighted & 0xffff) + (weighted >>> 16) - (upper << 1)) | 0;
      a = (a + (sum & 0xffff) + upper) | 0;
    }
    a %= BASE;
    b = (b >>> 0) % BASE;
  }
  for (let at = 4 * paired; at < bytes.length; ) {
    const end = Math.min(at + BLOCK, bytes.length);
    for (; at < end; at++) {
      a += bytes[at]!;
      b += a;
    }
    a %= BASE;
    b %= BASE;
  }
  return ((b << 16) | a) >>> 0;
}

/** Adler-32 of two pieces one after the other, from that of each and the second's length. */
export function combineAdler32(first: number, second: number, secondBytes: number): number {
  const a1 = first & 0xffff;
  const a = (a1 + (second & 0xffff) + BASE - 1) % BASE;
  // The second piece was summed from 1 instead of a1, so each of its bytes lacks a1 - 1 in the second sum.
  const lacking = ((secondBytes % BASE) * (a1 + BASE - 1)) % BASE;
  const b = ((first >>> 16) + (second >>> 16) + lacking) % BASE;
  return ((b << 16) | a) >>> 0;
}
