import { OPAQUE } from "../../../framebuffer/framebuffer.ts";
import { TILE_COEFFICIENTS } from "./wavelet.ts";

/** Fixed-point bits of the coefficients below the point, MS-RDPRFX 3.1.8.2.5. */
const FRACTION_BITS = 5;
/** Luma is kept less 128, with the fraction. */
const LUMA_OFFSET = 128 << FRACTION_BITS;

/** The factors of MS-RDPRFX 3.1.8.1.3 (ITU-R BT.601) with 16 bits below the point. */
const RED_OF_CR = 91_916;
const GREEN_OF_CR = 46_819;
const GREEN_OF_CB = 22_527;
const BLUE_OF_CB = 115_992;
const SHIFT = 16;

/** A tile's luma and chroma to 0xAABBGGRR words, alpha 255. */
export function tileToPixels(y: Int16Array, cb: Int16Array, cr: Int16Array, to: Uint32Array): void {
  for (let i = 0; i < TILE_COEFFICIENTS; i++) {
    const luma = (y[i]! + LUMA_OFFSET) << SHIFT;
    const blueness = cb[i]!;
    const redness = cr[i]!;
    const red = (luma + redness * RED_OF_CR) >> (SHIFT + FRACTION_BITS);
    const green = (luma - blueness * GREEN_OF_CB - redness * GREEN_OF_CR) >> (SHIFT + FRACTION_BITS);
    const blue = (luma + blueness * BLUE_OF_CB) >> (SHIFT + FRACTION_BITS);
    to[i] = (clamped(red) | (clamped(green) << 8) | (clamped(blue) << 16) | OPAQUE) >>> 0;
  }
}

function clamped(value: number): number {
  return value < 0 ? 0 : value > 255 ? 255 : value;
}
