import type { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import type { Pixels } from "../../../framebuffer/picture.ts";
import { areaOfRect, type Rect } from "../../../framebuffer/rect.ts";
import type { ByteQueue, Parser } from "../../byte-queue.ts";
import type { ByteWriter } from "../../byte-writer.ts";
import { ENCODING } from "../numbers.ts";
import { badData } from "./bad-data.ts";
import type { DecoderState, EncoderState, Encoding } from "./encoding.ts";
import { Inflated } from "./inflated.ts";
import { pixelWriterFor } from "./pixel-writer.ts";
import { eachBlock, paintRows } from "./raw.ts";
import { Scratch } from "./scratch.ts";
import { putSegment } from "./zlib-segment.ts";

const KEEP_BYTES = 1024 * 1024;

const scratch = new Scratch(KEEP_BYTES);

/** rfbproto "Zlib Encoding": U32 length, then zlib data of the connection's one stream: the pixels as in Raw. */
function* decode(from: ByteQueue, to: Framebuffer, rect: Rect, state: DecoderState): Parser<void> {
  while (!from.has(4)) yield 4;
  const length = from.u32();
  const code = state.pixels.plain;
  const rowBytes = rect.width * code.sizeBytes;
  const total = rowBytes * rect.height;
  const body = new Inflated("zlib", from, state.stream("zlib"), state, length, total, rowBytes);
  for (let row = 0; total > 0 && row < rect.height; ) {
    while (!body.fill(rowBytes)) yield 1;
    const rows = Math.min(rect.height - row, Math.floor((body.end - body.start) / rowBytes));
    if (rows === 0) throw badData("zlib data ends before the last pixel of the rectangle");
    paintRows(code, body.bytes, body.start, to, rect, row, rows);
    body.start += rows * rowBytes;
    row += rows;
  }
  while (!body.fill(1)) yield 1;
  body.checkUsedUp();
}

function encode(to: ByteWriter, pixels: Pixels, rect: Rect, state: EncoderState): void {
  const body = scratch.take(areaOfRect(rect) * pixelWriterFor(state.format).plain.sizeBytes);
  let at = 0;
  eachBlock(pixels, rect, state, (bytes) => {
    body.set(bytes, at);
    at += bytes.length;
  });
  const isStarted = state.zlibStarted ?? false;
  putSegment(to, body.subarray(0, at), state.deflate, state.compressLevel, isStarted);
  state.zlibStarted = true;
}

/** Zlib, rfbproto "Zlib Encoding": Raw through zlib. */
export const zlib: Encoding = { number: ENCODING.zlib, name: "zlib", decode, encode };
