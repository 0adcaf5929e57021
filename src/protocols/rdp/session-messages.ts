import { boundRects, EMPTY_RECT, type Rect } from "../../framebuffer/rect.ts";
import type { Parser } from "../byte-queue.ts";
import type { ClientContext } from "./client-context.ts";
import { readDemandActive } from "./connect/activation.ts";
import { disconnectReasonOf } from "./connect/error-info.ts";
import { readChannelData } from "./connect/mcs.ts";
import { redirected } from "./connect/sign-in.ts";
import { RdpError } from "./error.ts";
import { readBitmaps } from "./graphics/bitmap-update.ts";
import { FastPath } from "./graphics/fast-path.ts";
import { readFrame } from "./graphics/frames.ts";
import { readPalette } from "./graphics/palette.ts";
import type { LittleEndianReader } from "./little-endian-reader.ts";
import { DATA, LIMIT, SHARE } from "./numbers.ts";
import { readPointerMessage } from "./pointer/pointer-update.ts";
import { readDataHeader, shareMessages } from "./share.ts";

/** Types of a slow-path update, MS-RDPBCGR 2.2.9.1.1.3.1. */
const UPDATE = { orders: 0, bitmap: 1, palette: 2, synchronise: 3 } as const;

/** Everything the host says once somebody is let in, for ever. */
export function* readSession(c: ClientContext): Parser<never> {
  c.phase = "activation";
  const fastPath = new FastPath(c);
  for (;;) {
    const frame = yield* readFrame(c);
    if (frame.kind === "fast") {
      fastPath.receive(frame.body);
      continue;
    }
    const { channelId, data } = readChannelData(frame.body, c);
    if (channelId !== c.ioChannel) c.onChannel(channelId, data);
    else for (const { type, body } of shareMessages(data, c)) readShare(type, body, c);
  }
}

function readShare(type: number, body: LittleEndianReader, c: ClientContext): void {
  switch (type) {
    case SHARE.demandActive:
      readDemandActive(body, c);
      break;
    case SHARE.deactivateAll:
      c.isActive = false;
      c.phase = "activation";
      break;
    case SHARE.redirection:
      throw redirected(c);
    case SHARE.data:
      readData(body, c);
      break;
    default:
      throw new RdpError("unknown_message", c.phase, `got share message ${type}, expected 1, 6, 7 or 10`);
  }
}

function readData(body: LittleEndianReader, c: ClientContext): void {
  const { type } = readDataHeader(body, c);
  switch (type) {
    case DATA.update:
      readUpdate(body, c);
      break;
    case DATA.pointer:
      readPointerMessage(body, c);
      break;
    case DATA.fontMap:
      activate(c);
      break;
    case DATA.setErrorInfo:
      c.farewell = disconnectReasonOf(body.u32()) ?? c.farewell;
      break;
    case DATA.playSound:
      c.emit({ type: "bell" });
      break;
    case DATA.setKeyboardIndicators:
      body.skip(2);
      c.onLocks(body.u16());
      break;
    case DATA.monitorLayout:
      readMonitorLayout(body, c);
      break;
    case DATA.saveSessionInfo:
      readSessionInfo(body, c);
      break;
    default: // control, synchronise, status and what later versions add: nothing follows from them
  }
}

/** Font Map, MS-RDPBCGR 2.2.1.22: the host is done, and pixels may come. */
function activate(c: ClientContext): void {
  if (c.screens.length === 0) {
    throw new RdpError("bad_data", c.phase, "got a font map before the session was described");
  }
  c.isActive = true;
  c.phase = "session";
  c.onActive();
  if (c.hasBeenActive) return;
  c.hasBeenActive = true;
  c.emit({ type: "ready", screens: c.screens });
}

function readUpdate(body: LittleEndianReader, c: ClientContext): void {
  const type = body.u16();
  switch (type) {
    case UPDATE.bitmap:
      readBitmaps(body, c);
      break;
    case UPDATE.palette:
      readPalette(body, c);
      break;
    case UPDATE.synchronise:
      break;
    default:
      throw new RdpError("unsupported", "graphics", `got update type ${type}, expected bitmaps or a palette`);
  }
}

/** Types of Save Session Info, MS-RDPBCGR 2.2.10.1: 0 to 2 say that somebody is signed in. */
const SIGNED_IN_TYPES = 3;

function readSessionInfo(body: LittleEndianReader, c: ClientContext): void {
  if (body.u32() < SIGNED_IN_TYPES) c.emit({ type: "signedIn" });
}

/** Monitor Layout, MS-RDPBCGR 2.2.12.1: U32 count; each I32 left, top, right, bottom (inclusive), U32 flags. */
function readMonitorLayout(body: LittleEndianReader, c: ClientContext): void {
  const count = body.u32();
  if (count > LIMIT.monitors) {
    throw new RdpError("too_large", c.phase, `got ${count} monitors, expected at most ${LIMIT.monitors}`);
  }
  const monitors: Rect[] = [];
  for (let i = 0; i < count; i++) {
    const [left, top, right, bottom] = [body.i32(), body.i32(), body.i32(), body.i32()];
    body.skip(4);
    monitors.push({ x: left, y: top, width: right - left + 1, height: bottom - top + 1 });
  }
  const bounds = monitors.reduce(boundRects, EMPTY_RECT);
  const { width, height } = c.framebuffer;
  // Around the primary one, which is at 0,0 on the wire and need not be leftmost.
  const isOfPicture = bounds.width === width && bounds.height === height;
  if (!isOfPicture || monitors.some((m) => m.width <= 0 || m.height <= 0)) return;
  c.screens = monitors.map((m, id) => ({
    id,
    rect: { ...m, x: m.x - bounds.x, y: m.y - bounds.y },
    flags: 0,
  }));
  if (c.hasBeenActive) c.emit({ type: "resize", screens: c.screens });
}
