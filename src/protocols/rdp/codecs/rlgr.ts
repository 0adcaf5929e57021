/** The two kinds of entropy coding of RemoteFX (MS-RDPRFX 2.2.2.2.4: CLW_ENTROPY_RLGR1, CLW_ENTROPY_RLGR3). */
export type RlgrKind = 1 | 3;

/** Parameters are kept in eighths and bounded, MS-RDPRFX 3.1.8.1.7.3. */
const EIGHTHS = 3;
const MOST = 80;
const RUN_UP = 4;
const RUN_DOWN = 6;
const RICE_UP = 3;
const RICE_DOWN = 3;

/**
 * Run-length Golomb-Rice decoding, MS-RDPRFX 3.1.8.1.7.3: fills `to` with coefficients. Where the data ends early the
 * rest is zero, as encoders that drop trailing zeros mean it; bytes after the last coefficient are ignored.
 */
export function decodeRlgr(kind: RlgrKind, bytes: Uint8Array, to: Int16Array): void {
  const most = to.length;
  const end = bytes.length;
  let next = 0;
  // The next bits, left aligned, and how many of them there are: at most 31, so that no shift is by 32.
  let window = 0;
  let have = 0;
  let at = 0;
  let runEighths = 1 << EIGHTHS;
  let riceEighths = 1 << EIGHTHS;

  while (at < most) {
    const runBits = runEighths >> EIGHTHS;
    let run = 0;
    let isNegative = false;
    if (runBits > 0) {
      // Run mode: zeros counted in steps that grow, then the rest of the count, then a sign.
      let bits = runBits;
      for (;;) {
        for (; have <= 23 && next < end; have += 8) window |= bytes[next++]! << (24 - have);
        if (have <= 0) {
          to.fill(0, at);
          return;
        }
        const zeros = Math.min(Math.clz32(window), have);
        for (let i = 0; i < zeros; i++) {
          run += 1 << bits;
          runEighths = Math.min(MOST, runEighths + RUN_UP);
          bits = runEighths >> EIGHTHS;
        }
        // More zeros than the picture has coefficients: the rest of the data says nothing.
        if (run >= most) {
          to.fill(0, at);
          return;
        }
        window <<= zeros;
        have -= zeros;
        if (have > 0) break;
      }
      window <<= 1;
      have--;
      for (; have <= 23 && next < end; have += 8) window |= bytes[next++]! << (24 - have);
      if (bits > 0) {
        run += window >>> (32 - bits);
        window <<= bits;
        have -= bits;
      }
      isNegative = window < 0;
      window <<= 1;
      have--;
    }

    // A Golomb-Rice code: ones, a zero, then the low bits.
    let ones = 0;
    for (;;) {
      for (; have <= 23 && next < end; have += 8) window |= bytes[next++]! << (24 - have);
      if (have <= 0) {
        to.fill(0, at);
        return;
      }
      const count = Math.min(Math.clz32(~window), have);
      ones += count;
      window <<= count;
      have -= count;
      if (have > 0) break;
    }
    window <<= 1;
    have--;
    const riceBits = riceEighths >> EIGHTHS;
    for (; have <= 23 && next < end; have += 8) window |= bytes[next++]! << (24 - have);
    if (have < riceBits) {
      to.fill(0, at);
      return;
    }
    let code = ones << riceBits;
    if (riceBits > 0) {
      code |= window >>> (32 - riceBits);
      window <<= riceBits;
      have -= riceBits;
    }
    if (ones === 0) riceEighths = Math.max(0, riceEighths - 2);
    else if (ones > 1) riceEighths = Math.min(MOST, riceEighths + ones);

    if (runBits > 0) {
      runEighths = Math.max(0, runEighths - RUN_DOWN);
      const stop = Math.min(most, at + run);
      while (at < stop) to[at++] = 0;
      if (at < most) to[at++] = isNegative ? -(code + 1) : code + 1;
    } else if (kind === 1) {
      runEighths = code === 0 ? Math.min(MOST, runEighths + RICE_UP) : Math.max(0, runEighths - RICE_DOWN);
      to[at++] = unfold(code);
    } else {
      // Two coefficients in one code: their sum, then the first in as many bits as the sum has.
      const sumBits = Math.min(24, 32 - Math.clz32(code));
      for (; have <= 23 && next < end; have += 8) window |= bytes[next++]! << (24 - have);
      let first = 0;
      if (sumBits > 0) {
        first = window >>> (32 - sumBits);
        window <<= sumBits;
        have -= sumBits;
      }
      const second = code - first;
      if (first !== 0 && second !== 0) runEighths = Math.max(0, runEighths - 2 * RICE_DOWN);
      else if (first === 0 && second === 0) runEighths = Math.min(MOST, runEighths + 2 * RICE_UP);
      to[at++] = unfold(first);
      if (at < most) to[at++] = unfold(second);
    }
  }
}

/** Signed numbers from 0, -1, 1, -2, 2, … */
function unfold(code: number): number {
  return (code & 1) === 0 ? code >> 1 : -((code + 1) >> 1);
}
