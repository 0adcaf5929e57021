import type { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import { isEmptyRect, type Rect } from "../../../framebuffer/rect.ts";
import type { ByteQueue, Parser } from "../../byte-queue.ts";
import { badData } from "./bad-data.ts";
import type { DecoderState } from "./encoding.ts";
import { Inflated } from "./inflated.ts";
import { mostTileBytes, TILE, type Tile, TilePainter } from "./zrle-tile.ts";

/** A side of a full tile, RFC 6143 section 7.7.6. */
export const ZRLE_SIDE = 64;

/** What ZYWRLE does to the words of a tile. */
export type Synthesize = (words: Uint32Array, tile: Tile) => void;

/**
 * RFC 6143 section 7.7.6: U32 length, then zlib data of the connection's one stream, tiles of 64x64. With `synthesize`
 * a tile of subencoding raw is another tile instead, to be synthesized once it is painted (ZYWRLE).
 */
export function* decodeZrle(
  from: ByteQueue,
  to: Framebuffer,
  rect: Rect,
  state: DecoderState,
  synthesize: Synthesize | null = null,
): Parser<void> {
  while (!from.has(4)) yield 4;
  const length = from.u32();
  const code = state.pixels.compact;
  const columns = Math.ceil(rect.width / ZRLE_SIDE);
  const rows = Math.ceil(rect.height / ZRLE_SIDE);
  const mostBytes =
    columns * rows * (1 + mostTileBytes(0, code.sizeBytes)) +
    mostTileBytes(rect.width * rect.height, code.sizeBytes);
  const mostTile = 1 + mostTileBytes(ZRLE_SIDE * ZRLE_SIDE, code.sizeBytes);
  const body = new Inflated("zrle", from, state.stream("zrle"), state, length, mostBytes, mostTile);
  const painter = new TilePainter("zrle", code, false);
  const tile: Tile = { origin: 0, stride: to.width, width: 0, height: 0 };
  const right = rect.x + rect.width;
  const bottom = rect.y + rect.height;
  if (!isEmptyRect(rect)) {
    for (let y = rect.y; y < bottom; y += ZRLE_SIDE) {
      tile.height = Math.min(ZRLE_SIDE, bottom - y);
      for (let x = rect.x; x < right; x += ZRLE_SIDE) {
        tile.width = Math.min(ZRLE_SIDE, right - x);
        tile.origin = y * to.width + x;
        while (!body.fill(mostTile)) yield 1;
        const isOuter = synthesize !== null && body.start < body.end && body.bytes[body.start] === TILE.raw;
        if (isOuter) body.start++;
        const next = painter.paint(body.bytes, body.start, body.end, to.words, tile);
        if (next < 0) throw badData("zrle data ends before the last pixel of the rectangle");
        body.start = next;
        if (isOuter) synthesize(to.words, tile);
      }
    }
  }
  while (!body.fill(1)) yield 1;
  body.checkUsedUp();
}
