import type { Point, Rect } from "../../../../src/framebuffer/rect.ts";
import { LittleEndianWriter } from "../../../../src/protocols/rdp/little-endian-writer.ts";

/** Messages as a host sends them, MS-RDPEGFX 2.2.2. */
function message(command: number, body: LittleEndianWriter): Uint8Array {
  return new LittleEndianWriter()
    .u16(command)
    .u16(0)
    .u32(8 + body.length)
    .put(body.bytes())
    .bytes();
}

function writer(): LittleEndianWriter {
  return new LittleEndianWriter();
}

function rect(to: LittleEndianWriter, { x, y, width, height }: Rect): LittleEndianWriter {
  return to
    .u16(x)
    .u16(y)
    .u16(x + width)
    .u16(y + height);
}

function points(to: LittleEndianWriter, places: readonly Point[]): LittleEndianWriter {
  to.u16(places.length);
  for (const { x, y } of places) to.i16(x).i16(y);
  return to;
}

export function resetGraphics(width: number, height: number): Uint8Array {
  return message(0x0e, writer().u32(width).u32(height).u32(0).pad(320));
}

export function createSurface(id: number, width: number, height: number): Uint8Array {
  return message(0x09, writer().u16(id).u16(width).u16(height).u8(0x20));
}

export function deleteSurface(id: number): Uint8Array {
  return message(0x0a, writer().u16(id));
}

export function mapToOutput(id: number, x: number, y: number): Uint8Array {
  return message(0x0f, writer().u16(id).u16(0).u32(x).u32(y));
}

export function startFrame(id: number): Uint8Array {
  return message(0x0b, writer().u32(0).u32(id));
}

export function endFrame(id: number): Uint8Array {
  return message(0x0c, writer().u32(id));
}

/** `colour` is 0xBBGGRR. */
export function solidFill(surface: number, colour: number, rects: readonly Rect[]): Uint8Array {
  const body = writer()
    .u16(surface)
    .u8((colour >> 16) & 255)
    .u8((colour >> 8) & 255)
    .u8(colour & 255)
    .u8(0);
  body.u16(rects.length);
  for (const each of rects) rect(body, each);
  return message(0x04, body);
}

export function surfaceToSurface(
  from: number,
  to: number,
  source: Rect,
  places: readonly Point[],
): Uint8Array {
  return message(0x05, points(rect(writer().u16(from).u16(to), source), places));
}

export function surfaceToCache(surface: number, slot: number, source: Rect): Uint8Array {
  return message(0x06, rect(writer().u16(surface).u32(1).u32(2).u16(slot), source));
}

export function cacheToSurface(slot: number, surface: number, places: readonly Point[]): Uint8Array {
  return message(0x07, points(writer().u16(slot).u16(surface), places));
}

export function evictCacheEntry(slot: number): Uint8Array {
  return message(0x08, writer().u16(slot));
}

export function wireToSurface1(surface: number, codec: number, at: Rect, data: Uint8Array): Uint8Array {
  return message(0x01, rect(writer().u16(surface).u16(codec).u8(0x20), at).u32(data.length).put(data));
}

export function wireToSurface2(
  surface: number,
  codec: number,
  context: number,
  data: Uint8Array,
): Uint8Array {
  return message(0x02, writer().u16(surface).u16(codec).u32(context).u8(0x20).u32(data.length).put(data));
}

export function deleteEncodingContext(surface: number, context: number): Uint8Array {
  return message(0x03, writer().u16(surface).u32(context));
}

export function anyMessage(command: number, body: Uint8Array): Uint8Array {
  return message(command, writer().put(body));
}
