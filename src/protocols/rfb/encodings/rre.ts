import type { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import type { Pixels } from "../../../framebuffer/picture.ts";
import { areaOfRect, isEmptyRect, type Rect } from "../../../framebuffer/rect.ts";
import type { ByteQueue, Parser } from "../../byte-queue.ts";
import type { ByteWriter } from "../../byte-writer.ts";
import { ENCODING } from "../numbers.ts";
import { badData } from "./bad-data.ts";
import type { DecoderState, EncoderState, Encoding } from "./encoding.ts";
import type { PixelCode } from "./pixel-reader.ts";
import { encodeSubrects } from "./subrects.ts";

/**
 * Subrectangles are a partition of the rectangle (RFC 6143 section 7.7.3), so together they are no larger than it.
 * A little more is let pass; without a limit, overlapping ones cost the square of what the peer sends.
 */
const OVERPAINT = 2;

/** The numbers of a place: x, y, width, height. */
const PLACE_NUMBERS = 4;

/**
 * RRE and CoRRE, RFC 6143 section 7.7.3 and rfbproto "CoRRE Encoding"; a place's numbers take `numberBytes`, 2 or 1:
 *
 *     U32 number-of-subrectangles, PIXEL background, then for each
 *     PIXEL value, x, y, width, height
 */
export function* decodeSubrects(
  name: string,
  numberBytes: number,
  from: ByteQueue,
  to: Framebuffer,
  rect: Rect,
  state: DecoderState,
): Parser<void> {
  const code = state.pixels.plain;
  while (!from.has(4 + code.sizeBytes)) yield 4 + code.sizeBytes;
  let left = from.u32();
  const area = areaOfRect(rect);
  if (left > area) throw badData(`${name} with ${left} subrectangles where the rectangle has ${area} pixels`);
  to.fill(rect, code.word(from.take(code.sizeBytes), 0));
  const subrectBytes = code.sizeBytes + PLACE_NUMBERS * numberBytes;
  let paintLeft = area * OVERPAINT;
  while (left > 0) {
    while (!from.has(subrectBytes)) yield subrectBytes;
    const count = Math.min(left, Math.floor(from.size / subrectBytes));
    paintLeft = paint(name, numberBytes, code, from.take(count * subrectBytes), to, rect, paintLeft);
    left -= count;
  }
}

function paint(
  name: string,
  numberBytes: number,
  code: PixelCode,
  data: Uint8Array,
  to: Framebuffer,
  rect: Rect,
  mostPixels: number,
): number {
  const isWide = numberBytes === 2;
  let left = mostPixels;
  for (let p = 0; p < data.length; ) {
    const colour = code.word(data, p);
    p += code.sizeBytes;
    const x = isWide ? (data[p]! << 8) | data[p + 1]! : data[p]!;
    const y = isWide ? (data[p + 2]! << 8) | data[p + 3]! : data[p + 1]!;
    const width = isWide ? (data[p + 4]! << 8) | data[p + 5]! : data[p + 2]!;
    const height = isWide ? (data[p + 6]! << 8) | data[p + 7]! : data[p + 3]!;
    p += PLACE_NUMBERS * numberBytes;
    if (x + width > rect.width || y + height > rect.height) {
      throw badData(
        `${name} subrectangle ${x},${y} of ${width}x${height}, expected inside ${rect.width}x${rect.height}`,
      );
    }
    left -= width * height;
    if (left < 0) throw badData(`${name} subrectangles overlap, expected a partition of the rectangle`);
    to.fill({ x: rect.x + x, y: rect.y + y, width, height }, colour);
  }
  return left;
}

function decode(from: ByteQueue, to: Framebuffer, rect: Rect, state: DecoderState): Parser<void> {
  return decodeSubrects("rre", 2, from, to, rect, state);
}

function encode(to: ByteWriter, pixels: Pixels, rect: Rect, state: EncoderState): void {
  if (!isEmptyRect(rect)) encodeSubrects(to, pixels, rect, state);
}

/** RRE, RFC 6143 section 7.7.3: subrectangles of one colour each on a background. */
export const rre: Encoding = { number: ENCODING.rre, name: "rre", decode, encode };
