import { isAcceptableSize, MAX_AREA } from "../../../framebuffer/framebuffer.ts";
import { boundRects, EMPTY_RECT, type Rect, rect } from "../../../framebuffer/rect.ts";
import type { Screen } from "../../../framebuffer/screen.ts";
import type { ClientContext } from "../client-context.ts";
import { RdpError } from "../error.ts";
import type { LittleEndianReader } from "../little-endian-reader.ts";
import { LittleEndianWriter } from "../little-endian-writer.ts";
import { DATA, LIMIT, SHARE } from "../numbers.ts";
import { sendShare, sendShareData } from "../share.ts";
import { clientCapabilities, readCapabilities } from "./capabilities.ts";

/** The server's end of the conversation, MS-RDPBCGR 2.2.1.13.2.1 (originatorId). */
const ORIGINATOR = 0x03ea;
const SOURCE = "OVERLAY\0";
const CONTROL = { request: 1, cooperate: 4 } as const;
/** The only list of fonts there is: none, in one piece. MS-RDPBCGR 2.2.1.18.1. */
const FIRST_AND_LAST = 3;
const FONT_BYTES = 50;
/** What is expected of a desktop's size, for messages. */
const SIZES = `1x1 to ${LIMIT.side} pixels a side, and at most ${MAX_AREA} pixels in all`;

/**
 * Demand Active, MS-RDPBCGR 2.2.1.13.1: U32 share, U16 length of the source, U16 length of the capabilities, source,
 * capabilities. Answered by Confirm Active, Synchronise, Control and Font List. It comes again after each deactivation.
 */
export function readDemandActive(from: LittleEndianReader, c: ClientContext): void {
  c.shareId = from.u32();
  const sourceBytes = from.u16();
  from.skip(2);
  from.skip(sourceBytes);
  const { width, height } = readCapabilities(from, c);
  const isTooLarge = width > LIMIT.side || height > LIMIT.side;
  if (isTooLarge || !isAcceptableSize({ width, height })) {
    throw new RdpError("bad_size", c.phase, `got a desktop of ${width}x${height} pixels, expected ${SIZES}`);
  }
  resizeTo(width, height, c);
  confirm(c);
}

/** The desktop has this size from here on: one screen, or those that were asked for, until the host tells of others. */
function resizeTo(width: number, height: number, c: ClientContext): void {
  const { framebuffer } = c;
  if (framebuffer.width === width && framebuffer.height === height && c.screens.length > 0) return;
  c.admitResize();
  c.damage.take(); // of the old size
  framebuffer.resize(width, height);
  c.screens = screensOf(rect(0, 0, width, height), c);
  if (c.hasBeenActive) c.emit({ type: "resize", screens: c.screens });
}

/**
 * Those that were asked for where the host made a desktop of their bounds: xrdp 0.9.21 does, and tells of none. Of a
 * layout that is asked for later it makes one screen, as large as all of them (2026-11-21).
 */
function screensOf(desktop: Rect, { options, hasBeenActive }: ClientContext): readonly Screen[] {
  const requested = hasBeenActive ? [] : (options.monitors ?? []);
  const bounds = requested.reduce(boundRects, EMPTY_RECT);
  const isGranted = bounds.width === desktop.width && bounds.height === desktop.height;
  return (isGranted ? requested : [desktop]).map((each, id) => ({ id, rect: each, flags: 0 }));
}

function confirm(c: ClientContext): void {
  const { count, sets } = clientCapabilities(c);
  sendShare(
    c,
    SHARE.confirmActive,
    new LittleEndianWriter(sets.length + 32)
      .u32(c.shareId)
      .u16(ORIGINATOR)
      .u16(SOURCE.length)
      .u16(4 + sets.length)
      .ascii(SOURCE)
      .u16(count)
      .u16(0)
      .put(sets)
      .bytes(),
  );
  sendShareData(c, DATA.synchronise, new LittleEndianWriter(4).u16(1).u16(c.userId).bytes());
  sendShareData(c, DATA.control, new LittleEndianWriter(8).u16(CONTROL.cooperate).u16(0).u32(0).bytes());
  sendShareData(c, DATA.control, new LittleEndianWriter(8).u16(CONTROL.request).u16(0).u32(0).bytes());
  sendShareData(
    c,
    DATA.fontList,
    new LittleEndianWriter(8).u16(0).u16(0).u16(FIRST_AND_LAST).u16(FONT_BYTES).bytes(),
  );
}
