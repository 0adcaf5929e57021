import { OPAQUE } from "../../../framebuffer/framebuffer.ts";
import type { PixelFormat } from "../../../framebuffer/pixel-format.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import { badData } from "./bad-data.ts";
import type { PixelReader } from "./pixel-reader.ts";
import { RGB_BYTES, type TightFilter } from "./tight-filters.ts";

/**
 * Each intensity is the difference to left + above - above left, cut to 0 to 255, modulo 256; outside the rectangle
 * all are 0. What is above was painted by the row before, so the picture itself is the memory.
 */
export function gradientFilter(rect: Rect, pixels: PixelReader): TightFilter {
  const code = pixels.tight;
  if (!code.isRgb || code.sizeBytes !== RGB_BYTES) return gradientOf(rect, pixels);
  return {
    rowBytes: rect.width * RGB_BYTES,
    paint(data, start, to, firstRow, rows) {
      const { words, width: stride } = to;
      const { width } = rect;
      let p = start;
      let row = (rect.y + firstRow) * stride + rect.x;
      for (let y = firstRow; y < firstRow + rows; y++, row += stride) {
        let left = 0;
        let aboveLeft = 0;
        for (let i = row; i < row + width; i++, p += RGB_BYTES) {
          const above = y === 0 ? 0 : words[i - stride]!;
          left =
            correct(left, above, aboveLeft, 0, data[p]!) |
            correct(left, above, aboveLeft, 8, data[p + 1]!) |
            correct(left, above, aboveLeft, 16, data[p + 2]!);
          words[i] = OPAQUE | left;
          aboveLeft = above;
        }
      }
    },
  };
}

/** One intensity, `shift` bits up in its word, put back there. */
function correct(left: number, above: number, aboveLeft: number, shift: number, difference: number): number {
  const guess = ((left >> shift) & 255) + ((above >> shift) & 255) - ((aboveLeft >> shift) & 255);
  const cut = guess < 0 ? 0 : guess > 255 ? 255 : guess;
  return ((cut + difference) & 255) << shift;
}

/**
 * The gradient filter for pixels other than R, G, B bytes: colours are predicted and corrected as the format holds
 * them, each modulo its maximum + 1 (rfbproto "Tight Encoding"; as libvncclient has it). `above` is the memory, since
 * the picture holds eight bits of each. Throws RfbError `bad_data` where there are no colours to add.
 */
function gradientOf(rect: Rect, pixels: PixelReader): TightFilter {
  const { format, tight: code } = pixels;
  if (!format.isTrueColour || format.bitsPerPixel === 8) {
    throw badData(`tight gradient in ${format.bitsPerPixel} bits, expected true colour of 16 or 32`);
  }
  const { sizeBytes } = code;
  const colours = [
    { max: format.redMax, shift: format.redShift },
    { max: format.greenMax, shift: format.greenShift },
    { max: format.blueMax, shift: format.blueShift },
  ];
  const above = colours.map(() => new Uint16Array(rect.width));
  const corrected = new Uint8Array(sizeBytes);
  return {
    rowBytes: rect.width * sizeBytes,
    paint(data, start, to, firstRow, rows) {
      let p = start;
      for (let y = firstRow; y < firstRow + rows; y++) {
        const row = (rect.y + y) * to.width + rect.x;
        const left = [0, 0, 0];
        const aboveLeft = [0, 0, 0];
        for (let x = 0; x < rect.width; x++, p += sizeBytes) {
          const difference = valueAt(data, p, format);
          let value = 0;
          for (let c = 0; c < 3; c++) {
            const { max, shift } = colours[c]!;
            const line = above[c]!;
            const up = line[x]!;
            const guess = Math.min(max, Math.max(0, left[c]! + up - aboveLeft[c]!));
            const colour = (guess + ((difference >>> shift) & max)) & max;
            aboveLeft[c] = up;
            left[c] = colour;
            line[x] = colour;
            value |= colour << shift;
          }
          putValue(value, corrected, format);
          to.words[row + x] = OPAQUE | code.word(corrected, 0);
        }
      }
    },
  };
}

function valueAt(data: Uint8Array, at: number, format: PixelFormat): number {
  const size = format.bitsPerPixel / 8;
  let value = 0;
  for (let i = 0; i < size; i++) {
    value |= data[at + i]! << (8 * (format.isBigEndian ? size - 1 - i : i));
  }
  return value;
}

function putValue(value: number, out: Uint8Array, format: PixelFormat): void {
  const last = out.length - 1;
  for (let i = 0; i <= last; i++) out[i] = value >>> (8 * (format.isBigEndian ? last - i : i));
}
