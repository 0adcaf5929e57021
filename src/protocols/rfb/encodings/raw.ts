import { BYTES_PER_PIXEL, type Framebuffer, OPAQUE } from "../../../framebuffer/framebuffer.ts";
import { isEmptyRect, type Rect } from "../../../framebuffer/rect.ts";
import type { ByteQueue, Parser } from "../../byte-queue.ts";
import type { ByteWriter } from "../../byte-writer.ts";
import { ENCODING } from "../numbers.ts";
import type { EncoderState, Encoding, Pixels } from "./encoding.ts";
import { pixelWriterFor } from "./pixel-writer.ts";

/** Pixels converted at once when encoding. */
const BLOCK_PIXELS = 4096;

const values = new Uint32Array(BLOCK_PIXELS);
const block = new Uint8Array(BLOCK_PIXELS * BYTES_PER_PIXEL);

/** Takes whole rows as they arrive, so that a large picture never gathers in the queue. */
function* decode(from: ByteQueue, to: Framebuffer, rect: Rect): Parser<void> {
  if (isEmptyRect(rect)) return;
  const rowBytes = rect.width * BYTES_PER_PIXEL;
  let row = 0;
  while (row < rect.height) {
    while (!from.has(rowBytes)) yield rowBytes;
    const rows = Math.min(rect.height - row, Math.floor(from.size / rowBytes));
    paintRows(from.take(rows * rowBytes), to, rect, row, rows);
    row += rows;
  }
}

function paintRows(data: Uint8Array, to: Framebuffer, rect: Rect, firstRow: number, rows: number): void {
  const { bytes, words, width: stride } = to;
  const { width } = rect;
  const rowBytes = width * BYTES_PER_PIXEL;
  let start = (rect.y + firstRow) * stride + rect.x;
  for (let at = 0; at < rows * rowBytes; at += rowBytes, start += stride) {
    bytes.set(data.subarray(at, at + rowBytes), start * BYTES_PER_PIXEL);
    const end = start + width;
    for (let i = start; i < end; i++) words[i]! |= OPAQUE;
  }
}

function encode(to: ByteWriter, pixels: Pixels, rect: Rect, state: EncoderState): void {
  const layout = pixelWriterFor(state.format).plain;
  for (let y = 0; y < rect.height; y++) {
    for (let x = 0; x < rect.width; x += BLOCK_PIXELS) {
      const count = Math.min(BLOCK_PIXELS, rect.width - x);
      layout.load(pixels, x, y, count, 1, values);
      to.put(block.subarray(0, layout.putAll(values, count, block, 0)));
    }
  }
}

/** Raw, RFC 6143 section 7.7.1: every pixel as it is, row by row. */
export const raw: Encoding = { number: ENCODING.raw, name: "raw", decode, encode };
