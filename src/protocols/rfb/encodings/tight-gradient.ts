import { OPAQUE } from "../../../framebuffer/framebuffer.ts";
import type { PixelFormat } from "../../../framebuffer/pixel-format.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import { badData } from "./bad-data.ts";
import type { PixelReader } from "./pixel-reader.ts";
import type { TightFilter } from "./tight-filters.ts";

/**
 * The gradient filter for pixels other than R, G, B bytes: colours are predicted and corrected as the format holds
 * them, each modulo its maximum + 1 (rfbproto "Tight Encoding"; as libvncclient has it). `above` is the memory, since
 * the picture holds eight bits of each. Throws RfbError `bad_data` where there are no colours to add.
 */
export function gradientOf(rect: Rect, pixels: PixelReader): TightFilter {
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
