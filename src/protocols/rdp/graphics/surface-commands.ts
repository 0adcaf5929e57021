import { intersectRects, rect } from "../../../framebuffer/rect.ts";
import type { ClientContext } from "../client-context.ts";
import { RdpError } from "../error.ts";
import type { LittleEndianReader } from "../little-endian-reader.ts";
import { LittleEndianWriter } from "../little-endian-writer.ts";
import { DATA } from "../numbers.ts";
import { sendShareData } from "../share.ts";
import { checkSize, paintUncompressed } from "./bitmap-update.ts";

const COMMAND = { setBits: 1, frameMarker: 4, streamBits: 6 } as const;
const FRAME_END = 1;
const HAS_EXTENDED_HEADER = 0x01;
const EXTENDED_HEADER_BYTES = 24;
const UNCOMPRESSED = 0;

/** Surface commands in a row, MS-RDPBCGR 2.2.9.2: U16 type and what it has. */
export function readSurfaceCommands(from: LittleEndianReader, c: ClientContext): void {
  while (from.left > 0) {
    const type = from.u16();
    if (type === COMMAND.frameMarker) readFrameMarker(from, c);
    else if (type === COMMAND.setBits || type === COMMAND.streamBits) readBits(from, c);
    else throw new RdpError("bad_data", "graphics", `got surface command ${type}, expected 1, 4 or 6`);
  }
}

/** Frame marker, MS-RDPBCGR 2.2.9.2.3: U16 begin or end, U32 frame. What lies between is one update. */
function readFrameMarker(from: LittleEndianReader, c: ClientContext): void {
  const isEnd = from.u16() === FRAME_END;
  const frame = from.u32();
  // One that never ended is over where the next begins.
  if (c.isInFrame && !isEnd && !c.damage.isEmpty) c.emit({ type: "update", painted: c.damage.take() });
  c.isInFrame = !isEnd;
  if (isEnd && c.features.hasFrameAcknowledge) {
    sendShareData(c, DATA.frameAcknowledge, new LittleEndianWriter(4).u32(frame).bytes());
  }
}

/**
 * Set or stream surface bits, MS-RDPBCGR 2.2.9.2.1: U16 left, top, right, bottom (not inclusive), then U8 bits a pixel,
 * flags, pad, codec, U16 width, height, U32 length, data. Rows come bottom up (weston 10, FreeRDP 2.11, 2026-11-21).
 */
function readBits(from: LittleEndianReader, c: ClientContext): void {
  const [left, top] = [from.u16(), from.u16()];
  from.skip(4);
  const bits = from.u8();
  const flags = from.u8();
  from.skip(1);
  const codec = from.u8();
  const width = from.u16();
  const height = from.u16();
  const length = from.u32();
  if (flags & HAS_EXTENDED_HEADER) from.skip(EXTENDED_HEADER_BYTES);
  const data = from.take(length);
  if (codec !== UNCOMPRESSED) {
    throw new RdpError(
      "unsupported",
      "graphics",
      `got surface bits of codec ${codec}, expected none: none was offered`,
    );
  }
  checkSize(width, height, c);
  const to = intersectRects(rect(left, top, width, height), c.framebuffer.rect);
  if (to.width === 0 || to.height === 0) return;
  paintUncompressed(data, bits, { to, x: left, y: top, width, height }, c);
  c.damage.paint(to);
}
