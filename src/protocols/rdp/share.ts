import type { ClientContext } from "./client-context.ts";
import { sendData } from "./connect/mcs.ts";
import { RdpError } from "./error.ts";
import { LittleEndianReader } from "./little-endian-reader.ts";
import { LittleEndianWriter } from "./little-endian-writer.ts";
import { SHARE } from "./numbers.ts";

const CONTROL_HEADER_BYTES = 6;
const VERSION = 0x10;
const LOW_PRIORITY = 1;
const COMPRESSED = 0x20;
/** Not a length but a flow message, MS-RDPBCGR 2.2.8.1.1.1.1 and T.128 section 8.5. */
const FLOW_MARKER = 0x8000;

/** What a share control header stands before. */
export interface ShareMessage {
  readonly type: number;
  readonly body: LittleEndianReader;
}

/** The messages of one MCS message, share control headers read: MS-RDPBCGR 2.2.8.1.1.1.1. */
export function* shareMessages(data: Uint8Array, c: ClientContext): Generator<ShareMessage, void, void> {
  const from = new LittleEndianReader(data, c.phase);
  while (from.left > 0) {
    const length = from.u16();
    if (length === FLOW_MARKER) {
      from.skip(Math.min(from.left, 6));
      continue;
    }
    // A deactivation of Windows may have no source.
    if (length < 4)
      throw new RdpError("bad_data", c.phase, `got a share message of ${length} bytes, expected 4 or more`);
    const body = from.part(length - 2);
    const type = body.u16() & 0x0f;
    if (body.left >= 2) body.skip(2);
    yield { type, body };
  }
}

/** A message of the session: which, and what is left of it. Share data header, MS-RDPBCGR 2.2.8.1.1.1.2. */
export function readDataHeader(body: LittleEndianReader, c: ClientContext): { readonly type: number } {
  body.skip(4 + 1 + 1 + 2); // share, pad, stream, length
  const type = body.u8();
  const compression = body.u8();
  body.skip(2);
  if (compression & COMPRESSED) {
    throw new RdpError(
      "bad_data",
      c.phase,
      "got compressed data, expected none: compression was not offered",
    );
  }
  return { type };
}

/** A message with a share control header. */
export function sendShare(c: ClientContext, type: number, body: Uint8Array): void {
  sendData(
    c,
    c.ioChannel,
    new LittleEndianWriter(CONTROL_HEADER_BYTES + body.length)
      .u16(CONTROL_HEADER_BYTES + body.length)
      .u16(VERSION | type)
      .u16(c.userId)
      .put(body)
      .bytes(),
  );
}

/** A message with a share data header; `type` is one of DATA. */
export function sendShareData(c: ClientContext, type: number, body: Uint8Array): void {
  sendShare(
    c,
    SHARE.data,
    new LittleEndianWriter(12 + body.length)
      .u32(c.shareId)
      .u8(0)
      .u8(LOW_PRIORITY)
      .u16(4 + body.length)
      .u8(type)
      .u8(0)
      .u16(0)
      .put(body)
      .bytes(),
  );
}
