import { badData } from "./bad-data.ts";
import { BitReader } from "./bit-reader.ts";
import type { Quantisation } from "./quantisation.ts";
import { BANDS, type Wavelet } from "./wavelet.ts";

/** Parameters of the run length are kept in eighths and bounded, as in RLGR. */
const EIGHTHS = 3;
const MOST = 80;
const RUN_UP = 4;
const RUN_DOWN = 6;

/** Bits that one pass may add to a coefficient. */
const MOST_BITS = 15;

/** Simplified run-length coding, MS-RDPEGFX 3.2.8.1.5.1.2: mostly zeros, and the first bits of what is not. */
class SrlReader {
  readonly #bits: BitReader;
  #eighths = 1 << EIGHTHS;
  #zeros = 0;
  #isValueNext = false;

  constructor(bytes: Uint8Array) {
    this.#bits = new BitReader(bytes);
  }

  /** The next number, its amount at most `bitCount` bits. */
  next(bitCount: number): number {
    if (this.#zeros > 0) {
      this.#zeros--;
      return 0;
    }
    if (!this.#isValueNext) {
      const runBits = this.#eighths >> EIGHTHS;
      if (this.#bits.bit() === 0) {
        this.#zeros = (1 << runBits) - 1;
        this.#eighths = Math.min(MOST, this.#eighths + RUN_UP);
        return 0;
      }
      this.#zeros = this.#bits.bits(runBits);
      this.#isValueNext = true;
      if (this.#zeros > 0) {
        this.#zeros--;
        return 0;
      }
    }
    this.#isValueNext = false;
    const isNegative = this.#bits.bit() === 1;
    this.#eighths = Math.max(0, this.#eighths - RUN_DOWN);
    const most = (1 << bitCount) - 1;
    let amount = 1;
    while (amount < most && !this.#bits.isAtEnd && this.#bits.bit() === 0) amount++;
    return isNegative ? -amount : amount;
  }
}

/**
 * One pass of refinement of a component, MS-RDPEGFX 3.2.8.1.5: for each coefficient some more bits, for those that have a
 * sign already from `raw`, for those still zero from `srl`.
 *
 * `before` and `after` are the bit positions (quantisation and what is left out) of the sub-bands before and after the
 * pass; coefficients and signs are changed in place. Throws RdpError `bad_data` where a pass would take bits away.
 */
export function upgradeComponent(
  coefficients: Int16Array,
  signs: Int8Array,
  wavelet: Wavelet,
  before: Quantisation,
  after: Quantisation,
  data: { readonly srl: Uint8Array; readonly raw: Uint8Array },
): void {
  const srl = new SrlReader(data.srl);
  const raw = new BitReader(data.raw);
  for (let band = 0; band < BANDS; band++) {
    const bitCount = before[band]! - after[band]!;
    if (bitCount < 0 || bitCount > MOST_BITS) {
      throw badData(`a progressive pass of ${bitCount} bits, expected 0 to ${MOST_BITS}`);
    }
    if (bitCount === 0) continue;
    const shift = after[band]! - 1;
    const { start, count } = wavelet.bands[band]!;
    const isLast = band === BANDS - 1;
    for (let i = start; i < start + count; i++) {
      const sign = signs[i]!;
      let value: number;
      // LL3 has no sign: it is not the difference of anything.
      if (isLast || sign > 0) value = raw.bits(bitCount);
      else if (sign < 0) value = -raw.bits(bitCount);
      else {
        value = srl.next(bitCount);
        signs[i] = Math.sign(value);
      }
      coefficients[i]! += value << shift;
    }
  }
}
