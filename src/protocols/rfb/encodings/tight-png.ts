import type { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import type { Pixels } from "../../../framebuffer/picture.ts";
import { RGBX } from "../../../framebuffer/pixel-format.ts";
import { areaOfRect, isEmptyRect, type Rect } from "../../../framebuffer/rect.ts";
import type { ByteQueue, Parser } from "../../byte-queue.ts";
import type { ByteWriter } from "../../byte-writer.ts";
import { ENCODING } from "../numbers.ts";
import type { DecoderState, EncoderState, Encoding } from "./encoding.ts";
import { Palette } from "./palette.ts";
import { pixelWriterFor } from "./pixel-writer.ts";
import { paintPng } from "./png-read.ts";
import { writePng } from "./png-write.ts";
import { decodeTight, readTightLength, TIGHT, TIGHT_MAX_WIDTH, type TightKind } from "./tight-decode.ts";
import { lengthBytes, TIGHT_MAX_AREA, writeJpeg } from "./tight-encode.ts";

/** The upper four bits of a control byte before a PNG image. */
const PNG_KIND = 10;
const SUB_FILTER = 1;
const MOST_COLOURS = 256;

const values = new Uint32Array(TIGHT_MAX_AREA);
const lines = new Uint8Array(TIGHT_MAX_AREA * 4);
const wire = new Uint8Array(4);
const palette = new Palette();

function* decodePng(from: ByteQueue, to: Framebuffer, rect: Rect, state: DecoderState): Parser<void> {
  const length = yield* readTightLength(from);
  while (!from.has(length)) yield length;
  paintPng(from.take(length), to, rect, state);
}

const KINDS: ReadonlyMap<number, TightKind> = new Map([[PNG_KIND, decodePng]]);

function decode(from: ByteQueue, to: Framebuffer, rect: Rect, state: DecoderState): Parser<void> {
  return decodeTight(from, to, rect, state, KINDS);
}

/** Throws a RangeError for a rectangle beyond TIGHT_MAX_WIDTH and TIGHT_MAX_AREA: the caller splits. */
function encode(to: ByteWriter, pixels: Pixels, rect: Rect, state: EncoderState): void {
  const { width, height } = rect;
  const area = areaOfRect(rect);
  if (isEmptyRect(rect) || width > TIGHT_MAX_WIDTH || area > TIGHT_MAX_AREA) {
    throw new RangeError(
      `tight rectangle of ${width}x${height}, expected 1 to ${TIGHT_MAX_AREA} pixels, at most ${TIGHT_MAX_WIDTH} wide`,
    );
  }
  // An image has eight bits of each colour whatever the viewer's format is.
  pixelWriterFor(RGBX).plain.load(pixels, 0, 0, width, height, values);
  palette.clear(MOST_COLOURS);
  let isWithinPalette = true;
  for (let i = 0; i < area && isWithinPalette; i++) isWithinPalette = palette.add(values[i]!) >= 0;
  if (isWithinPalette && palette.count === 1) {
    const layout = pixelWriterFor(state.format).tight;
    layout.load(pixels, 0, 0, 1, 1, values);
    to.u8(TIGHT.fill << 4).put(wire.subarray(0, layout.put(values[0]!, wire, 0)));
    return;
  }
  if (!isWithinPalette && writeJpeg(to, pixels, rect, state)) return;
  const size = isWithinPalette ? indexedLines(width, height) : colourLines(width, height);
  const colours = isWithinPalette ? paletteBytes() : null;
  const { deflate, compressLevel } = state;
  const png = writePng(lines.subarray(0, size), width, height, colours, deflate, compressLevel);
  to.u8(PNG_KIND << 4)
    .put(lengthBytes(png.length))
    .put(png);
}

function paletteBytes(): Uint8Array {
  const bytes = new Uint8Array(palette.count * 3);
  for (let i = 0; i < palette.count; i++) {
    const colour = palette.colours[i]!;
    bytes.set([colour & 255, (colour >> 8) & 255, colour >> 16], i * 3);
  }
  return bytes;
}

function indexedLines(width: number, height: number): number {
  let at = 0;
  for (let y = 0, i = 0; y < height; y++) {
    lines[at++] = 0;
    for (const end = i + width; i < end; i++) lines[at++] = palette.add(values[i]!);
  }
  return at;
}

/** Each sample as the difference to the pixel on its left: what zlib makes least of in pictures. */
function colourLines(width: number, height: number): number {
  let at = 0;
  for (let y = 0, i = 0; y < height; y++) {
    lines[at++] = SUB_FILTER;
    let left = 0;
    for (const end = i + width; i < end; i++, at += 3) {
      const pixel = values[i]!;
      lines[at] = pixel - left;
      lines[at + 1] = (pixel >> 8) - (left >> 8);
      lines[at + 2] = (pixel >> 16) - (left >> 16);
      left = pixel;
    }
  }
  return at;
}

/** TightPNG, rfbproto "Tight PNG Encoding": Tight with PNG images in place of its zlib streams. */
export const tightPng: Encoding = { number: ENCODING.tightPng, name: "tightpng", decode, encode };
