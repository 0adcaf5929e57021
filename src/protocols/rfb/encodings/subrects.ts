import type { Pixels } from "../../../framebuffer/picture.ts";
import { areaOfRect, type Rect } from "../../../framebuffer/rect.ts";
import type { ByteWriter } from "../../byte-writer.ts";
import type { EncoderState } from "./encoding.ts";
import { Palette } from "./palette.ts";
import { type PixelLayout, pixelWriterFor } from "./pixel-writer.ts";

const KEEP_PIXELS = 65_536;
const MOST_COLOURS = 256;

let kept = new Uint32Array(0);
const palette = new Palette();
const counts = new Uint32Array(MOST_COLOURS);
const wire = new Uint8Array(12);

/** The body of RRE, RFC 6143 section 7.7.3: runs of one colour, grown downward, on the most frequent colour. */
export function encodeSubrects(to: ByteWriter, pixels: Pixels, rect: Rect, state: EncoderState): void {
  const { width, height } = rect;
  const layout = pixelWriterFor(state.format).plain;
  const values = take(areaOfRect(rect));
  layout.load(pixels, 0, 0, width, height, values);
  const background = frequent(values, width * height);
  const countAt = to.length;
  to.u32(0);
  putPixel(to, layout, background);
  let count = 0;
  for (let y = 0; y < height; y++) {
    const row = y * width;
    for (let x = 0; x < width; ) {
      const pixel = values[row + x]!;
      let end = x + 1;
      if (pixel === background) {
        x = end;
        continue;
      }
      while (end < width && values[row + end] === pixel) end++;
      let bottom = y + 1;
      while (bottom < height && isAll(values, bottom * width + x, bottom * width + end, pixel)) bottom++;
      for (let below = y; below < bottom; below++) {
        values.fill(background, below * width + x, below * width + end);
      }
      putPixel(to, layout, pixel);
      to.u16(x)
        .u16(y)
        .u16(end - x)
        .u16(bottom - y);
      count++;
      x = end;
    }
  }
  to.setU16(countAt, Math.floor(count / 65_536));
  to.setU16(countAt + 2, count % 65_536);
}

function take(area: number): Uint32Array {
  if (area > KEEP_PIXELS) return new Uint32Array(area);
  if (kept.length < area) kept = new Uint32Array(KEEP_PIXELS);
  return kept;
}

/** The most frequent of the first 256 colours. */
function frequent(values: Uint32Array, area: number): number {
  palette.clear(MOST_COLOURS);
  counts.fill(0);
  let best = 0;
  for (let i = 0; i < area; i++) {
    const index = palette.add(values[i]!);
    if (index < 0) continue;
    counts[index]!++;
    if (counts[index]! > counts[best]!) best = index;
  }
  return palette.colours[best]!;
}

function isAll(values: Uint32Array, start: number, end: number, pixel: number): boolean {
  for (let i = start; i < end; i++) if (values[i] !== pixel) return false;
  return true;
}

function putPixel(to: ByteWriter, layout: PixelLayout, pixel: number): void {
  to.put(wire.subarray(0, layout.put(pixel, wire, 0)));
}
