import { OPAQUE } from "../../../framebuffer/framebuffer.ts";

/** Where rows of pixels go in a Framebuffer's words. */
export interface RowPlace {
  /** The index of the first row's first pixel. */
  readonly first: number;
  /** From a pixel to the one below. */
  readonly stride: number;
  readonly width: number;
  readonly rows: number;
}

/** A view for `paintRgb` and `paintRgbx`; an engine reads an unaligned word of it in one step. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Paints rows of R, G, B from `start` on, three bytes a pixel, no padding between rows; gives where they end. Four
 * pixels are three words, so nothing beyond the last pixel is read.
 */
export function paintRgb(view: DataView, start: number, words: Uint32Array, place: RowPlace): number {
  const { first, stride, width, rows } = place;
  const whole = width & ~3;
  let p = start;
  for (let row = first, end = first + rows * stride; row < end; row += stride) {
    let i = row;
    for (const wholeEnd = row + whole; i < wholeEnd; i += 4, p += 12) {
      const a = view.getInt32(p, true);
      const b = view.getInt32(p + 4, true);
      const c = view.getInt32(p + 8, true);
      words[i] = a | OPAQUE;
      words[i + 1] = (a >>> 24) | (b << 8) | OPAQUE;
      words[i + 2] = (b >>> 16) | (c << 16) | OPAQUE;
      words[i + 3] = (c >>> 8) | OPAQUE;
    }
    for (const right = row + width; i < right; i++, p += 3) {
      words[i] = view.getUint16(p, true) | (view.getUint8(p + 2) << 16) | OPAQUE;
    }
  }
  return p;
}

/** The same for R, G, B and a byte that means nothing: four bytes a pixel. */
export function paintRgbx(view: DataView, start: number, words: Uint32Array, place: RowPlace): number {
  const { first, stride, width, rows } = place;
  const whole = width & ~3;
  let p = start;
  for (let row = first, end = first + rows * stride; row < end; row += stride) {
    let i = row;
    for (const wholeEnd = row + whole; i < wholeEnd; i += 4, p += 16) {
      words[i] = view.getInt32(p, true) | OPAQUE;
      words[i + 1] = view.getInt32(p + 4, true) | OPAQUE;
      words[i + 2] = view.getInt32(p + 8, true) | OPAQUE;
      words[i + 3] = view.getInt32(p + 12, true) | OPAQUE;
    }
    for (const right = row + width; i < right; i++, p += 4) words[i] = view.getInt32(p, true) | OPAQUE;
  }
  return p;
}
