import type { Cursor } from "../../../framebuffer/cursor.ts";
import { RdpError } from "../error.ts";
import { LIMIT } from "../numbers.ts";

export interface PointerHeader {
  readonly width: number;
  readonly height: number;
  readonly hotspotX: number;
  readonly hotspotY: number;
  /** Bits a pixel of the XOR picture: 1, 4 (not read), 8 (not read), 16, 24 or 32. */
  readonly bits: number;
}

/**
 * A pointer of an XOR picture and an AND mask, MS-RDPBCGR 2.2.9.1.1.4.4: both bottom up, rows padded to 2 bytes.
 * A pixel that inverts what lies under it becomes black or white in turns, which is seen on every ground.
 */
export function pointerPicture(header: PointerHeader, xor: Uint8Array, and: Uint8Array): Cursor | null {
  const { width, height, bits } = header;
  if (width > LIMIT.pointerSide || height > LIMIT.pointerSide) {
    throw new RdpError(
      "bad_size",
      "pointer",
      `got a pointer of ${width}x${height} pixels, expected at most 384x384`,
    );
  }
  if (width === 0 || height === 0) return null;
  if (bits !== 1 && bits !== 16 && bits !== 24 && bits !== 32) {
    throw new RdpError(
      "bad_data",
      "pointer",
      `got a pointer of ${bits} bits a pixel, expected 1, 16, 24 or 32`,
    );
  }
  const xorRow = paddedBytes(width * bits);
  const andRow = paddedBytes(width);
  if (xor.length < xorRow * height) {
    throw new RdpError(
      "bad_data",
      "pointer",
      `got a pointer of ${xor.length} bytes, expected ${xorRow * height}`,
    );
  }
  const hasMask = and.length >= andRow * height;
  const hasAlpha = bits === 32 && usesAlpha(xor);
  const rgba = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    const line = height - 1 - y;
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      const [red, green, blue, alpha] = colourAt(xor, line * xorRow, x, bits);
      const isMasked = hasMask && bitAt(and, line * andRow, x);
      if (hasAlpha) rgba.set([red, green, blue, alpha], at);
      else if (!isMasked) rgba.set([red, green, blue, 255], at);
      else if ((red | green | blue) !== 0) rgba.set((x + y) & 1 ? [0, 0, 0, 255] : [255, 255, 255, 255], at);
    }
  }
  return {
    width,
    height,
    hotspotX: Math.min(header.hotspotX, width - 1),
    hotspotY: Math.min(header.hotspotY, height - 1),
    rgba,
  };
}

function paddedBytes(bits: number): number {
  return ((bits + 15) >> 4) << 1;
}

function usesAlpha(xor: Uint8Array): boolean {
  for (let i = 3; i < xor.length; i += 4) if (xor[i] !== 0) return true;
  return false;
}

function bitAt(bytes: Uint8Array, row: number, x: number): boolean {
  return (((bytes[row + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1) === 1;
}

function colourAt(xor: Uint8Array, row: number, x: number, bits: number): [number, number, number, number] {
  if (bits === 1) {
    const light = bitAt(xor, row, x) ? 255 : 0;
    return [light, light, light, 255];
  }
  const at = row + x * (bits >> 3);
  const [first = 0, second = 0, third = 0, fourth = 0] = xor.subarray(at, at + 4);
  if (bits !== 16) return [third, second, first, fourth];
  const v = first | (second << 8);
  return [((v >> 11) * 255) / 31, (((v >> 5) & 63) * 255) / 63, ((v & 31) * 255) / 31, 255];
}
