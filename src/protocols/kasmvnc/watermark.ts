import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import { areaOfRect, type Rect } from "../../framebuffer/rect.ts";
import type { ByteQueue, Parser } from "../byte-queue.ts";
import type { Conversation } from "../rfb/client/conversation.ts";
import { badData } from "../rfb/encodings/bad-data.ts";
import { readTightLength } from "../rfb/encodings/tight-decode.ts";
import { skipBytes } from "../skip-bytes.ts";

const TINT_BYTES = 4;

/** Alpha of 4 bits as 8. */
const SPREAD = 17;

/**
 * A watermark, Tight kind 0xD: compact length, U8 red, green, blue, alpha, a zlib stream of 4-bit alphas, lower half
 * first. It is drawn over the picture by viewers and is no part of it. Passed over here.
 */
export function* skipWatermark(from: ByteQueue): Parser<void> {
  yield* skipBytes(from, yield* readTightLength(from));
}

/** The same, kept: told as an event. Memory is bounded by the rectangle, which lies within the picture. */
export function* keepWatermark(c: Conversation, from: ByteQueue, _to: Framebuffer, rect: Rect): Parser<void> {
  const length = yield* readTightLength(from);
  while (!from.has(length)) yield length;
  const body = from.take(length);
  if (length < TINT_BYTES) throw badData(`watermark of ${length} bytes, expected at least ${TINT_BYTES}`);
  const [red = 0, green = 0, blue = 0, tint = 0] = body;
  const area = areaOfRect(rect);
  const packed = new Uint8Array((area >> 1) + 1);
  const stream = c.ports.inflate();
  try {
    const size = stream.inflate(body.subarray(TINT_BYTES), packed);
    if (size !== packed.length) throw new Error(`${size} bytes`);
  } catch (cause) {
    throw badData(`watermark does not decode to the ${packed.length} bytes of its rectangle`, cause);
  } finally {
    stream.close();
  }
  const alpha = new Uint8Array(area);
  for (let i = 0; i < area; i++) alpha[i] = ((packed[i >> 1]! >> (i & 1 ? 4 : 0)) & 15) * SPREAD;
  c.emit({
    type: "watermark",
    watermark: { width: rect.width, height: rect.height, tint: { red, green, blue, alpha: tint }, alpha },
  });
}
