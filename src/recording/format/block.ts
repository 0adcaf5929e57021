import { createHash } from "node:crypto";
import { RecordingError } from "../library/error.ts";

/**
 * A recording is a chain of blocks. All numbers are big-endian.
 *
 *      0  4    "OCRB"
 *      4  u8   kind, see BLOCK_KIND
 *      5  u8   flags: 1 key, 2 deflated, 4 encrypted
 *      6  u16  pictures in it
 *      8  u32  number of the block, from 0 on without holes
 *     12  u32  length of the body
 *     16  u32  begins, milliseconds since the recording did
 *     20  u32  ends
 *     24  u32  length of the body before it was deflated
 *     28  u32  pixels that changed in it
 *     32  …    the body
 *      …  32   SHA-256 of the hash of the block before (32 zeros before the first), these 32 bytes and the body
 */
export const BLOCK_HEADER_BYTES = 4 + 1 + 1 + 2 + 4 + 4 + 4 + 4 + 4 + 4;
export const HASH_BYTES = 32;
export const BLOCK_EXTRA_BYTES = BLOCK_HEADER_BYTES + HASH_BYTES;

const MAGIC = 0x4f435242;

export const BLOCK_KIND = {
  /** The first: what the recording is, JSON. */
  head: 1,
  /** Pictures, see protocols/recording/picture-format.ts. */
  pictures: 2,
  /** What happened beside them: JSON, one TrackEntry a line. */
  tracks: 3,
  /** The headers of the blocks since the index before, and a signature. */
  index: 4,
  /** Nothing happened, and the recorder was there. */
  beat: 5,
  /** The last of a sealed recording: where its index blocks are, see block-directory.ts. */
  directory: 6,
} as const;

export const BLOCK_FLAG = { key: 1, deflated: 2, encrypted: 4 } as const;

/** The largest body, and the largest once it is inflated. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;
/** Deflate makes nothing more than so many times smaller. */
const MAX_DEFLATE_RATIO = 1032;

export interface BlockHeader {
  readonly kind: number;
  readonly flags: number;
  readonly frames: number;
  readonly sequence: number;
  readonly bodyBytes: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly rawBytes: number;
  readonly changedPixels: number;
}

export function writeBlockHeader(header: BlockHeader): Buffer {
  const out = Buffer.alloc(BLOCK_HEADER_BYTES);
  out.writeUInt32BE(MAGIC, 0);
  out.writeUInt8(header.kind, 4);
  out.writeUInt8(header.flags, 5);
  out.writeUInt16BE(Math.min(header.frames, 0xffff), 6);
  [
    header.sequence,
    header.bodyBytes,
    header.fromMs,
    header.toMs,
    header.rawBytes,
    header.changedPixels,
  ].forEach((value, i) => {
    out.writeUInt32BE(Math.min(value, 0xffffffff), 8 + 4 * i);
  });
  return out;
}

/** Reads the 32 bytes at `at`. Throws RecordingError damaged or too_large; nothing was allocated. */
export function readBlockHeader(bytes: Buffer, at = 0): BlockHeader {
  if (bytes.readUInt32BE(at) !== MAGIC) {
    throw new RecordingError("damaged", `got ${bytes.toString("hex", at, at + 4)} where a block begins`);
  }
  const header = {
    kind: bytes.readUInt8(at + 4),
    flags: bytes.readUInt8(at + 5),
    frames: bytes.readUInt16BE(at + 6),
    sequence: bytes.readUInt32BE(at + 8),
    bodyBytes: bytes.readUInt32BE(at + 12),
    fromMs: bytes.readUInt32BE(at + 16),
    toMs: bytes.readUInt32BE(at + 20),
    rawBytes: bytes.readUInt32BE(at + 24),
    changedPixels: bytes.readUInt32BE(at + 28),
  };
  const mostRaw = Math.min(MAX_BODY_BYTES, (header.bodyBytes + 64) * MAX_DEFLATE_RATIO);
  if (header.bodyBytes > MAX_BODY_BYTES || header.rawBytes > mostRaw) {
    throw new RecordingError(
      "too_large",
      `block ${header.sequence} has ${header.bodyBytes} bytes that become ${header.rawBytes}, expected at most ${MAX_BODY_BYTES}`,
    );
  }
  if (header.toMs < header.fromMs) {
    throw new RecordingError("damaged", `block ${header.sequence} ends before it begins`);
  }
  return header;
}

/** The hash that ends a block. */
export function hashBlock(before: Uint8Array, header: Uint8Array, body: Uint8Array): Buffer {
  return createHash("sha256").update(before).update(header).update(body).digest();
}

/** Of the block before the first. */
export const FIRST_HASH: Uint8Array = new Uint8Array(HASH_BYTES);
