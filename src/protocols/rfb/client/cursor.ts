import type { Size } from "../../../framebuffer/rect.ts";
import type { Parser } from "../../byte-queue.ts";
import { encodingByNumber } from "../encodings/list.ts";
import { RfbError } from "../error.ts";
import { LIMIT } from "../numbers.ts";
import type { Cursor } from "../screen.ts";
import type { Conversation } from "./conversation.ts";

interface CursorHeader extends Size {
  readonly hotspotX: number;
  readonly hotspotY: number;
}

/** Cursor, RFC 6143 section 7.8.1: pixels in our format, then a mask of 1 bit a pixel, rows padded to bytes. */
export function* readCursor(c: Conversation, header: CursorHeader): Parser<Cursor | null> {
  checkSize(header);
  const { width, height } = header;
  const maskStride = (width + 7) >> 3;
  const size = width * height * 4 + maskStride * height;
  while (!c.from.has(size)) yield size;
  if (size === 0) return null;
  const rgba = c.from.take(width * height * 4).slice();
  const mask = c.from.take(maskStride * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const isSet = ((mask[y * maskStride + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) !== 0;
      rgba[(y * width + x) * 4 + 3] = isSet ? 255 : 0;
    }
  }
  return cursorOf(header, rgba);
}

/**
 * CursorWithAlpha, rfbproto: S32 encoding, then that encoding's body of R, G, B, A with premultiplied alpha.
 * Only Raw is read: TigerVNC sends nothing else, and ours alone of all decoders would have to keep alpha.
 */
export function* readCursorWithAlpha(c: Conversation, header: CursorHeader): Parser<Cursor | null> {
  checkSize(header);
  while (!c.from.has(4)) yield 4;
  const encoding = c.from.i32();
  if (encoding !== 0) {
    const name = encodingByNumber(encoding)?.name ?? `number ${encoding}`;
    throw new RfbError("unsolicited_encoding", "rectangle", `got a cursor in encoding ${name}, expected Raw`);
  }
  const size = header.width * header.height * 4;
  while (!c.from.has(size)) yield size;
  if (size === 0) return null;
  const rgba = c.from.take(size).slice();
  for (let i = 0; i < rgba.length; i += 4) {
    const alpha = rgba[i + 3] ?? 0;
    if (alpha === 0 || alpha === 255) continue;
    for (let k = i; k < i + 3; k++) rgba[k] = Math.min(255, Math.round(((rgba[k] ?? 0) * 255) / alpha));
  }
  return cursorOf(header, rgba);
}

function checkSize({ width, height }: Size): void {
  if (width > LIMIT.cursorSide || height > LIMIT.cursorSide) {
    throw new RfbError(
      "too_large",
      "rectangle",
      `got a cursor of ${width}x${height}, expected at most ${LIMIT.cursorSide}x${LIMIT.cursorSide}`,
    );
  }
}

/** The hotspot is clamped into the picture. */
function cursorOf({ width, height, hotspotX, hotspotY }: CursorHeader, rgba: Uint8Array): Cursor {
  return {
    width,
    height,
    hotspotX: Math.min(hotspotX, width - 1),
    hotspotY: Math.min(hotspotY, height - 1),
    rgba,
  };
}
