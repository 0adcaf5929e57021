import { type Framebuffer, OPAQUE } from "../../../framebuffer/framebuffer.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import { badData } from "./bad-data.ts";
import type { PixelCode } from "./pixel-reader.ts";
import { paintRows } from "./raw.ts";
import { paintRgb, viewOf } from "./rgb-rows.ts";

/** Bytes of a TPIXEL that is R, G, B. */
export const RGB_BYTES = 3;

const MOST_COLOURS = 256;

/** One filter of rfbproto "Tight Encoding" over one rectangle, fed whole rows from the top. */
export interface TightFilter {
  readonly rowBytes: number;
  /** Paints `rows` rows from `firstRow` on (counted in the rectangle); `data` holds them whole, from `start` on. */
  paint(data: Uint8Array, start: number, to: Framebuffer, firstRow: number, rows: number): void;
}

/** The pixels as they are. */
export function copyFilter(rect: Rect, code: PixelCode): TightFilter {
  if (!code.isRgb || code.sizeBytes !== RGB_BYTES) {
    return {
      rowBytes: rect.width * code.sizeBytes,
      paint: (data, start, to, firstRow, rows) => paintRows(code, data, start, to, rect, firstRow, rows),
    };
  }
  return {
    rowBytes: rect.width * RGB_BYTES,
    paint(data, start, to, firstRow, rows) {
      const stride = to.width;
      const first = (rect.y + firstRow) * stride + rect.x;
      paintRgb(viewOf(data), start, to.words, { first, stride, width: rect.width, rows });
    },
  };
}

/** `colours` is the palette, 2 to 256 TPIXELs; with two a pixel is one bit, else one byte. */
export function paletteFilter(rect: Rect, code: PixelCode, colours: Uint8Array): TightFilter {
  const count = Math.floor(colours.length / code.sizeBytes);
  const palette = new Uint32Array(MOST_COLOURS).fill(OPAQUE);
  code.read(colours, 0, palette, 0, count);
  return count === 2 ? twoColours(rect, palette) : manyColours(rect, palette, count);
}

/** One bit a pixel, the leftmost highest, each row filled up to a byte. */
function twoColours(rect: Rect, palette: Uint32Array): TightFilter {
  return {
    rowBytes: (rect.width + 7) >> 3,
    paint(data, start, to, firstRow, rows) {
      const { words, width: stride } = to;
      const { width } = rect;
      // Signed, for beyond 2^31 an engine would go through doubles here.
      const zero = palette[0]! | 0;
      const one = palette[1]! | 0;
      let p = start;
      let row = (rect.y + firstRow) * stride + rect.x;
      for (const end = row + rows * stride; row < end; row += stride) {
        const right = row + width;
        let i = row;
        for (; i + 8 <= right; i += 8) {
          const bits = data[p++]!;
          words[i] = bits & 128 ? one : zero;
          words[i + 1] = bits & 64 ? one : zero;
          words[i + 2] = bits & 32 ? one : zero;
          words[i + 3] = bits & 16 ? one : zero;
          words[i + 4] = bits & 8 ? one : zero;
          words[i + 5] = bits & 4 ? one : zero;
          words[i + 6] = bits & 2 ? one : zero;
          words[i + 7] = bits & 1 ? one : zero;
        }
        if (i === right) continue;
        const bits = data[p++]!;
        for (let bit = 128; i < right; i++, bit >>= 1) words[i] = bits & bit ? one : zero;
      }
    },
  };
}

function manyColours(rect: Rect, palette: Uint32Array, count: number): TightFilter {
  return {
    rowBytes: rect.width,
    paint(data, start, to, firstRow, rows) {
      const { words, width: stride } = to;
      const { width } = rect;
      const colours = palette;
      let p = start;
      let most = 0;
      let row = (rect.y + firstRow) * stride + rect.x;
      for (const end = row + rows * stride; row < end; row += stride) {
        for (let i = row; i < row + width; i++) {
          const index = data[p++]!;
          if (index > most) most = index;
          words[i] = colours[index]!;
        }
      }
      if (most >= count) throw badData(`tight palette index ${most} where the palette has ${count} colours`);
    },
  };
}
