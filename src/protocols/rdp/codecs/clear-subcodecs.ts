import type { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { LittleEndianReader } from "../little-endian-reader.ts";
import { badData } from "./bad-data.ts";
import { PIXEL_BYTES, readRunLength, readWord, wordAt } from "./blue-first.ts";
import { nsCodec } from "./nscodec.ts";
import { RunPainter } from "./run-painter.ts";

const UNCOMPRESSED = 0;
const NSCODEC = 1;
const RLEX = 2;

/** MS-RDPEGFX 2.2.4.1.1.3.1.3. */
const MOST_COLOURS = 127;

/** Subcodecs are side by side; without a limit, 13 bytes could ask for the whole bitmap again and again. */
const OVERPAINT = 2;

/**
 * The subcodec layer of ClearCodec, MS-RDPEGFX 2.2.4.1.1.3: rectangles, each with a codec of its own; coordinates count
 * from the top left corner of `rect`, which lies within `to`. Returns true where one of them is not exact.
 */
export function paintSubcodecs(from: LittleEndianReader, to: Framebuffer, rect: Rect): boolean {
  let isLossy = false;
  let left = OVERPAINT * rect.width * rect.height;
  while (from.left > 0) {
    const x = from.u16();
    const y = from.u16();
    const width = from.u16();
    const height = from.u16();
    const bytes = from.u32();
    const codec = from.u8();
    const data = from.part(bytes);
    if (x + width > rect.width || y + height > rect.height) {
      throw badData(`a subcodec's ${width}x${height} pixels at ${x},${y}, expected them within the bitmap`);
    }
    left -= width * height;
    if (left < 0) throw badData("subcodecs one over the other, expected them side by side");
    if (width * height === 0) continue;
    const part = { x: rect.x + x, y: rect.y + y, width, height };
    if (codec === UNCOMPRESSED) paintUncompressed(data, to, part);
    else if (codec === RLEX) paintRlex(data, to, part);
    else if (codec === NSCODEC) {
      nsCodec(data, to, part);
      isLossy = true;
    } else throw badData(`subcodec ${codec}, expected 0 to 2`);
  }
  return isLossy;
}

function paintUncompressed(from: LittleEndianReader, to: Framebuffer, { x, y, width, height }: Rect): void {
  const bytes = from.take(width * height * PIXEL_BYTES);
  let at = 0;
  for (let row = y; row < y + height; row++) {
    const start = row * to.width + x;
    for (let i = start; i < start + width; i++, at += PIXEL_BYTES) to.words[i] = wordAt(bytes, at);
  }
}

/**
 * CLEARCODEC_SUBCODEC_RLEX, 2.2.4.1.1.3.1.3: a palette, then segments. A segment's byte holds in its low bits the colour it
 * stops at and above them how many colours before that it starts; the start colour comes as a run, then each colour from
 * there to the stop once.
 */
function paintRlex(from: LittleEndianReader, to: Framebuffer, rect: Rect): void {
  const count = from.u8();
  if (count < 1 || count > MOST_COLOURS) throw badData(`${count} colours, expected 1 to ${MOST_COLOURS}`);
  const palette = Array.from({ length: count }, () => readWord(from));
  const indexBits = Math.max(1, 32 - Math.clz32(count - 1));
  const painter = new RunPainter(to, rect);
  while (painter.left > 0) {
    const segment = from.u8();
    const stop = segment & ((1 << indexBits) - 1);
    const start = stop - (segment >> indexBits);
    const run = readRunLength(from);
    if (start < 0 || stop >= count) {
      throw badData(`colours ${start} to ${stop}, expected some of ${count}`);
    }
    painter.run(palette[start]!, run);
    for (let i = start; i <= stop; i++) painter.run(palette[i]!, 1);
  }
}
