import { BYTES_PER_PIXEL, type Framebuffer, OPAQUE } from "../../../framebuffer/framebuffer.ts";
import type { Pixels } from "../../../framebuffer/picture.ts";
import { isEmptyRect, type Rect } from "../../../framebuffer/rect.ts";
import type { ByteQueue, Parser } from "../../byte-queue.ts";
import type { ByteWriter } from "../../byte-writer.ts";
import { ENCODING } from "../numbers.ts";
import type { DecoderState, EncoderState, Encoding } from "./encoding.ts";
import type { PixelCode } from "./pixel-reader.ts";
import { pixelWriterFor } from "./pixel-writer.ts";

/** Pixels converted at once when encoding. */
const BLOCK_PIXELS = 4096;

const values = new Uint32Array(BLOCK_PIXELS);
const block = new Uint8Array(BLOCK_PIXELS * BYTES_PER_PIXEL);

/** Takes whole rows as they arrive, so that a large picture never gathers in the queue. */
function* decode(from: ByteQueue, to: Framebuffer, rect: Rect, state: DecoderState): Parser<void> {
  if (isEmptyRect(rect)) return;
  const code = state.pixels.plain;
  const rowBytes = rect.width * code.sizeBytes;
  let row = 0;
  while (row < rect.height) {
    while (!from.has(rowBytes)) yield rowBytes;
    const rows = Math.min(rect.height - row, Math.floor(from.size / rowBytes));
    paintRows(code, from.take(rows * rowBytes), 0, to, rect, row, rows);
    row += rows;
  }
}

/** Paints `rows` whole rows of pixels from `firstRow` on (counted in the rectangle), which begin at `start`. */
export function paintRows(
  code: PixelCode,
  data: Uint8Array,
  start: number,
  to: Framebuffer,
  rect: Rect,
  firstRow: number,
  rows: number,
): void {
  const { bytes, words, width: stride } = to;
  const { width } = rect;
  const rowBytes = width * code.sizeBytes;
  const isOurs = code.isRgb && code.sizeBytes === BYTES_PER_PIXEL;
  let first = (rect.y + firstRow) * stride + rect.x;
  for (let at = start; at < start + rows * rowBytes; at += rowBytes, first += stride) {
    if (!isOurs) {
      code.read(data, at, words, first, width);
      continue;
    }
    bytes.set(data.subarray(at, at + rowBytes), first * BYTES_PER_PIXEL);
    const end = first + width;
    for (let i = first; i < end; i++) words[i]! |= OPAQUE;
  }
}

function encode(to: ByteWriter, pixels: Pixels, rect: Rect, state: EncoderState): void {
  eachBlock(pixels, rect, state, (bytes) => to.put(bytes));
}

/** The rectangle's pixels in the viewer's format, row by row, in pieces that hold until the next one. */
export function eachBlock(
  pixels: Pixels,
  rect: Rect,
  state: EncoderState,
  take: (bytes: Uint8Array) => void,
): void {
  const layout = pixelWriterFor(state.format).plain;
  for (let y = 0; y < rect.height; y++) {
    for (let x = 0; x < rect.width; x += BLOCK_PIXELS) {
      const count = Math.min(BLOCK_PIXELS, rect.width - x);
      layout.load(pixels, x, y, count, 1, values);
      take(block.subarray(0, layout.putAll(values, count, block, 0)));
    }
  }
}

/** Raw, RFC 6143 section 7.7.1: every pixel as it is, row by row. */
export const raw: Encoding = { number: ENCODING.raw, name: "raw", decode, encode };
