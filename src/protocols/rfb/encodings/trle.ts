import type { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import { isEmptyRect, type Rect } from "../../../framebuffer/rect.ts";
import type { ByteQueue, Parser } from "../../byte-queue.ts";
import { ENCODING } from "../numbers.ts";
import type { DecoderState, Encoding } from "./encoding.ts";
import { type Tile, TilePainter } from "./zrle-tile.ts";

/** A side of a full tile, RFC 6143 section 7.7.5. */
const TRLE_SIDE = 16;

/**
 * RFC 6143 section 7.7.5: tiles of 16x16 as they are, without zlib. How long a tile is shows only on reading it, so
 * one that has not arrived whole is painted again when more of it is there.
 */
function* decode(from: ByteQueue, to: Framebuffer, rect: Rect, state: DecoderState): Parser<void> {
  if (isEmptyRect(rect)) return;
  const painter = new TilePainter("trle", state.pixels.compact, true);
  const tile: Tile = { origin: 0, stride: to.width, width: 0, height: 0 };
  const right = rect.x + rect.width;
  const bottom = rect.y + rect.height;
  let x = rect.x;
  let y = rect.y;
  while (y < bottom) {
    const bytes = from.peek(from.size);
    let p = 0;
    while (y < bottom) {
      tile.width = Math.min(TRLE_SIDE, right - x);
      tile.height = Math.min(TRLE_SIDE, bottom - y);
      tile.origin = y * to.width + x;
      const next = painter.paint(bytes, p, bytes.length, to.words, tile);
      if (next < 0) break;
      p = next;
      x += TRLE_SIDE;
      if (x >= right) {
        x = rect.x;
        y += TRLE_SIDE;
      }
    }
    from.skip(p);
    if (y < bottom) yield from.size + 1;
  }
}

/** TRLE, RFC 6143 section 7.7.5; only decoded, since ZRLE is better at the same price. */
export const trle: Encoding = { number: ENCODING.trle, name: "trle", decode };
