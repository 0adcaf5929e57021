import type { ByteQueue, Parser } from "../byte-queue.ts";
import { ByteWriter } from "../byte-writer.ts";
import type { ClientContext, Dialect, Scroll } from "../rfb/client/client-context.ts";
import type { Encoding } from "../rfb/encodings/encoding.ts";
import { encodingByNumber } from "../rfb/encodings/list.ts";
import { decodeTight, readTightLength, type TightKind } from "../rfb/encodings/tight-decode.ts";
import { ENCODING } from "../rfb/numbers.ts";
import { skipBytes } from "../skip-bytes.ts";
import { binaryClipboard } from "./clipboard.ts";
import { decodeKasmJpeg, decodeKasmQoi, decodeKasmWebp } from "./images.ts";
import { readKasmMessage } from "./messages.ts";
import { KASM_CLIENT_MESSAGE, KASM_ENCODING, KASM_TIGHT } from "./numbers.ts";

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

function decodersOf(c: ClientContext): (number: number) => Encoding | undefined {
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

/** Scroll units of one notch (KasmVNC 1.5.0, 2026-11-21); the server adds them up. */
const NOTCH = 50;

/**
 * PointerEvent of KasmVNC since 1.0.0, 11 bytes: U16 mask (bit n: X button n + 1, so 7 is back and 8 forward), U16 x,
 * U16 y, S16 scroll x, S16 scroll y (right and down positive).
 */
function kasmPointerEvent(x: number, y: number, buttons: number, scroll: Scroll): Uint8Array {
  return new ByteWriter(11)
    .u8(KASM_CLIENT_MESSAGE.pointerEvent)
    .u16(buttons & 0xffff)
    .u16(x)
    .u16(y)
    .i16(scrollUnits(scroll.x))
    .i16(scrollUnits(scroll.y))
    .bytes();
}

function scrollUnits(notches: number): number {
  return Math.max(-0x8000, Math.min(0x7fff, Math.round(notches * NOTCH)));
}
