import type { Parser } from "../byte-queue.ts";
import { ByteWriter } from "../byte-writer.ts";
import type { ClientContext } from "../rfb/client/client-context.ts";
import { RfbError, safeText } from "../rfb/error.ts";
import { decodeName } from "../rfb/latin1.ts";
import { skipBytes } from "../skip-bytes.ts";
import { readBinaryClipboard } from "./clipboard.ts";
import { KASM_CLIENT_MESSAGE, KASM_SERVER_MESSAGE, MAX_TEXT_BYTES } from "./numbers.ts";

/** A message of KasmVNC after its type; most come unasked. False where it is none. */
export function* readKasmMessage(c: ClientContext, type: number): Parser<boolean> {
  switch (type) {
    case KASM_SERVER_MESSAGE.requestFrameStats:
      c.send(frameStats());
      return true;
    case KASM_SERVER_MESSAGE.binaryClipboard:
      yield* readBinaryClipboard(c);
      return true;
    case KASM_SERVER_MESSAGE.userAdded:
    case KASM_SERVER_MESSAGE.userRemoved:
      yield* readText(c, "user name");
      return true;
    case KASM_SERVER_MESSAGE.disconnectNotice: {
      while (!c.from.has(4)) yield 4;
      const isGraceful = c.from.u8() !== 0;
      c.from.skip(3);
      c.emit({ type: "farewell", reason: yield* readText(c, "disconnect notice"), isGraceful });
      return true;
    }
    case KASM_SERVER_MESSAGE.stats:
      while (!c.from.has(3)) yield 3;
      c.from.skip(3);
      yield* readText(c, "statistics");
      return true;
    case KASM_SERVER_MESSAGE.upgradeToUdp:
      while (!c.from.has(2)) yield 2;
      yield* skipBytes(c.from, c.from.u16());
      return true;
    case KASM_SERVER_MESSAGE.subscribeUnixRelay:
      while (!c.from.has(2)) yield 2;
      c.from.skip(1);
      yield* skipBytes(c.from, c.from.u8());
      return true;
    case KASM_SERVER_MESSAGE.videoEncoders:
      yield* skipVideoEncoders(c);
      return true;
    case KASM_SERVER_MESSAGE.forceGameMode:
      return true;
    default:
      return false;
  }
}

/**
 * The answer to RequestFrameStats: pad 3, U32 milliseconds of a frame in all, U32 of drawing it. An owner's call of
 * the server's API waits for it; we draw nothing.
 */
function frameStats(): Uint8Array {
  return new ByteWriter(12).u8(KASM_CLIENT_MESSAGE.frameStats).pad(3).u32(0).u32(0).bytes();
}

/** U32 length, text. */
function* readText(c: ClientContext, what: string): Parser<string> {
  while (!c.from.has(4)) yield 4;
  const length = c.from.u32();
  if (length > MAX_TEXT_BYTES) {
    throw new RfbError(
      "too_large",
      "message",
      `got a ${what} of ${length} bytes, expected at most ${MAX_TEXT_BYTES}`,
    );
  }
  while (!c.from.has(length)) yield length;
  return safeText(decodeName(c.from.take(length)));
}

/** U8 encoders, of each S32 encoding, S32 least and S32 most quality, U8 presets, S32 each. */
function* skipVideoEncoders(c: ClientContext): Parser<void> {
  while (!c.from.has(1)) yield 1;
  const count = c.from.u8();
  for (let i = 0; i < count; i++) {
    while (!c.from.has(13)) yield 13;
    c.from.skip(12);
    yield* skipBytes(c.from, c.from.u8() * 4);
  }
}
