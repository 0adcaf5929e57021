/** How a pixel's colours lie in a word on the wire, RFC 6143 section 7.4. */
export interface PixelFormat {
  /** 8, 16 or 32. */
  readonly bitsPerPixel: number;
  readonly depth: number;
  readonly isBigEndian: boolean;
  readonly isTrueColour: boolean;
  readonly redMax: number;
  readonly greenMax: number;
  readonly blueMax: number;
  readonly redShift: number;
  readonly greenShift: number;
  readonly blueShift: number;
}

/** Our own: 32-bit little-endian with red in the lowest byte, so that wire bytes are R, G, B, x. */
export const RGBX: PixelFormat = Object.freeze({
  bitsPerPixel: 32,
  depth: 24,
  isBigEndian: false,
  isTrueColour: true,
  redMax: 255,
  greenMax: 255,
  blueMax: 255,
  redShift: 0,
  greenShift: 8,
  blueShift: 16,
});

export function equalPixelFormats(a: PixelFormat, b: PixelFormat): boolean {
  return (
    a.bitsPerPixel === b.bitsPerPixel &&
    a.depth === b.depth &&
    a.isBigEndian === b.isBigEndian &&
    a.isTrueColour === b.isTrueColour &&
    a.redMax === b.redMax &&
    a.greenMax === b.greenMax &&
    a.blueMax === b.blueMax &&
    a.redShift === b.redShift &&
    a.greenShift === b.greenShift &&
    a.blueShift === b.blueShift
  );
}
