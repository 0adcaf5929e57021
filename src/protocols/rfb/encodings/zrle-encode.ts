import type { Pixels } from "../../../framebuffer/picture.ts";
import { areaOfRect, type Rect } from "../../../framebuffer/rect.ts";
import type { ByteWriter } from "../../byte-writer.ts";
import type { EncoderState } from "./encoding.ts";
import { Palette } from "./palette.ts";
import { type PixelLayout, pixelWriterFor } from "./pixel-writer.ts";
import { Scratch } from "./scratch.ts";
import { putSegment } from "./zlib-segment.ts";
import { ZRLE_SIDE } from "./zrle-decode.ts";
import { TILE } from "./zrle-tile.ts";

export { startStream as startZrle } from "./zlib-segment.ts";

const KEEP_BYTES = 1024 * 1024;

const tile = new Uint32Array(ZRLE_SIDE * ZRLE_SIDE);
const palette = new Palette();
const scratch = new Scratch(KEEP_BYTES);

/** Tiles of 64x64, each in its shortest subencoding, as a segment of the viewer's ZRLE stream. */
export function encodeZrle(to: ByteWriter, pixels: Pixels, rect: Rect, state: EncoderState): void {
  const layout = pixelWriterFor(state.format).compact;
  const tiles = Math.ceil(rect.width / ZRLE_SIDE) * Math.ceil(rect.height / ZRLE_SIDE);
  const body = scratch.take(tiles + areaOfRect(rect) * layout.sizeBytes);
  let at = 0;
  for (let y = 0; y < rect.height; y += ZRLE_SIDE) {
    const height = Math.min(ZRLE_SIDE, rect.height - y);
    for (let x = 0; x < rect.width; x += ZRLE_SIDE) {
      const width = Math.min(ZRLE_SIDE, rect.width - x);
      layout.load(pixels, x, y, width, height, tile);
      at = writeTile(layout, width, height, body, at);
    }
  }
  putSegment(to, body.subarray(0, at), state.deflate, state.compressLevel, state.zrleStarted);
  state.zrleStarted = true;
}

/** Writes `tile` in the subencoding that is shortest; returns where the next goes. Never longer than raw. */
function writeTile(
  layout: PixelLayout,
  width: number,
  height: number,
  out: Uint8Array,
  start: number,
): number {
  const area = width * height;
  let runs = 0;
  let singles = 0;
  let lengthBytes = 0;
  palette.clear(TILE.mostPalette);
  let isWithinPalette = true;
  for (let i = 0; i < area; ) {
    const pixel = tile[i]!;
    const first = i++;
    while (i < area && tile[i] === pixel) i++;
    const more = i - first - 1;
    runs++;
    if (more === 0) singles++;
    lengthBytes += 1 + Math.floor(more / 255);
    if (isWithinPalette) isWithinPalette = palette.add(pixel) >= 0;
  }
  const colours = palette.count;
  let at = start;
  if (colours === 1) {
    out[at++] = TILE.solid;
    return layout.put(tile[0]!, out, at);
  }
  const { sizeBytes } = layout;
  const rawBytes = area * sizeBytes;
  const plainBytes = runs * sizeBytes + lengthBytes;
  const indexBytes = isWithinPalette ? colours * sizeBytes + runs + lengthBytes - singles : rawBytes;
  const bits = colours <= 2 ? 1 : colours <= 4 ? 2 : 4;
  const isPackable = isWithinPalette && colours <= TILE.mostPacked;
  const packedBytes = isPackable ? colours * sizeBytes + ((width * bits + 7) >> 3) * height : rawBytes;
  const least = Math.min(rawBytes, plainBytes, indexBytes, packedBytes);
  if (least === rawBytes) {
    out[at++] = TILE.raw;
    return layout.putAll(tile, area, out, at);
  }
  if (least === plainBytes) {
    out[at++] = TILE.plainRle;
    return writeRuns(layout, area, false, out, at);
  }
  out[at++] = least === packedBytes ? colours : 128 + colours;
  at = layout.putAll(palette.colours, colours, out, at);
  if (least === packedBytes) return writePacked(width, height, bits, out, at);
  return writeRuns(layout, area, true, out, at);
}

function writePacked(width: number, height: number, bits: number, out: Uint8Array, start: number): number {
  let at = start;
  let i = 0;
  for (let y = 0; y < height; y++) {
    let byte = 0;
    let shift = 8;
    for (const end = i + width; i < end; i++) {
      shift -= bits;
      byte |= palette.add(tile[i]!) << shift;
      if (shift > 0) continue;
      out[at++] = byte;
      byte = 0;
      shift = 8;
    }
    if (shift < 8) out[at++] = byte;
  }
  return at;
}

function writeRuns(
  layout: PixelLayout,
  area: number,
  isIndexed: boolean,
  out: Uint8Array,
  start: number,
): number {
  let at = start;
  for (let i = 0; i < area; ) {
    const pixel = tile[i]!;
    const first = i++;
    while (i < area && tile[i] === pixel) i++;
    let more = i - first - 1;
    if (isIndexed) {
      const index = palette.add(pixel);
      out[at++] = more === 0 ? index : index | 128;
      if (more === 0) continue;
    } else {
      at = layout.put(pixel, out, at);
    }
    for (; more >= 255; more -= 255) out[at++] = 255;
    out[at++] = more;
  }
  return at;
}
