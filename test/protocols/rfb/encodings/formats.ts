import { Framebuffer } from "../../../../src/framebuffer/framebuffer.ts";
import { type PixelFormat, RGBX } from "../../../../src/framebuffer/pixel-format.ts";

const RGB565: PixelFormat = {
  ...{ bitsPerPixel: 16, depth: 16, isBigEndian: false, isTrueColour: true },
  ...{ redMax: 31, greenMax: 63, blueMax: 31, redShift: 11, greenShift: 5, blueShift: 0 },
};
const RGB332: PixelFormat = {
  ...{ bitsPerPixel: 8, depth: 8, isBigEndian: false, isTrueColour: true },
  ...{ redMax: 7, greenMax: 7, blueMax: 3, redShift: 5, greenShift: 2, blueShift: 0 },
};
const BGRX: PixelFormat = { ...RGBX, redShift: 16, greenShift: 8, blueShift: 0 };
const HIGH: PixelFormat = { ...RGBX, redShift: 8, greenShift: 16, blueShift: 24 };

/** Formats that servers have been seen with, and what the specification allows beside them. */
export const FORMATS: Readonly<Record<string, PixelFormat>> = {
  "our own": RGBX,
  "blue lowest": BGRX,
  "blue lowest, big-endian": { ...BGRX, isBigEndian: true },
  "in the highest bytes": HIGH,
  "in the highest bytes, big-endian": { ...HIGH, isBigEndian: true },
  "of depth 32": { ...BGRX, depth: 32 },
  "across bytes": { ...RGBX, redShift: 4, greenShift: 12, blueShift: 20 },
  "of 10 bits a colour": {
    ...RGBX,
    ...{ depth: 30, redMax: 1023, greenMax: 1023, blueMax: 1023, greenShift: 10, blueShift: 20 },
  },
  "of 6 bits in 24": { ...RGBX, redMax: 63, greenMax: 63, blueMax: 63, depth: 18 },
  "565": RGB565,
  "565 big-endian": { ...RGB565, isBigEndian: true },
  "555": { ...RGB565, depth: 15, greenMax: 31, redShift: 10 },
  "332": RGB332,
  "233 with blue highest": { ...RGB332, redShift: 0, greenShift: 3, blueShift: 6 },
};

/** The picture as it looks after it went through a format: each colour the nearest of those it can hold. */
export function throughFormat(from: Framebuffer, format: PixelFormat): Framebuffer {
  const to = new Framebuffer(from.width, from.height);
  const through = (value: number, max: number): number =>
    Math.round((Math.round((value * max) / 255) * 255) / max);
  const maxima = [format.redMax, format.greenMax, format.blueMax];
  for (const [i, value] of from.bytes.entries()) {
    const max = maxima[i % 4];
    if (max !== undefined) to.bytes[i] = through(value, max);
  }
  return to;
}
