import type { PixelFormat } from "../../../framebuffer/pixel-format.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { Screen } from "../../../framebuffer/screen.ts";
import type { ByteQueue, Parser } from "../../byte-queue.ts";
import { RfbError } from "../error.ts";
import { CLIENT_MESSAGE, LIMIT } from "../numbers.ts";
import { checkFormat, PIXEL_FORMAT_BYTES, takePixelFormat } from "../pixel-format.ts";

/** What a viewer sends after its handshake, as it lies on the wire: nothing is clamped yet. */
export type ViewerMessage =
  | { readonly type: "setPixelFormat"; readonly format: PixelFormat }
  | { readonly type: "setEncodings"; readonly numbers: readonly number[] }
  | { readonly type: "updateRequest"; readonly rect: Rect; readonly isIncremental: boolean }
  | {
      readonly type: "key";
      readonly keysym: number;
      readonly isDown: boolean;
      readonly scancode: number | null;
    }
  | { readonly type: "pointer"; readonly x: number; readonly y: number; readonly buttons: number }
  | { readonly type: "continuousUpdates"; readonly isEnabled: boolean; readonly rect: Rect }
  | { readonly type: "fence"; readonly flags: number; readonly payload: Uint8Array }
  | {
      readonly type: "setDesktopSize";
      readonly width: number;
      readonly height: number;
      readonly screens: readonly Screen[];
    };

/** Reads the rest of a message whose type byte was read. ClientCutText is the clipboard's own. */
export function* readViewerMessage(
  type: number,
  from: ByteQueue,
  hasExtendedButtons: boolean,
): Parser<ViewerMessage> {
  switch (type) {
    case CLIENT_MESSAGE.setPixelFormat:
      return yield* readSetPixelFormat(from);
    case CLIENT_MESSAGE.setEncodings:
      return yield* readSetEncodings(from);
    case CLIENT_MESSAGE.framebufferUpdateRequest:
      return yield* readUpdateRequest(from);
    case CLIENT_MESSAGE.keyEvent:
      return yield* readKeyEvent(from);
    case CLIENT_MESSAGE.pointerEvent:
      return yield* readPointerEvent(from, hasExtendedButtons);
    case CLIENT_MESSAGE.enableContinuousUpdates:
      return yield* readContinuousUpdates(from);
    case CLIENT_MESSAGE.fence:
      return yield* readFence(from);
    case CLIENT_MESSAGE.setDesktopSize:
      return yield* readSetDesktopSize(from);
    case CLIENT_MESSAGE.qemu:
      return yield* readQemu(from);
    default:
      throw new RfbError(
        "unknown_message",
        "message",
        `got message type ${type}, expected one that was offered`,
      );
  }
}

/** SetPixelFormat, RFC 6143 section 7.5.1: pad 3, 16 bytes pixel format. */
function* readSetPixelFormat(from: ByteQueue): Parser<ViewerMessage> {
  while (!from.has(3 + PIXEL_FORMAT_BYTES)) yield 3 + PIXEL_FORMAT_BYTES;
  from.skip(3);
  const format = takePixelFormat(from);
  checkFormat(format);
  return { type: "setPixelFormat", format };
}

/** SetEncodings, section 7.5.2: pad 1, U16 number of encodings, S32 each. */
function* readSetEncodings(from: ByteQueue): Parser<ViewerMessage> {
  while (!from.has(3)) yield 3;
  from.skip(1);
  const count = from.u16();
  if (count > LIMIT.encodings) {
    throw new RfbError("too_large", "message", `got ${count} encodings, expected at most ${LIMIT.encodings}`);
  }
  while (!from.has(count * 4)) yield count * 4;
  const numbers: number[] = [];
  for (let i = 0; i < count; i++) numbers.push(from.i32());
  return { type: "setEncodings", numbers };
}

/** FramebufferUpdateRequest, section 7.5.3: U8 incremental, U16 x, U16 y, U16 width, U16 height. */
function* readUpdateRequest(from: ByteQueue): Parser<ViewerMessage> {
  while (!from.has(9)) yield 9;
  const isIncremental = from.u8() !== 0;
  return { type: "updateRequest", isIncremental, rect: takeRect(from) };
}

/** KeyEvent, section 7.5.4: U8 down, pad 2, U32 keysym. */
function* readKeyEvent(from: ByteQueue): Parser<ViewerMessage> {
  while (!from.has(7)) yield 7;
  const isDown = from.u8() !== 0;
  from.skip(2);
  return { type: "key", isDown, keysym: from.u32(), scancode: null };
}

const EXTENDED_BUTTONS = 0x80;

/**
 * PointerEvent, section 7.5.5: U8 button mask, U16 x, U16 y. To a viewer whose ExtendedMouseButtons (rfbproto) was
 * acknowledged bit 7 says that U8 mask of buttons 8 and up follows.
 */
function* readPointerEvent(from: ByteQueue, hasExtendedButtons: boolean): Parser<ViewerMessage> {
  while (!from.has(5)) yield 5;
  const mask = from.u8();
  const x = from.u16();
  const y = from.u16();
  if (!hasExtendedButtons || (mask & EXTENDED_BUTTONS) === 0) return { type: "pointer", x, y, buttons: mask };
  while (!from.has(1)) yield 1;
  // Only buttons 8 and 9 are defined.
  return { type: "pointer", x, y, buttons: (mask & ~EXTENDED_BUTTONS) | ((from.u8() & 0b11) << 7) };
}

/** EnableContinuousUpdates, rfbproto: U8 enable, U16 x, U16 y, U16 width, U16 height. */
function* readContinuousUpdates(from: ByteQueue): Parser<ViewerMessage> {
  while (!from.has(9)) yield 9;
  const isEnabled = from.u8() !== 0;
  return { type: "continuousUpdates", isEnabled, rect: takeRect(from) };
}

/** ClientFence, rfbproto: pad 3, U32 flags, U8 length, payload. */
function* readFence(from: ByteQueue): Parser<ViewerMessage> {
  while (!from.has(8)) yield 8;
  from.skip(3);
  const flags = from.u32();
  const length = from.u8();
  if (length > LIMIT.fencePayloadBytes) {
    const most = `expected at most ${LIMIT.fencePayloadBytes}`;
    throw new RfbError("too_large", "message", `got a fence of ${length} bytes, ${most}`);
  }
  while (!from.has(length)) yield length;
  return { type: "fence", flags, payload: from.take(length) };
}

/**
 * SetDesktopSize, rfbproto: pad 1, U16 width, U16 height, U8 number of screens, pad 1; each screen U32 id, U16 x,
 * U16 y, U16 width, U16 height, U32 flags.
 */
function* readSetDesktopSize(from: ByteQueue): Parser<ViewerMessage> {
  while (!from.has(7)) yield 7;
  from.skip(1);
  const width = from.u16();
  const height = from.u16();
  const count = from.u8();
  from.skip(1);
  while (!from.has(count * 16)) yield count * 16;
  const screens: Screen[] = [];
  for (let i = 0; i < count; i++) screens.push({ id: from.u32(), rect: takeRect(from), flags: from.u32() });
  return { type: "setDesktopSize", width, height, screens };
}

const QEMU_EXTENDED_KEY = 0;

/** QEMU Extended Key Event, rfbproto: U8 subtype (0), U16 down, U32 keysym, U32 XT scancode. */
function* readQemu(from: ByteQueue): Parser<ViewerMessage> {
  while (!from.has(1)) yield 1;
  const subtype = from.u8();
  if (subtype !== QEMU_EXTENDED_KEY) {
    throw new RfbError(
      "unknown_message",
      "message",
      `got QEMU message ${subtype}, expected ${QEMU_EXTENDED_KEY}`,
    );
  }
  while (!from.has(10)) yield 10;
  return { type: "key", isDown: from.u16() !== 0, keysym: from.u32(), scancode: from.u32() };
}

function takeRect(from: ByteQueue): Rect {
  return { x: from.u16(), y: from.u16(), width: from.u16(), height: from.u16() };
}
