import { OPAQUE } from "../../../framebuffer/framebuffer.ts";

/**
 * Luma and chroma to 0xAABBGGRR words, MS-RDPEGDI 3.1.9.1.2 and 3.1.9.1.3. `planes` holds luma, from `oranges` on orange and
 * from `greens` on green chroma, both with one value for each pixel or, subsampled, for each 2x2 pixels, and both without their `colourLoss`
 * lowest bits.
 *
 * Red and blue leave swapped, as section 3.1.9.1.2 demands: Windows mixes them up when it encodes.
 */
export function yCoCgWords(
  planes: Uint8Array,
  oranges: number,
  greens: number,
  width: number,
  height: number,
  isSubsampled: boolean,
  colourLoss: number,
  words: Uint32Array,
): void {
  const half = isSubsampled ? 1 : 0;
  const chromaWidth = isSubsampled ? (width + 1) >> 1 : width;
  // The inverse transformation halves both chroma: one bit less to shift back.
  const shift = 24 + colourLoss - 1;
  for (let y = 0, at = 0; y < height; y++) {
    const row = (y >> half) * chromaWidth;
    for (let x = 0; x < width; x++, at++) {
      const i = row + (x >> half);
      // Up to the top of a 32-bit number and down again: what remains is the sign-extended byte.
      const orange = (planes[oranges + i]! << shift) >> 24;
      const green = (planes[greens + i]! << shift) >> 24;
      const luma = planes[at]!;
      const rest = luma - green;
      words[at] =
        clamped(rest - orange) | (clamped(luma + green) << 8) | (clamped(rest + orange) << 16) | OPAQUE;
    }
  }
}

function clamped(value: number): number {
  return value < 0 ? 0 : value > 255 ? 255 : value;
}
