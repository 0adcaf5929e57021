import type { Pixels } from "../../../framebuffer/picture.ts";
import { areaOfRect, isEmptyRect, type Rect } from "../../../framebuffer/rect.ts";
import type { ByteWriter } from "../../byte-writer.ts";
import type { EncoderState } from "./encoding.ts";
import { Palette } from "./palette.ts";
import { type PixelLayout, pixelWriterFor } from "./pixel-writer.ts";
import { TIGHT, TIGHT_FILTER, TIGHT_LEAST_COMPRESSED, TIGHT_MAX_WIDTH } from "./tight-decode.ts";

/** The largest rectangle we encode, as TigerVNC and libvncserver do; also bounds our working memory. */
export const TIGHT_MAX_AREA = 65_536;

/** Below this many pixels a JPEG's tables cost more than they save. */
const LEAST_JPEG_AREA = 1024;

/** Three length bytes hold 22 bits. */
const MOST_LENGTH = (1 << 22) - 1;

const MOST_COLOURS = 256;

/**
 * Stream 0, reset before each use: with a zlib header of its own every rectangle stands alone, and the same bytes
 * serve all viewers. Shown to work with noVNC, libvncclient and TigerVNC.
 */
const STREAM_0_RESET = 0x01;

const values = new Uint32Array(TIGHT_MAX_AREA);
const filtered = new Uint8Array(TIGHT_MAX_AREA * 4);
const palette = new Palette();

/** Throws a RangeError for a rectangle beyond TIGHT_MAX_WIDTH and TIGHT_MAX_AREA: the caller splits. */
export function encodeTight(to: ByteWriter, pixels: Pixels, rect: Rect, state: EncoderState): void {
  const { width, height } = rect;
  const area = areaOfRect(rect);
  if (isEmptyRect(rect) || width > TIGHT_MAX_WIDTH || area > TIGHT_MAX_AREA) {
    throw new RangeError(
      `tight rectangle of ${width}x${height}, expected 1 to ${TIGHT_MAX_AREA} pixels, at most ${TIGHT_MAX_WIDTH} wide`,
    );
  }
  const layout = pixelWriterFor(state.format).tight;
  const isFlat = isOfOneColour(pixels, width, height);
  if (isFlat) layout.load(pixels, 0, 0, 1, 1, values);
  else layout.load(pixels, 0, 0, width, height, values);
  const isWithinPalette = findColours(isFlat ? 1 : area);
  const colours = palette.count;
  if (colours === 1) {
    to.put(Uint8Array.of(TIGHT.fill << 4));
    to.put(filtered.subarray(0, layout.put(values[0]!, filtered, 0)));
  } else if (isWithinPalette && isShorterIndexed(colours, area, layout)) {
    writeIndexed(to, width, height, layout, state);
  } else if (isWithinPalette || !writeJpeg(to, pixels, rect, state)) {
    to.put(Uint8Array.of(STREAM_0_RESET));
    writeData(to, filtered.subarray(0, layout.putAll(values, area, filtered, 0)), state);
  }
}

/** True where all pixels are the same; what that is not seen of costs time alone. Grounds are much of a desktop, and compared is sooner than converted. */
function isOfOneColour({ bytes, offset, strideBytes }: Pixels, width: number, height: number): boolean {
  const start = bytes.byteOffset + offset;
  if (((start | strideBytes) & 3) !== 0) return false;
  const stride = strideBytes >> 2;
  const words = new Uint32Array(bytes.buffer, start, (height - 1) * stride + width);
  const first = words[0]!;
  for (let row = 0; row < words.length; row += stride) {
    for (let at = row; at < row + width; at++) if (words[at]! !== first) return false;
  }
  return true;
}

/** Fills `palette` from `values`; false where there are more than 256 colours. */
function findColours(area: number): boolean {
  palette.clear(MOST_COLOURS);
  let last = -1;
  for (let i = 0; i < area; i++) {
    const pixel = values[i]!;
    if (pixel === last) continue;
    if (palette.add(pixel) < 0) return false;
    last = pixel;
  }
  return true;
}

function isShorterIndexed(colours: number, area: number, layout: PixelLayout): boolean {
  return colours * layout.sizeBytes + (colours === 2 ? area >> 3 : area) < area * layout.sizeBytes;
}

/** U8 filter-id, U8 colours - 1, TPIXEL palette, then one bit or one byte a pixel. */
function writeIndexed(
  to: ByteWriter,
  width: number,
  height: number,
  layout: PixelLayout,
  state: EncoderState,
): void {
  const colours = palette.count;
  const control = (TIGHT.explicitFilter << 4) | STREAM_0_RESET;
  to.put(Uint8Array.of(control, TIGHT_FILTER.palette, colours - 1));
  to.put(filtered.subarray(0, layout.putAll(palette.colours, colours, filtered, 0)));
  const size = colours === 2 ? packBits(width, height) : packIndices(width * height);
  writeData(to, filtered.subarray(0, size), state);
}

function packBits(width: number, height: number): number {
  const one = palette.colours[1];
  let at = 0;
  let i = 0;
  for (let y = 0; y < height; y++) {
    let byte = 0;
    let bit = 128;
    for (const end = i + width; i < end; i++) {
      if (values[i] === one) byte |= bit;
      bit >>= 1;
      if (bit > 0) continue;
      filtered[at++] = byte;
      byte = 0;
      bit = 128;
    }
    if (bit < 128) filtered[at++] = byte;
  }
  return at;
}

function packIndices(area: number): number {
  let last = -1;
  let index = 0;
  for (let i = 0; i < area; i++) {
    const pixel = values[i]!;
    if (pixel !== last) index = palette.add(pixel);
    last = pixel;
    filtered[i] = index;
  }
  return area;
}

/** Appends control byte, length and image; false where the viewer wants none, the rectangle is too small for it, or the image would not fit a length. */
export function writeJpeg(to: ByteWriter, pixels: Pixels, rect: Rect, state: EncoderState): boolean {
  const quality = state.jpegQuality;
  // rfbproto: JPEG "can only be used when bits-per-pixel is either 16 or 32".
  if (quality === null || areaOfRect(rect) < LEAST_JPEG_AREA || state.format.bitsPerPixel === 8) return false;
  const source = pixels.bytes.subarray(pixels.offset);
  const jpeg = state.jpeg.encode(source, rect.width, rect.height, pixels.strideBytes, quality);
  if (jpeg.length > MOST_LENGTH) return false;
  to.put(Uint8Array.of(TIGHT.jpeg << 4))
    .put(lengthBytes(jpeg.length))
    .put(jpeg);
  return true;
}

function writeData(to: ByteWriter, data: Uint8Array, state: EncoderState): void {
  if (data.length < TIGHT_LEAST_COMPRESSED) {
    to.put(data);
    return;
  }
  const compressed = state.deflate.zlib(data, state.compressLevel);
  to.put(lengthBytes(compressed.length)).put(compressed);
}

/** A length of up to 22 bits in one to three bytes: seven bits in each of the first two and eight in the last, lowest first. */
export function lengthBytes(length: number): Uint8Array {
  if (length < 1 << 7) return Uint8Array.of(length);
  const low = (length & 0x7f) | 0x80;
  if (length < 1 << 14) return Uint8Array.of(low, length >> 7);
  return Uint8Array.of(low, ((length >> 7) & 0x7f) | 0x80, length >> 14);
}
