import type { PixelFormat } from "../../../framebuffer/pixel-format.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { Screen } from "../../../framebuffer/screen.ts";
import { ByteWriter } from "../../byte-writer.ts";
import { CLIENT_MESSAGE } from "../numbers.ts";
import { putPixelFormat } from "../pixel-format.ts";

/** Request bit of a fence's flags; the low bits say what is to be held back (rfbproto "ClientFence"). */
export const FENCE_REQUEST = 0x80000000;
export const FENCE_BLOCK_BEFORE = 1;
export const FENCE_BLOCK_AFTER = 2;
export const FENCE_SYNC_NEXT = 4;

/** SetPixelFormat, RFC 6143 section 7.5.1. */
export function setPixelFormat(format: PixelFormat): Uint8Array {
  return putPixelFormat(new ByteWriter(20).u8(CLIENT_MESSAGE.setPixelFormat).pad(3), format).bytes();
}

/** SetEncodings, RFC 6143 section 7.5.2. */
export function setEncodings(numbers: readonly number[]): Uint8Array {
  const message = new ByteWriter(4 + numbers.length * 4)
    .u8(CLIENT_MESSAGE.setEncodings)
    .pad(1)
    .u16(numbers.length);
  for (const number of numbers) message.i32(number);
  return message.bytes();
}

/** FramebufferUpdateRequest, RFC 6143 section 7.5.3. */
export function framebufferUpdateRequest(r: Rect, isIncremental: boolean): Uint8Array {
  return new ByteWriter(10)
    .u8(CLIENT_MESSAGE.framebufferUpdateRequest)
    .u8(isIncremental ? 1 : 0)
    .u16(r.x)
    .u16(r.y)
    .u16(r.width)
    .u16(r.height)
    .bytes();
}

/** KeyEvent, RFC 6143 section 7.5.4. */
export function keyEvent(keysym: number, isDown: boolean): Uint8Array {
  return new ByteWriter(8)
    .u8(CLIENT_MESSAGE.keyEvent)
    .u8(isDown ? 1 : 0)
    .pad(2)
    .u32(keysym)
    .bytes();
}

/** QEMU Extended Key Event, rfbproto: sub-type 0, U16 down, U32 keysym, U32 XT scancode. */
export function qemuKeyEvent(keysym: number, isDown: boolean, scancode: number): Uint8Array {
  return new ByteWriter(12)
    .u8(CLIENT_MESSAGE.qemu)
    .u8(0)
    .u16(isDown ? 1 : 0)
    .u32(keysym)
    .u32(scancode)
    .bytes();
}

/**
 * PointerEvent with ExtendedMouseButtons, rfbproto: bit 7 of the mask says that a second byte holds buttons 8 (back)
 * and 9 (forward). Only for servers that have acknowledged it.
 */
export function extendedPointerEvent(x: number, y: number, buttons: number): Uint8Array {
  return new ByteWriter(7)
    .u8(CLIENT_MESSAGE.pointerEvent)
    .u8((buttons & 0x7f) | 0x80)
    .u16(x)
    .u16(y)
    .u8((buttons >> 7) & 0x03)
    .bytes();
}

/** PointerEvent, RFC 6143 section 7.5.5; only the low 8 bits of the mask fit. */
export function pointerEvent(x: number, y: number, buttons: number): Uint8Array {
  return new ByteWriter(6)
    .u8(CLIENT_MESSAGE.pointerEvent)
    .u8(buttons & 0xff)
    .u16(x)
    .u16(y)
    .bytes();
}

/** ClientCutText, RFC 6143 section 7.5.6. */
export function clientCutText(latin1: Uint8Array): Uint8Array {
  return new ByteWriter(8 + latin1.length)
    .u8(CLIENT_MESSAGE.clientCutText)
    .pad(3)
    .u32(latin1.length)
    .put(latin1)
    .bytes();
}

/** ClientCutText in its extended form, rfbproto: negative length, U32 flags, data. */
export function extendedCutText(flags: number, data: Uint8Array): Uint8Array {
  return new ByteWriter(12 + data.length)
    .u8(CLIENT_MESSAGE.clientCutText)
    .pad(3)
    .i32(-(4 + data.length))
    .u32(flags >>> 0)
    .put(data)
    .bytes();
}

/** EnableContinuousUpdates, rfbproto. */
export function enableContinuousUpdates(isEnabled: boolean, r: Rect): Uint8Array {
  return new ByteWriter(10)
    .u8(CLIENT_MESSAGE.enableContinuousUpdates)
    .u8(isEnabled ? 1 : 0)
    .u16(r.x)
    .u16(r.y)
    .u16(r.width)
    .u16(r.height)
    .bytes();
}

/** ClientFence, rfbproto: pad 3, U32 flags, U8 length, payload of at most 64 bytes. */
export function clientFence(flags: number, payload: Uint8Array): Uint8Array {
  return new ByteWriter(9 + payload.length)
    .u8(CLIENT_MESSAGE.fence)
    .pad(3)
    .u32(flags >>> 0)
    .u8(payload.length)
    .put(payload)
    .bytes();
}

/** SetDesktopSize, rfbproto: pad 1, U16 width, U16 height, U8 screens, pad 1, screens of 16 bytes. */
export function setDesktopSize(width: number, height: number, screens: readonly Screen[]): Uint8Array {
  const message = new ByteWriter(8 + screens.length * 16)
    .u8(CLIENT_MESSAGE.setDesktopSize)
    .pad(1)
    .u16(width)
    .u16(height)
    .u8(screens.length)
    .pad(1);
  for (const { id, rect, flags } of screens) {
    message.u32(id).u16(rect.x).u16(rect.y).u16(rect.width).u16(rect.height).u32(flags);
  }
  return message.bytes();
}
