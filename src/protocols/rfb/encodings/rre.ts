import { BYTES_PER_PIXEL, type Framebuffer } from "../../../framebuffer/framebuffer.ts";
import { areaOfRect, type Rect } from "../../../framebuffer/rect.ts";
import type { ByteQueue, Parser } from "../../byte-queue.ts";
import { ENCODING } from "../numbers.ts";
import { badData } from "./bad-data.ts";
import type { Encoding } from "./encoding.ts";

const SUBRECT_BYTES = BYTES_PER_PIXEL /* pixel */ + 4 * 2; /* x, y, width, height */

/**
 * Subrectangles are a partition of the rectangle (RFC 6143 section 7.7.3), so together they are no larger than it.
 * A little more is let pass; without a limit, overlapping ones cost the square of what the peer sends.
 */
const OVERPAINT = 2;

/**
 * RFC 6143 section 7.7.3:
 *
 *     U32 number-of-subrectangles, PIXEL background, then for each
 *     PIXEL value, U16 x, U16 y, U16 width, U16 height
 */
function* decode(from: ByteQueue, to: Framebuffer, rect: Rect): Parser<void> {
  while (!from.has(4 + BYTES_PER_PIXEL)) yield 4 + BYTES_PER_PIXEL;
  let left = from.u32();
  const area = areaOfRect(rect);
  if (left > area) throw badData(`rre with ${left} subrectangles where the rectangle has ${area} pixels`);
  const [red = 0, green = 0, blue = 0] = from.take(BYTES_PER_PIXEL);
  to.fill(rect, red | (green << 8) | (blue << 16));
  let paintLeft = area * OVERPAINT;
  while (left > 0) {
    while (!from.has(SUBRECT_BYTES)) yield SUBRECT_BYTES;
    const count = Math.min(left, Math.floor(from.size / SUBRECT_BYTES));
    paintLeft = paint(from.take(count * SUBRECT_BYTES), to, rect, paintLeft);
    left -= count;
  }
}

function paint(data: Uint8Array, to: Framebuffer, rect: Rect, mostPixels: number): number {
  let left = mostPixels;
  for (let p = 0; p < data.length; p += SUBRECT_BYTES) {
    const x = (data[p + 4]! << 8) | data[p + 5]!;
    const y = (data[p + 6]! << 8) | data[p + 7]!;
    const width = (data[p + 8]! << 8) | data[p + 9]!;
    const height = (data[p + 10]! << 8) | data[p + 11]!;
    if (x + width > rect.width || y + height > rect.height) {
      throw badData(
        `rre subrectangle ${x},${y} of ${width}x${height}, expected inside ${rect.width}x${rect.height}`,
      );
    }
    left -= width * height;
    if (left < 0) throw badData("rre subrectangles overlap, expected a partition of the rectangle");
    const colour = data[p]! | (data[p + 1]! << 8) | (data[p + 2]! << 16);
    to.fill({ x: rect.x + x, y: rect.y + y, width, height }, colour);
  }
  return left;
}

/** RRE, RFC 6143 section 7.7.3; only decoded, since Hextile is better at the same price. */
export const rre: Encoding = { number: ENCODING.rre, name: "rre", decode };
