import type { ByteQueue, Parser } from "../byte-queue.ts";
import type { Conversation } from "../rfb/client/conversation.ts";
import type { Dialect } from "../rfb/client/dialect.ts";
import type { Encoding } from "../rfb/encodings/encoding.ts";
import { encodingByNumber } from "../rfb/encodings/list.ts";
import { decodeTight, readTightLength, type TightKind } from "../rfb/encodings/tight-decode.ts";
import { ENCODING } from "../rfb/numbers.ts";
import { skipBytes } from "../skip-bytes.ts";
import { binaryClipboard } from "./clipboard.ts";
import { decodeKasmJpeg, decodeKasmQoi, decodeKasmWebp } from "./images.ts";
import { readKasmMessage } from "./messages.ts";
import { KASM_ENCODING, KASM_TIGHT } from "./numbers.ts";
import { kasmPointerEvent } from "./pointer.ts";

/** Those that mean the same in both; 8 and 17 do not. */
const ENCODINGS: readonly number[] = [
  ENCODING.copyRect,
  ENCODING.tight,
  ENCODING.zrle,
  ENCODING.hextile,
  ENCODING.rre,
  ENCODING.raw,
];

/**
 * KasmVNC 1.0 to 1.5. Nothing is asked for that changes the picture for others: its quality settings are the
 * server's, not the connection's. Keys go as keysyms, because it does not look at the scancodes of QEMU's key event.
 */
export function kasmvnc(): Dialect {
  return {
    name: "KasmVNC",
    encodings: ENCODINGS,
    pseudoEncodings: [
      ENCODING.desktopSize,
      ENCODING.lastRect,
      ENCODING.extendedDesktopSize,
      ENCODING.vmwareCursor,
      ENCODING.cursorWithAlpha,
      ENCODING.cursor,
      ENCODING.vmwarePointerPosition,
      ENCODING.desktopName,
      ENCODING.qemuLeds,
      ENCODING.fence,
      ENCODING.continuousUpdates,
      KASM_ENCODING.disconnectNotice,
    ],
    decoders: decodersOf,
    readMessage: readKasmMessage,
    pointer: (_c, x, y, buttons, scroll) => kasmPointerEvent(x, y, buttons, scroll),
    offerClipboard: (c, text) => c.send(binaryClipboard(text)),
  };
}

/**
 * A watermark, Tight kind 0xD: compact length, tint, a zlib stream. Viewers draw it over the picture, and it is no part
 * of it.
 */
function* skipWatermark(from: ByteQueue): Parser<void> {
  yield* skipBytes(from, yield* readTightLength(from));
}

function decodersOf(c: Conversation): (number: number) => Encoding | undefined {
  const kinds = new Map<number, TightKind>([
    [KASM_TIGHT.jpeg, decodeKasmJpeg],
    [KASM_TIGHT.webp, (from, to, rect) => decodeKasmWebp(c, from, to, rect)],
    [KASM_TIGHT.qoi, decodeKasmQoi],
    [KASM_TIGHT.watermark, skipWatermark],
  ]);
  const tight: Encoding = {
    number: ENCODING.tight,
    name: "tight",
    decode: (from, to, rect, state) => decodeTight(from, to, rect, state, kinds),
  };
  return (number) => {
    if (number === ENCODING.tight) return tight;
    return ENCODINGS.includes(number) ? encodingByNumber(number) : undefined;
  };
}
