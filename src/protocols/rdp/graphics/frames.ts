import type { Parser } from "../../byte-queue.ts";
import type { ClientContext } from "../client-context.ts";
import { RdpError } from "../error.ts";
import { LittleEndianReader } from "../little-endian-reader.ts";
import { LittleEndianWriter } from "../little-endian-writer.ts";

/** How a TPKT begins. */
export const TPKT_VERSION = 3;
const TPKT_HEADER_BYTES = 4;

/** X.224 types in their upper half byte, X.224 section 13. */
export const X224 = {
  connectionRequest: 0xe0,
  connectionConfirm: 0xd0,
  disconnectRequest: 0x80,
  data: 0xf0,
} as const;

export type Frame =
  /** `body` is what a TPKT holds: an X.224 message. */
  | { readonly kind: "slow"; readonly body: Uint8Array }
  /** `body` is a row of fast-path updates. */
  | { readonly kind: "fast"; readonly body: Uint8Array };

/**
 * The next frame, valid until the next push. TPKT (RFC 1006 section 6): U8 3, pad 1, U16 length, big-endian and of
 * the whole. Fast path (MS-RDPBCGR 2.2.9.1.2): U8 action and flags, length in 1 or 2 bytes and of the whole.
 */
export function* readFrame(c: ClientContext): Parser<Frame> {
  while (!c.from.has(2)) yield 2;
  const [first = 0, second = 0] = c.from.peek(2);
  if (first === TPKT_VERSION) {
    while (!c.from.has(TPKT_HEADER_BYTES)) yield TPKT_HEADER_BYTES;
    const [, , high = 0, low = 0] = c.from.peek(TPKT_HEADER_BYTES);
    const length = (high << 8) | low;
    if (length < TPKT_HEADER_BYTES + 3) {
      throw new RdpError("bad_data", c.phase, `got a tpkt of ${length} bytes, expected at least 7`);
    }
    while (!c.from.has(length)) yield length;
    return { kind: "slow", body: c.from.take(length).subarray(TPKT_HEADER_BYTES) };
  }
  if ((first & 0x03) !== 0) {
    throw new RdpError(
      "bad_data",
      c.phase,
      `got a frame that begins with ${first}, expected 3 or a fast path: not an RDP host`,
    );
  }
  if ((first & 0xc0) !== 0) {
    throw new RdpError("bad_data", c.phase, "got an encrypted fast-path frame, expected one inside TLS only");
  }
  const headerBytes = second & 0x80 ? 3 : 2;
  while (!c.from.has(headerBytes)) yield headerBytes;
  const third = c.from.peek(headerBytes)[2] ?? 0;
  const length = headerBytes === 3 ? ((second & 0x7f) << 8) | third : second;
  if (length < headerBytes) {
    throw new RdpError(
      "bad_data",
      c.phase,
      `got a fast-path frame of ${length} bytes, expected more than its header`,
    );
  }
  while (!c.from.has(length)) yield length;
  return { kind: "fast", body: c.from.take(length).subarray(headerBytes) };
}

/** What the next TPKT holds; a fast-path frame has no place in a handshake. */
export function* readSlow(c: ClientContext): Parser<Uint8Array> {
  const frame = yield* readFrame(c);
  if (frame.kind === "slow") return frame.body;
  throw new RdpError("bad_data", c.phase, "got a fast-path frame, expected the handshake to go on");
}

/** The user data of an X.224 data message (U8 2, U8 0xf0, U8 0x80), or the end that an X.224 disconnect is. */
export function readX224Data(body: Uint8Array, c: ClientContext): LittleEndianReader {
  const from = new LittleEndianReader(body, c.phase);
  from.skip(1);
  const type = from.u8() & 0xf0;
  if (type === X224.disconnectRequest) {
    throw new RdpError("target_closed", c.phase, "the host ended the connection");
  }
  if (type !== X224.data) {
    throw new RdpError("bad_data", c.phase, `got x224 type ${type}, expected data`);
  }
  from.skip(1);
  return from;
}

/** A TPKT around an X.224 message. */
export function tpkt(body: Uint8Array): Uint8Array {
  return new LittleEndianWriter(TPKT_HEADER_BYTES + body.length)
    .u8(TPKT_VERSION)
    .u8(0)
    .bigU16(TPKT_HEADER_BYTES + body.length)
    .put(body)
    .bytes();
}

/** A TPKT around X.224 data. */
export function x224Data(body: Uint8Array): Uint8Array {
  return tpkt(new LittleEndianWriter(3 + body.length).u8(2).u8(X224.data).u8(0x80).put(body).bytes());
}
