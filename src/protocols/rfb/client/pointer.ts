import { ByteWriter } from "../../byte-writer.ts";
import type { ClientContext, Scroll } from "./client-context.ts";
import { extendedPointerEvent, pointerEvent } from "./requests.ts";

export const NO_SCROLL: Scroll = Object.freeze({ x: 0, y: 0 });

/** Bits of the button mask that turn the wheel by one notch, RFC 6143 section 7.5.5. */
const WHEEL = { up: 1 << 3, down: 1 << 4, left: 1 << 5, right: 1 << 6 } as const;

/** The middle of what a relative pointer can be moved by, rfbproto "QEMU Pointer Motion Change". */
const RELATIVE_ZERO = 0x7fff;

/** What 7 bits of buttons hold; 8 and 9 need ExtendedMouseButtons. */
const PLAIN_BUTTONS = 0x7f;

/** Plain RFB: the wheel is a button that is pressed and let go for each notch. */
export function plainPointer(
  c: ClientContext,
  x: number,
  y: number,
  buttons: number,
  scroll: Scroll,
): Uint8Array {
  const messages = new ByteWriter(8).put(moved(c, x, y, buttons));
  for (const [notches, less, more] of [
    [scroll.x, WHEEL.left, WHEEL.right],
    [scroll.y, WHEEL.up, WHEEL.down],
  ] as const) {
    const bit = notches < 0 ? less : more;
    for (let i = 0; i < Math.round(Math.abs(notches)); i++) {
      messages.put(moved(c, x, y, buttons | bit)).put(moved(c, x, y, buttons));
    }
  }
  return messages.bytes();
}

function moved(c: ClientContext, x: number, y: number, buttons: number): Uint8Array {
  const from = c.pointerAt ?? { x, y };
  c.pointerAt = { x, y };
  const atX = c.features.isPointerRelative ? relative(x - from.x) : x;
  const atY = c.features.isPointerRelative ? relative(y - from.y) : y;
  const isExtended = c.features.hasExtendedMouseButtons && (buttons & ~PLAIN_BUTTONS) !== 0;
  return isExtended ? extendedPointerEvent(atX, atY, buttons) : pointerEvent(atX, atY, buttons);
}

function relative(distance: number): number {
  return Math.min(0xffff, Math.max(0, RELATIVE_ZERO + distance));
}
