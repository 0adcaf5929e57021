import { BYTES_PER_PIXEL, type Framebuffer } from "../../../framebuffer/framebuffer.ts";
import { areaOfRect, type Rect } from "../../../framebuffer/rect.ts";
import type { ByteQueue, Parser } from "../../byte-queue.ts";
import type { RgbaImage } from "../../platform.ts";
import { badData } from "./bad-data.ts";
import type { DecoderState } from "./encoding.ts";
import { Inflated } from "./inflated.ts";
import {
  copyFilter,
  gradientFilter,
  paletteFilter,
  type TightFilter,
  TPIXEL_BYTES,
} from "./tight-filters.ts";

/** The widest rectangle that is not one colour, rfbproto "Tight Encoding". */
export const TIGHT_MAX_WIDTH = 2048;

/** Data shorter than this goes uncompressed and without a length. */
export const TIGHT_LEAST_COMPRESSED = 12;

/** The upper four bits of the control byte; below 8 it is basic compression with a stream and perhaps a filter. */
export const TIGHT = { explicitFilter: 4, fill: 8, jpeg: 9 } as const;

export const TIGHT_FILTER = { copy: 0, palette: 1, gradient: 2 } as const;

const STREAMS = ["tight0", "tight1", "tight2", "tight3"] as const;

/**
 * rfbproto "Tight Encoding": U8 compression-control, whose lower four bits each reset a zlib stream, then by its
 * upper bits one TPIXEL, a JPEG image or filtered data.
 */
export function* decodeTight(
  from: ByteQueue,
  to: Framebuffer,
  rect: Rect,
  state: DecoderState,
): Parser<void> {
  while (!from.has(1)) yield 1;
  const control = from.u8();
  for (const [bit, name] of STREAMS.entries()) {
    if (control & (1 << bit)) state.stream(name).reset();
  }
  const kind = control >> 4;
  if (kind === TIGHT.fill) {
    while (!from.has(TPIXEL_BYTES)) yield TPIXEL_BYTES;
    const [red = 0, green = 0, blue = 0] = from.take(TPIXEL_BYTES);
    to.fill(rect, red | (green << 8) | (blue << 16));
    return;
  }
  // TigerVNC sends fills of any width (its viewer allows that too), all else within the limit.
  if (rect.width > TIGHT_MAX_WIDTH) {
    throw badData(`tight rectangle ${rect.width} pixels wide, expected at most ${TIGHT_MAX_WIDTH}`);
  }
  if (kind === TIGHT.jpeg) yield* decodeJpeg(from, to, rect, state);
  else if (kind < TIGHT.fill) yield* decodeBasic(from, to, rect, state, kind);
  else throw badData(`tight compression ${kind}, expected basic (0 to 7), fill (8) or jpeg (9)`);
}

function* decodeJpeg(from: ByteQueue, to: Framebuffer, rect: Rect, state: DecoderState): Parser<void> {
  const length = yield* readLength(from);
  while (!from.has(length)) yield length;
  const image = unpackJpeg(from.take(length), rect, state);
  if (image.rgba.length < areaOfRect(rect) * BYTES_PER_PIXEL) {
    throw badData(`tight jpeg of ${image.rgba.length} bytes, expected ${areaOfRect(rect)} pixels`);
  }
  const rowBytes = rect.width * BYTES_PER_PIXEL;
  for (let row = 0; row < rect.height; row++) {
    const pixels = image.rgba.subarray(row * rowBytes, (row + 1) * rowBytes);
    to.bytes.set(pixels, ((rect.y + row) * to.width + rect.x) * BYTES_PER_PIXEL);
  }
}

/** The header is compared with the rectangle before anything is decoded: an image may claim 65535x65535. */
function unpackJpeg(jpeg: Uint8Array, rect: Rect, state: DecoderState): RgbaImage {
  const { width, height } = attempt(() => state.jpeg.size(jpeg));
  if (width !== rect.width || height !== rect.height) {
    throw badData(`tight jpeg of ${width}x${height}, expected ${rect.width}x${rect.height} as the rectangle`);
  }
  return attempt(() => state.jpeg.decode(jpeg));
}

function attempt<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw badData("tight jpeg is damaged", cause);
  }
}

/** [U8 filter-id, filter's own data], then the filtered pixels, compressed where there are enough. */
function* decodeBasic(
  from: ByteQueue,
  to: Framebuffer,
  rect: Rect,
  state: DecoderState,
  kind: number,
): Parser<void> {
  const filter = kind & TIGHT.explicitFilter ? yield* readFilter(from, rect) : copyFilter(rect);
  const total = filter.rowBytes * rect.height;
  if (total < TIGHT_LEAST_COMPRESSED) {
    while (!from.has(total)) yield total;
    filter.paint(from.take(total), 0, to, 0, rect.height);
    return;
  }
  const length = yield* readLength(from);
  const stream = state.stream(STREAMS[kind & 3] ?? STREAMS[0]);
  const body = new Inflated("tight", from, stream, state, length, total, filter.rowBytes);
  for (let row = 0; row < rect.height; ) {
    while (!body.fill(filter.rowBytes)) yield 1;
    const rows = Math.min(rect.height - row, Math.floor((body.end - body.start) / filter.rowBytes));
    if (rows === 0) throw badData("tight data ends before the last pixel of the rectangle");
    filter.paint(body.bytes, body.start, to, row, rows);
    body.start += rows * filter.rowBytes;
    row += rows;
  }
  while (!body.fill(1)) yield 1;
  body.checkUsedUp();
}

function* readFilter(from: ByteQueue, rect: Rect): Parser<TightFilter> {
  while (!from.has(1)) yield 1;
  const id = from.u8();
  if (id === TIGHT_FILTER.copy) return copyFilter(rect);
  if (id === TIGHT_FILTER.gradient) return gradientFilter(rect);
  if (id !== TIGHT_FILTER.palette) {
    throw badData(`tight filter ${id}, expected copy (0), palette (1) or gradient (2)`);
  }
  while (!from.has(1)) yield 1;
  const count = from.u8() + 1;
  if (count < 2) throw badData("tight palette of 1 colour, expected 2 to 256");
  while (!from.has(count * TPIXEL_BYTES)) yield count * TPIXEL_BYTES;
  return paletteFilter(rect, from.take(count * TPIXEL_BYTES));
}

/** One to three bytes, seven bits in each of the first two and eight in the last, lowest first. */
function* readLength(from: ByteQueue): Parser<number> {
  let length = 0;
  for (const shift of [0, 7]) {
    while (!from.has(1)) yield 1;
    const byte = from.u8();
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) return length;
  }
  while (!from.has(1)) yield 1;
  return length | (from.u8() << 14);
}
