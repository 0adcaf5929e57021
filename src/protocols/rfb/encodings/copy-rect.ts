import type { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import type { CopyMove } from "../../../framebuffer/picture.ts";
import { holdsRect, type Rect, rectOfSize, type Size } from "../../../framebuffer/rect.ts";
import type { ByteQueue, Parser } from "../../byte-queue.ts";
import { ENCODING } from "../numbers.ts";
import { badData } from "./bad-data.ts";
import type { Encoding } from "./encoding.ts";

/**
 * Reads where a rectangle's pixels come from; `size` is the picture's. Throws RfbError `bad_data` for a source
 * outside it. RFC 6143 section 7.7.2:
 *
 *     U16 src-x-position, U16 src-y-position
 */
export function* readCopyMove(from: ByteQueue, size: Size, to: Rect): Parser<CopyMove> {
  while (!from.has(4)) yield 4;
  const fromX = from.u16();
  const fromY = from.u16();
  if (!holdsRect(rectOfSize(size), { x: fromX, y: fromY, width: to.width, height: to.height })) {
    throw badData(
      `copyrect from ${fromX},${fromY} of ${to.width}x${to.height} pixels, expected inside ${size.width}x${size.height}`,
    );
  }
  return { fromX, fromY, to };
}

function* decode(from: ByteQueue, to: Framebuffer, rect: Rect): Parser<void> {
  const move = yield* readCopyMove(from, to, rect);
  to.copy(move.fromX, move.fromY, move.to);
}

/** CopyRect, RFC 6143 section 7.7.2. Encoded by whoever knows the move, so there is no `encode`. */
export const copyRect: Encoding = { number: ENCODING.copyRect, name: "copyrect", decode };
