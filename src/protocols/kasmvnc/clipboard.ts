import type { Parser } from "../byte-queue.ts";
import { ByteWriter } from "../byte-writer.ts";
import type { ClientContext } from "../rfb/client/client-context.ts";
import { RfbError } from "../rfb/error.ts";
import { decodeLatin1 } from "../rfb/latin1.ts";
import { LIMIT } from "../rfb/numbers.ts";
import { skipBytes } from "../skip-bytes.ts";
import { KASM_CLIENT_MESSAGE } from "./numbers.ts";

/** An item longer than this ends the connection; pictures of a whole screen are shorter. */
const MAX_ITEM_BYTES = 64 * 1024 * 1024;

const TEXT = "text/plain";

/**
 * BinaryClipboard from the server, message 180: U8 items, of each U32 id, U8 length, MIME type, U32 length, data. It
 * comes unasked. Text is UTF-8; other types, and texts longer than LIMIT.cutTextBytes, are passed over.
 */
export function* readBinaryClipboard(c: ClientContext): Parser<void> {
  while (!c.from.has(1)) yield 1;
  const count = c.from.u8();
  let text: string | null = null;
  let isTooLong = false;
  for (let i = 0; i < count; i++) {
    while (!c.from.has(5)) yield 5;
    c.from.skip(4);
    const nameBytes = c.from.u8();
    while (!c.from.has(nameBytes + 4)) yield nameBytes + 4;
    const type = decodeLatin1(c.from.take(nameBytes));
    const size = c.from.u32();
    if (size > MAX_ITEM_BYTES) {
      throw new RfbError(
        "too_large",
        "message",
        `got a clipboard item of ${size} bytes, expected at most ${MAX_ITEM_BYTES}`,
      );
    }
    isTooLong ||= type === TEXT && size > LIMIT.cutTextBytes;
    if (type !== TEXT || size > LIMIT.cutTextBytes) {
      yield* skipBytes(c.from, size);
      continue;
    }
    while (!c.from.has(size)) yield size;
    text = new TextDecoder("utf-8").decode(c.from.take(size)).replace(/\0$/, "");
  }
  if (text !== null || isTooLong) c.emit({ type: "clipboard", text });
}

/**
 * BinaryClipboard to the server: U8 items, of each U8 length, MIME type, U32 length, data. Without a final NUL, which
 * programs would paste. An empty text is no item: the desktop's clipboard is then empty.
 */
export function binaryClipboard(text: string): Uint8Array {
  const utf8 = new TextEncoder().encode(text.replace(/\r\n?/g, "\n"));
  const message = new ByteWriter(16 + utf8.length).u8(KASM_CLIENT_MESSAGE.binaryClipboard);
  if (utf8.length === 0) return message.u8(0).bytes();
  return message.u8(1).u8(TEXT.length).ascii(TEXT).u32(utf8.length).put(utf8).bytes();
}
