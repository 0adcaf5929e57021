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
  let left = rect.height;
  let offset = rect.y * to.width + rect.x;
  while (left > 0) {
    while (!from.has(rowBytes)) yield rowBytes;
    const rows = Math.min(left, Math.floor(from.size / rowBytes));
    const data = from.take(rows * rowBytes);
    const { bytes, words, width } = to;
    for (let at = 0; at < data.length; at += rowBytes, offset += width) {
      bytes.set(data.subarray(at, at + rowBytes), offset * BYTES_PER_PIXEL);
      for (let i = offset; i < offset + rect.width; i++) words[i]! |= OPAQUE;
    }
    left -= rows;
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
