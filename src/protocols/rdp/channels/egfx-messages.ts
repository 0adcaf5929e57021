import type { Point, Rect } from "../../../framebuffer/rect.ts";
import { badData } from "../codecs/bad-data.ts";
import type { LittleEndianReader } from "../little-endian-reader.ts";
import { LittleEndianWriter } from "../little-endian-writer.ts";

/** Commands of the graphics channel, MS-RDPEGFX 2.2.1.5. */
export const COMMAND = {
  wireToSurface1: 0x01,
  wireToSurface2: 0x02,
  deleteEncodingContext: 0x03,
  solidFill: 0x04,
  surfaceToSurface: 0x05,
  surfaceToCache: 0x06,
  cacheToSurface: 0x07,
  evictCacheEntry: 0x08,
  createSurface: 0x09,
  deleteSurface: 0x0a,
  startFrame: 0x0b,
  endFrame: 0x0c,
  frameAcknowledge: 0x0d,
  resetGraphics: 0x0e,
  mapSurfaceToOutput: 0x0f,
  cacheImportReply: 0x11,
  capabilitiesAdvertise: 0x12,
  capabilitiesConfirm: 0x13,
  mapSurfaceToWindow: 0x15,
  mapSurfaceToScaledOutput: 0x17,
  mapSurfaceToScaledWindow: 0x18,
} as const;

/** How bitmap data is encoded, MS-RDPEGFX 2.2.2.1 and 2.2.2.2. */
export const CODEC = {
  uncompressed: 0x00,
  remoteFx: 0x03,
  clear: 0x08,
  progressive: 0x09,
  planar: 0x0a,
  alpha: 0x0c,
} as const;

const HEADER_BYTES = 8;
const POINT_BYTES = 4;
const RECT_BYTES = 8;

/** RDPGFX_HEADER, 2.2.1.5: cmdId (2), flags (2), pduLength (4) with itself; then the body alone. */
export function readMessage(from: LittleEndianReader): {
  readonly command: number;
  readonly body: LittleEndianReader;
} {
  const command = from.u16();
  from.skip(2 /* flags */);
  const length = from.u32();
  if (length < HEADER_BYTES)
    throw badData(`a graphics message of ${length} bytes, expected ${HEADER_BYTES} or more`);
  return { command, body: from.part(length - HEADER_BYTES) };
}

/** A message of ours: the header, then the body. */
function writeMessage(command: number, body: Uint8Array): Uint8Array {
  return new LittleEndianWriter(HEADER_BYTES + body.length)
    .u16(command)
    .u16(0)
    .u32(HEADER_BYTES + body.length)
    .put(body)
    .bytes();
}

/** RDPGFX_RECT16, 2.2.1.2: left, top, right, bottom, the last two outside. */
export function readRect(from: LittleEndianReader): Rect {
  const left = from.u16();
  const top = from.u16();
  const right = from.u16();
  const bottom = from.u16();
  if (right < left || bottom < top) {
    throw badData(`a rectangle from ${left},${top} to ${right},${bottom}, expected its corners in order`);
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** A count (2), then that many rectangles. */
export function readRects(from: LittleEndianReader): Rect[] {
  const count = from.u16();
  checkRoom(from, count * RECT_BYTES);
  return Array.from({ length: count }, () => readRect(from));
}

/** A count (2), then that many RDPGFX_POINT16, 2.2.1.1. */
export function readPoints(from: LittleEndianReader): Point[] {
  const count = from.u16();
  checkRoom(from, count * POINT_BYTES);
  return Array.from({ length: count }, () => ({ x: from.i16(), y: from.i16() }));
}

function checkRoom(from: LittleEndianReader, bytes: number): void {
  if (from.left < bytes)
    throw badData(`a list of ${bytes} bytes where ${from.left} are left, expected no more`);
}

/** RDPGFX_FRAME_ACKNOWLEDGE_PDU, 2.2.2.13; a queue depth of 0 says nothing about it. */
export function frameAcknowledge(frameId: number, framesDecoded: number): Uint8Array {
  const body = new LittleEndianWriter(12).u32(0 /* queueDepth */).u32(frameId).u32(framesDecoded).bytes();
  return writeMessage(COMMAND.frameAcknowledge, body);
}

/** RDPGFX_CAPSET_VERSION8, 81 and 10, 2.2.3. */
const CAPABILITIES = [
  /** RDPGFX_CAPS_FLAG_SMALL_CACHE; without AVC420_ENABLED there is no H.264 in 8.1. */
  { version: 0x0008_0004, flags: 0x02 },
  { version: 0x0008_0105, flags: 0x02 },
  /** SMALL_CACHE and AVC_DISABLED. */
  { version: 0x000a_0002, flags: 0x22 },
] as const;

/** RDPGFX_CAPS_ADVERTISE_PDU, 2.2.2.18: no H.264, and a cache of 16 MB instead of 100. */
export function capabilitiesAdvertise(): Uint8Array {
  const body = new LittleEndianWriter().u16(CAPABILITIES.length);
  for (const { version, flags } of CAPABILITIES)
    body.u32(version).u32(4 /* length of the flags */).u32(flags);
  return writeMessage(COMMAND.capabilitiesAdvertise, body.bytes());
}
