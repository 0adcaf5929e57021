import type { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { ByteQueue, Parser } from "../../byte-queue.ts";
import { badData } from "./bad-data.ts";
import type { DecoderState } from "./encoding.ts";
import { Inflated } from "./inflated.ts";
import { paintJpeg } from "./jpeg-rect.ts";
import type { PixelReader } from "./pixel-reader.ts";
import { copyFilter, paletteFilter, type TightFilter } from "./tight-filters.ts";
import { gradientFilter } from "./tight-gradient.ts";

/** The widest rectangle that is not one colour, rfbproto "Tight Encoding". */
export const TIGHT_MAX_WIDTH = 2048;

/** Data shorter than this goes uncompressed and without a length. */
export const TIGHT_LEAST_COMPRESSED = 12;

/** The upper four bits of the control byte; below 8 it is basic compression with a stream and perhaps a filter. */
export const TIGHT = { explicitFilter: 4, fill: 8, jpeg: 9 } as const;

export const TIGHT_FILTER = { copy: 0, palette: 1, gradient: 2 } as const;

const STREAMS = ["tight0", "tight1", "tight2", "tight3"] as const;

/** A kind of compression beyond those of TIGHT: reads what follows the control byte. */
export type TightKind = (from: ByteQueue, to: Framebuffer, rect: Rect, state: DecoderState) => Parser<void>;

const NO_MORE_KINDS: ReadonlyMap<number, TightKind> = new Map();

/**
 * rfbproto "Tight Encoding": U8 compression-control, whose lower four bits each reset a zlib stream, then by its
 * upper bits one TPIXEL, a JPEG image or filtered data. `more` holds what a relative of Tight adds, by upper bits.
 */
export function* decodeTight(
  from: ByteQueue,
  to: Framebuffer,
  rect: Rect,
  state: DecoderState,
  more: ReadonlyMap<number, TightKind> = NO_MORE_KINDS,
): Parser<void> {
  while (!from.has(1)) yield 1;
  const control = from.u8();
  for (const [bit, name] of STREAMS.entries()) {
    if (control & (1 << bit)) state.resetStream(name);
  }
  const kind = control >> 4;
  if (kind === TIGHT.fill) {
    const code = state.pixels.tight;
    while (!from.has(code.sizeBytes)) yield code.sizeBytes;
    to.fill(rect, code.word(from.take(code.sizeBytes), 0));
    return;
  }
  const other = more.get(kind);
  if (other !== undefined) {
    yield* other(from, to, rect, state);
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
  const length = yield* readTightLength(from);
  while (!from.has(length)) yield length;
  paintJpeg("tight jpeg", from.take(length), to, rect, state);
}

/** [U8 filter-id, filter's own data], then the filtered pixels, compressed where there are enough. */
function* decodeBasic(
  from: ByteQueue,
  to: Framebuffer,
  rect: Rect,
  state: DecoderState,
  kind: number,
): Parser<void> {
  const filter =
    kind & TIGHT.explicitFilter
      ? yield* readFilter(from, rect, state.pixels)
      : copyFilter(rect, state.pixels.tight);
  const total = filter.rowBytes * rect.height;
  if (total < TIGHT_LEAST_COMPRESSED) {
    while (!from.has(total)) yield total;
    filter.paint(from.take(total), 0, to, 0, rect.height);
    return;
  }
  const length = yield* readTightLength(from);
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

function* readFilter(from: ByteQueue, rect: Rect, pixels: PixelReader): Parser<TightFilter> {
  while (!from.has(1)) yield 1;
  const id = from.u8();
  if (id === TIGHT_FILTER.copy) return copyFilter(rect, pixels.tight);
  if (id === TIGHT_FILTER.gradient) return gradientFilter(rect, pixels);
  if (id !== TIGHT_FILTER.palette) {
    throw badData(`tight filter ${id}, expected copy (0), palette (1) or gradient (2)`);
  }
  while (!from.has(1)) yield 1;
  const count = from.u8() + 1;
  if (count < 2) throw badData("tight palette of 1 colour, expected 2 to 256");
  const size = count * pixels.tight.sizeBytes;
  while (!from.has(size)) yield size;
  return paletteFilter(rect, pixels.tight, from.take(size));
}

/** A length of up to 22 bits: seven in each of the first two bytes and eight in the third, lowest first. */
export function* readTightLength(from: ByteQueue): Parser<number> {
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
