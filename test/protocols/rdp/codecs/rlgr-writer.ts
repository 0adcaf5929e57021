import type { RlgrKind } from "../../../../src/protocols/rdp/codecs/rlgr.ts";
import { BitWriter } from "./bit-writer.ts";

/** A number as even and odd: 0, -1, 1, -2, 2, … */
function fold(value: number): number {
  return value >= 0 ? 2 * value : -2 * value - 1;
}

/** Run-length Golomb-Rice encoding, MS-RDPRFX 3.1.8.1.7.3; zeros at the end are written like all others. */
export function encodeRlgr(kind: RlgrKind, values: readonly number[]): Uint8Array {
  const bits = new BitWriter();
  let run = 8;
  let rice = 8;
  const writeRice = (code: number): void => {
    const low = rice >> 3;
    const ones = code >> low;
    bits
      .text("1".repeat(ones))
      .text("0")
      .put(code & ((1 << low) - 1), low);
    if (ones === 0) rice = Math.max(0, rice - 2);
    else if (ones > 1) rice = Math.min(80, rice + ones);
  };
  for (let at = 0; at < values.length; ) {
    const runBits = run >> 3;
    if (runBits > 0) {
      let zeros = 0;
      while (at + zeros < values.length && values[at + zeros] === 0) zeros++;
      const value = values[at + zeros];
      at += zeros + 1;
      while (zeros >= 1 << (run >> 3)) {
        bits.text("0");
        zeros -= 1 << (run >> 3);
        run = Math.min(80, run + 4);
      }
      bits.text("1").put(zeros, run >> 3);
      if (value === undefined) break;
      bits.put(value < 0 ? 1 : 0, 1);
      writeRice(Math.abs(value) - 1);
      run = Math.max(0, run - 6);
    } else if (kind === 1) {
      const code = fold(values[at] ?? 0);
      at++;
      writeRice(code);
      run = code === 0 ? Math.min(80, run + 3) : Math.max(0, run - 3);
    } else {
      const first = fold(values[at] ?? 0);
      const second = fold(values[at + 1] ?? 0);
      at += 2;
      writeRice(first + second);
      bits.put(first, 32 - Math.clz32(first + second));
      if (first !== 0 && second !== 0) run = Math.max(0, run - 6);
      else if (first === 0 && second === 0) run = Math.min(80, run + 6);
    }
  }
  return bits.bytes();
}
