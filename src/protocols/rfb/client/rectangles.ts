import { isAcceptableSize } from "../../../framebuffer/framebuffer.ts";
import { boundRects, EMPTY_RECT, equalRects, holdsRect, type Rect, rect } from "../../../framebuffer/rect.ts";
import { Region } from "../../../framebuffer/region.ts";
import type { Parser } from "../../byte-queue.ts";
import { encodingByNumber } from "../encodings/list.ts";
import { RfbError, safeText } from "../error.ts";
import { decodeName } from "../latin1.ts";
import { ENCODING, LIMIT } from "../numbers.ts";
import type { CopyMove, Screen } from "../screen.ts";
import type { Conversation, RfbClientEvent } from "./conversation.ts";
import { readCursor, readCursorWithAlpha } from "./cursor.ts";

const HEADER_BYTES = 12;

/** Beyond so many rectangles an update's damage is kept as their bounds. */
const MAX_DAMAGE_RECTS = 2048;

/** What one FramebufferUpdate did, told when it is whole. */
class Update {
  #painted: Rect[] = [];
  readonly copies: CopyMove[] = [];
  /** Events of pseudo-rectangles, held back until the update is over. */
  readonly after: RfbClientEvent[] = [];
  hasResized = false;

  paint(r: Rect): void {
    if (this.#painted.length === MAX_DAMAGE_RECTS) {
      this.#painted = [this.#painted.reduce(boundRects, EMPTY_RECT)];
    }
    this.#painted.push(r);
  }

  /** A move after pixels were painted may have moved those: it counts as painted itself. */
  copy(move: CopyMove): void {
    if (this.#painted.length === 0 && this.copies.length < MAX_DAMAGE_RECTS) this.copies.push(move);
    else this.paint(move.to);
  }

  get painted(): Region {
    return Region.from(this.#painted);
  }
}

/** FramebufferUpdate, RFC 6143 section 7.6.1: pad 1, U16 number of rectangles (0xffff: until LastRect), rectangles. */
export function* readFramebufferUpdate(c: Conversation): Parser<void> {
  while (!c.from.has(3)) yield 3;
  c.from.skip(1);
  const count = c.from.u16();
  const update = new Update();
  for (let i = 0; i < count || count === 0xffff; i++) {
    if (yield* readRectangle(c, update)) break;
  }
  if (update.hasResized) c.emit({ type: "resize", screens: c.screens });
  for (const event of update.after) c.emit(event);
  c.emit({ type: "update", painted: update.painted, copies: update.copies });
}

/** Header: U16 x, U16 y, U16 width, U16 height, S32 encoding. True after LastRect. */
function* readRectangle(c: Conversation, update: Update): Parser<boolean> {
  while (!c.from.has(HEADER_BYTES)) yield HEADER_BYTES;
  const r = rect(c.from.u16(), c.from.u16(), c.from.u16(), c.from.u16());
  const number = c.from.i32();
  const encoding = encodingByNumber(number);
  if (encoding === undefined) return yield* readPseudo(c, update, r, number);
  if (!holdsRect(c.framebuffer.rect, r)) {
    const { width, height } = c.framebuffer;
    throw new RfbError(
      "bad_rect",
      "rectangle",
      `got a ${encoding.name} rectangle ${r.width}x${r.height} at ${r.x},${r.y}, expected one within ${width}x${height}`,
    );
  }
  if (number === ENCODING.copyRect) {
    while (!c.from.has(4)) yield 4;
    const source = c.from.peek(4);
    const fromX = ((source[0] ?? 0) << 8) | (source[1] ?? 0);
    const fromY = ((source[2] ?? 0) << 8) | (source[3] ?? 0);
    yield* encoding.decode(c.from, c.framebuffer, r, c.decoders);
    update.copy({ fromX, fromY, to: r });
    return false;
  }
  yield* encoding.decode(c.from, c.framebuffer, r, c.decoders);
  update.paint(r);
  return false;
}

function* readPseudo(c: Conversation, update: Update, r: Rect, number: number): Parser<boolean> {
  switch (number) {
    case ENCODING.lastRect:
      return true;
    case ENCODING.desktopSize:
      resize(c, update, r.width, r.height, [{ id: 0, rect: rect(0, 0, r.width, r.height), flags: 0 }]);
      return false;
    case ENCODING.extendedDesktopSize:
      yield* readExtendedDesktopSize(c, update, r);
      return false;
    case ENCODING.cursor: {
      const header = { width: r.width, height: r.height, hotspotX: r.x, hotspotY: r.y };
      update.after.push({ type: "cursor", cursor: yield* readCursor(c, header) });
      return false;
    }
    case ENCODING.cursorWithAlpha: {
      const header = { width: r.width, height: r.height, hotspotX: r.x, hotspotY: r.y };
      update.after.push({ type: "cursor", cursor: yield* readCursorWithAlpha(c, header) });
      return false;
    }
    case ENCODING.desktopName: {
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
      update.after.push({ type: "name", name: safeText(decodeName(c.from.take(length))) });
      return false;
    }
    case ENCODING.qemuExtendedKey:
      c.features.hasQemuKeys = true;
      return false;
    default:
      throw new RfbError(
        "unsolicited_encoding",
        "rectangle",
        `got a rectangle in encoding ${number}, which was not asked for`,
      );
  }
}

/**
 * ExtendedDesktopSize, rfbproto: x is the reason (1: our request), y its status; U8 screens, pad 3, then of each
 * screen U32 id, U16 x, y, width, height, U32 flags. A status other than 0 changes nothing.
 */
function* readExtendedDesktopSize(c: Conversation, update: Update, r: Rect): Parser<void> {
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
  const isOurs = r.x === 1;
  if (isOurs && r.y !== 0) return;
  const whole = rect(0, 0, r.width, r.height);
  const usable = screens.filter(
    (screen) => holdsRect(whole, screen.rect) && screen.rect.width > 0 && screen.rect.height > 0,
  );
  resize(c, update, r.width, r.height, usable.length > 0 ? usable : [{ id: 0, rect: whole, flags: 0 }]);
}

function resize(
  c: Conversation,
  update: Update,
  width: number,
  height: number,
  screens: readonly Screen[],
): void {
  if (!isAcceptableSize({ width, height })) {
    throw new RfbError(
      "bad_size",
      "rectangle",
      `got a new size of ${width}x${height}, expected 1x1 to 16384x16384`,
    );
  }
  // TigerVNC repeats its layout in the answer to every non-incremental request.
  const isSame = width === c.framebuffer.width && height === c.framebuffer.height;
  if (isSame && equalScreens(screens, c.screens)) return;
  if (!isSame) {
    c.admitResize();
    c.framebuffer.resize(width, height);
  }
  c.screens = screens;
  update.hasResized = true;
}

function equalScreens(a: readonly Screen[], b: readonly Screen[]): boolean {
  return (
    a.length === b.length &&
    a.every((screen, i) => {
      const other = b[i];
      return other !== undefined && screen.id === other.id && equalRects(screen.rect, other.rect);
    })
  );
}
