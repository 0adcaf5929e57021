import type { Pixels } from "../../../framebuffer/picture.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { ByteWriter } from "../../byte-writer.ts";
import type { EncoderState } from "./encoding.ts";
import { HEXTILE } from "./hextile-decode.ts";
import { HEXTILE_SIDE } from "./hextile-kernel.ts";
import { Palette } from "./palette.ts";
import { type PixelLayout, pixelWriterFor } from "./pixel-writer.ts";

const AREA = HEXTILE_SIDE * HEXTILE_SIDE;
const MOST_SUBRECTS = 255;

const tile = new Uint32Array(AREA);
const counts = new Uint16Array(AREA);
const palette = new Palette();
/** Room for the longest tile and one more subrectangle. */
const out = new Uint8Array(1 + AREA * 4 + 16);

/** The colours a decoder still has from tiles before, null where it has none. */
interface Known {
  background: number | null;
  foreground: number | null;
}

/** Each tile as subrectangles on its most frequent colour, or raw where that is no longer. */
export function encodeHextile(to: ByteWriter, pixels: Pixels, rect: Rect, state: EncoderState): void {
  const layout = pixelWriterFor(state.format).plain;
  const known: Known = { background: null, foreground: null };
  for (let y = 0; y < rect.height; y += HEXTILE_SIDE) {
    const height = Math.min(HEXTILE_SIDE, rect.height - y);
    for (let x = 0; x < rect.width; x += HEXTILE_SIDE) {
      const width = Math.min(HEXTILE_SIDE, rect.width - x);
      layout.load(pixels, x, y, width, height, tile);
      let size = writeSubrects(layout, width, height, known);
      if (size === 0) {
        layout.load(pixels, x, y, width, height, tile);
        out[0] = HEXTILE.raw;
        size = layout.putAll(tile, width * height, out, 1);
        known.background = null;
        known.foreground = null;
      }
      to.put(out.subarray(0, size));
    }
  }
}

/** Writes the tile to `out` and returns its size, 0 where raw is as short. `tile` is used up. */
function writeSubrects(layout: PixelLayout, width: number, height: number, known: Known): number {
  const area = width * height;
  const rawBytes = 1 + area * layout.sizeBytes;
  const background = mostFrequent(area);
  const isColoured = palette.count > 2;
  const foreground = palette.colours[0] === background ? palette.colours[1]! : palette.colours[0]!;
  let kind = 0;
  let at = 1;
  if (background !== known.background) {
    kind |= HEXTILE.backgroundSpecified;
    at = layout.put(background, out, at);
  }
  let knownForeground = known.foreground;
  if (palette.count > 1) {
    kind |= HEXTILE.anySubrects;
    if (isColoured) {
      kind |= HEXTILE.subrectsColoured;
      // Decoders differ in what a coloured tile leaves behind.
      knownForeground = null;
    } else if (foreground !== known.foreground) {
      kind |= HEXTILE.foregroundSpecified;
      at = layout.put(foreground, out, at);
      knownForeground = foreground;
    }
    const countAt = at++;
    let count = 0;
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const pixel = tile[y * width + x]!;
        if (pixel === background) continue;
        if (count === MOST_SUBRECTS) return 0;
        count++;
        if (isColoured) at = layout.put(pixel, out, at);
        const across = runRight(pixel, x, y, width);
        const down = runDown(pixel, x, y, across, width, height);
        out[at++] = (x << 4) | y;
        out[at++] = ((across - 1) << 4) | (down - 1);
        if (at >= rawBytes) return 0;
        for (let row = y; row < y + down; row++) {
          tile.fill(background, row * width + x, row * width + x + across);
        }
      }
    }
    out[countAt] = count;
  }
  if (at >= rawBytes) return 0;
  out[0] = kind;
  known.background = background;
  known.foreground = knownForeground;
  return at;
}

/** Fills `palette` from the tile and returns the colour that most pixels have. */
function mostFrequent(area: number): number {
  palette.clear(AREA);
  counts.fill(0);
  let best = 0;
  for (let i = 0; i < area; i++) {
    const index = palette.add(tile[i]!);
    counts[index]!++;
    if (counts[index]! > counts[best]!) best = index;
  }
  return palette.colours[best]!;
}

function runRight(pixel: number, x: number, y: number, width: number): number {
  let end = x + 1;
  while (end < width && tile[y * width + end] === pixel) end++;
  return end - x;
}

function runDown(pixel: number, x: number, y: number, across: number, width: number, height: number): number {
  let bottom = y + 1;
  for (; bottom < height; bottom++) {
    const row = bottom * width;
    for (let i = row + x; i < row + x + across; i++) if (tile[i] !== pixel) return bottom - y;
  }
  return bottom - y;
}
