import { type Kernels, openKernelMemory } from "./kernels.ts";

/** Rows of pixels that fit beside a picture. */
export const BAND_ROWS = 64;

/** The largest patch that can be looked for. */
export const MAX_PATCH_PIXELS = 65_536;

/** Places that one search can find. */
export const MAX_PLACES = 4096;

/** So that a search's greys fit the band of the narrowest picture: at most 128 rows of 16 bytes and one for slack. */
const LEAST_BAND_STRIDE = 64;

/** Kernels read and write up to so many bytes beyond what they are given. */
const SLACK_BYTES = 64;

/** A picture's memory: the pixels, and beside them what kernels need to work on those. All numbers are addresses. */
export interface PictureMemory {
  readonly kernels: Kernels;
  readonly buffer: ArrayBuffer;
  readonly pixels: number;
  /** BAND_ROWS rows of pixels, or rows of greys. */
  readonly band: number;
  readonly bandBytes: number;
  /** MAX_PATCH_PIXELS pixels; or a 32-bit number for each line of a picture. */
  readonly patch: number;
  /** MAX_PLACES pairs of 32-bit numbers; or a flag for each cell of a band. */
  readonly places: number;
}

/** Memory for a picture of width x height pixels; null where there are no kernels or no room for it. */
export function openPictureMemory(width: number, height: number): PictureMemory | null {
  const stride = width * 4;
  const pixels = SLACK_BYTES;
  const band = after(pixels, stride * height);
  const bandBytes = Math.max(stride, LEAST_BAND_STRIDE) * BAND_ROWS;
  const patch = after(band, bandBytes);
  const places = after(patch, 4 * MAX_PATCH_PIXELS);
  const memory = openKernelMemory(after(places, 8 * MAX_PLACES));
  return memory === null ? null : { ...memory, pixels, band, bandBytes, patch, places };
}

/** The next address behind `sizeBytes` at `at` and their slack: a multiple of 64, a cache line. */
function after(at: number, sizeBytes: number): number {
  return Math.ceil((at + sizeBytes + SLACK_BYTES) / 64) * 64;
}
