import type { LittleEndianReader } from "../little-endian-reader.ts";
import { badData } from "./bad-data.ts";
import { BANDS, type Wavelet } from "./wavelet.ts";

/** One value a sub-band, in the order of BANDS. */
export type Quantisation = Uint8Array;

/** RFX quantisation values of a sub-band, MS-RDPRFX 2.2.2.1.5. */
const LEAST = 6;
const MOST = 15;

/** HL1, LH1, … of a TS_RFX_CODEC_QUANT, MS-RDPRFX 2.2.2.1.5: which of its ten half-bytes, low ones first, is whose. */
const PLAIN_ORDER = [8, 7, 9, 5, 4, 6, 2, 1, 3, 0] as const;
/** The same of an RFX_COMPONENT_CODEC_QUANT, MS-RDPEGFX 2.2.4.2.1.5.2: HL comes before LH. */
const PROGRESSIVE_ORDER = [7, 8, 9, 4, 5, 6, 1, 2, 3, 0] as const;

/** Five bytes: a TS_RFX_CODEC_QUANT, or with `isProgressive` an RFX_COMPONENT_CODEC_QUANT. */
export function readQuantisation(from: LittleEndianReader, isProgressive: boolean): Quantisation {
  const bytes = from.take(BANDS / 2);
  return Uint8Array.from(isProgressive ? PROGRESSIVE_ORDER : PLAIN_ORDER, (i) => {
    const byte = bytes[i >> 1] ?? 0;
    return (i & 1) === 0 ? byte & 15 : byte >> 4;
  });
}

/** Throws RdpError `bad_data` where a value is not 6 to 15. */
export function checkQuantisation(values: Quantisation): Quantisation {
  for (const value of values) {
    if (value < LEAST || value > MOST) {
      throw badData(`a quantisation value of ${value}, expected ${LEAST} to ${MOST}`);
    }
  }
  return values;
}

/**
 * Undoes quantisation in place, MS-RDPRFX 3.1.8.1.5: a value of 6 is a factor of 1 before the 5 fraction bits. LL3 holds
 * differences of neighbours, which are summed first (3.1.8.1.7.1.1).
 */
export function dequantise(tile: Int16Array, wavelet: Wavelet, values: Quantisation): void {
  for (let band = 0; band < BANDS; band++) {
    const { start, count } = wavelet.bands[band]!;
    const end = start + count;
    if (band === BANDS - 1) for (let i = start + 1; i < end; i++) tile[i]! += tile[i - 1]!;
    const shift = values[band]! - 1;
    if (shift > 0) for (let i = start; i < end; i++) tile[i]! <<= shift;
  }
}
