import { ACCEPTABLE_SIZES, isAcceptableSize } from "../../../framebuffer/framebuffer.ts";
import { holdsRect, type Rect, rect } from "../../../framebuffer/rect.ts";
import { equalScreens, type Screen } from "../../../framebuffer/screen.ts";
import type { Parser } from "../../byte-queue.ts";
import { RfbError, safeText } from "../error.ts";
import { decodeName } from "../latin1.ts";
import { ENCODING, LIMIT } from "../numbers.ts";
import { RESIZE_STATUS } from "../resize-status.ts";
import type { ClientContext, LockKeys } from "./client-context.ts";
import { cursorReader } from "./cursor.ts";
import type { Update } from "./update.ts";

/** A rectangle that holds no pixels, RFC 6143 section 7.8 and rfbproto. True after LastRect. */
export function* readPseudoRectangle(
  c: ClientContext,
  update: Update,
  r: Rect,
  number: number,
): Parser<boolean> {
  const readCursor = cursorReader(number);
  if (readCursor !== undefined) {
    const header = { width: r.width, height: r.height, hotspotX: r.x, hotspotY: r.y };
    update.after({ type: "cursor", cursor: yield* readCursor(c, header) });
    return false;
  }
  switch (number) {
    case ENCODING.lastRect:
      return true;
    case ENCODING.desktopSize:
      resize(c, update, r.width, r.height, [{ id: 0, rect: rect(0, 0, r.width, r.height), flags: 0 }]);
      return false;
    case ENCODING.extendedDesktopSize:
      yield* readExtendedDesktopSize(c, update, r);
      return false;
    case ENCODING.pointerPosition:
    case ENCODING.vmwarePointerPosition:
      update.after({ type: "pointer", x: r.x, y: r.y });
      return false;
    case ENCODING.vmwareCursorState:
      while (!c.from.has(2)) yield 2;
      c.from.skip(2); // flags of VMware's own viewers: visible, absolute, warp
      return false;
    case ENCODING.qemuLeds:
      while (!c.from.has(1)) yield 1;
      update.after({ type: "locks", locks: locksOf(c.from.u8()) });
      return false;
    case ENCODING.vmwareLeds:
      while (!c.from.has(4)) yield 4;
      update.after({ type: "locks", locks: locksOf(c.from.u32()) });
      return false;
    case ENCODING.desktopName:
      update.after({ type: "name", name: yield* readName(c) });
      return false;
    case ENCODING.qemuExtendedKey:
      c.features.hasQemuKeys = true;
      return false;
    case ENCODING.qemuAudio:
      c.features.hasSound = true;
      update.after({ type: "soundOffered" });
      return false;
    case ENCODING.qemuPointerMotion:
      c.features.isPointerRelative = r.x === 0;
      return false;
    case ENCODING.extendedMouseButtons:
      c.features.hasExtendedMouseButtons = true;
      return false;
    default:
      throw new RfbError(
        "unsolicited_encoding",
        "rectangle",
        `got a rectangle in encoding ${number}, which was not asked for`,
      );
  }
}

/** LED state, rfbproto: bit 0 scroll lock, 1 num lock, 2 caps lock. */
function locksOf(state: number): LockKeys {
  return { scrollLock: (state & 1) !== 0, numLock: (state & 2) !== 0, capsLock: (state & 4) !== 0 };
}

/** DesktopName, rfbproto: U32 length, name. */
function* readName(c: ClientContext): Parser<string> {
  while (!c.from.has(4)) yield 4;
  const length = c.from.u32();
  if (length > LIMIT.nameBytes) {
    throw new RfbError(
      "too_large",
      "rectangle",
      `got a name of ${length} bytes, expected at most ${LIMIT.nameBytes}`,
    );
  }
  while (!c.from.has(length)) yield length;
  return safeText(decodeName(c.from.take(length)));
}

/**
 * ExtendedDesktopSize, rfbproto: x is the reason (1: our request), y its status; U8 screens, pad 3, then of each
 * screen U32 id, U16 x, y, width, height, U32 flags. A status other than 0 changes nothing.
 */
function* readExtendedDesktopSize(c: ClientContext, update: Update, r: Rect): Parser<void> {
  while (!c.from.has(4)) yield 4;
  const count = c.from.u8();
  c.from.skip(3);
  const size = count * 16;
  while (!c.from.has(size)) yield size;
  c.features.hasExtendedDesktopSize = true;
  const screens: Screen[] = [];
  for (let i = 0; i < count; i++) {
    const id = c.from.u32();
    const bounds = rect(c.from.u16(), c.from.u16(), c.from.u16(), c.from.u16());
    screens.push({ id, rect: bounds, flags: c.from.u32() });
  }
  // What we asked for and was refused, or is still to be decided upon (forwarded by neatvnc), changes nothing.
  const isOurs = r.x === 1;
  if (isOurs && r.y !== RESIZE_STATUS.done) return;
  const whole = rect(0, 0, r.width, r.height);
  const usable = screens.filter(
    (screen) => holdsRect(whole, screen.rect) && screen.rect.width > 0 && screen.rect.height > 0,
  );
  resize(c, update, r.width, r.height, usable.length > 0 ? usable : [{ id: 0, rect: whole, flags: 0 }]);
}

function resize(
  c: ClientContext,
  update: Update,
  width: number,
  height: number,
  screens: readonly Screen[],
): void {
  if (!isAcceptableSize({ width, height })) {
    throw new RfbError(
      "bad_size",
      "rectangle",
      `got a new size of ${width}x${height}, expected ${ACCEPTABLE_SIZES}`,
    );
  }
  // TigerVNC repeats its layout in the answer to every non-incremental request.
  const isSame = width === c.framebuffer.width && height === c.framebuffer.height;
  if (isSame && equalScreens(screens, c.screens)) return;
  if (!isSame) {
    c.admitResize();
    c.framebuffer.resize(width, height);
    if (update.isFirst) c.missing.expect(c.framebuffer);
  }
  c.screens = screens;
  update.hasResized = true;
}
