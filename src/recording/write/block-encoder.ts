import { promisify } from "node:util";
import { deflateRaw } from "node:zlib";
import {
  BLOCK_EXTRA_BYTES,
  BLOCK_FLAG,
  BLOCK_HEADER_BYTES,
  BLOCK_KIND,
  type BlockHeader,
  hashBlock,
  writeBlockHeader,
} from "../format/block.ts";
import type { BodyCipher } from "../format/body-cipher.ts";

const deflate = promisify(deflateRaw);

/** Off this thread, and text shrinks to half of what level 1 makes of it. */
const DEFLATE = { level: 4, memLevel: 9 } as const;
/** Each piece of the output is a way to the thread that deflates and back. */
const CHUNK_SHARE = 1 / 4;
const LEAST_CHUNK_BYTES = 4 * 1024;
/** Shorter bodies gain nothing. */
const LEAST_DEFLATED = 128;
/** The head says how the others are encrypted; the index lets a recording be checked without its key. */
const PLAIN: ReadonlySet<number> = new Set([BLOCK_KIND.head, BLOCK_KIND.index, BLOCK_KIND.directory]);

/** What a block says of its bytes. */
export interface BlockAbout {
  readonly kind: number;
  readonly isKey?: boolean;
  readonly frames?: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly changedPixels?: number;
}

/** Where a block stands in its chain. */
export interface ChainPlace {
  readonly sequence: number;
  /** Hash of the block before. */
  readonly before: Uint8Array;
}

/** A block as it is written. */
export interface EncodedBlock {
  readonly header: BlockHeader;
  /** Header, body, hash. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Makes a block: deflated and encrypted where that is due, with its hash. */
export async function encodeBlock(
  { kind, isKey = false, frames = 0, fromMs, toMs, changedPixels = 0 }: BlockAbout,
  raw: Uint8Array,
  { sequence, before }: ChainPlace,
  cipher: BodyCipher | null,
): Promise<EncodedBlock> {
  const isDeflated =
    kind !== BLOCK_KIND.head && (raw.length >= LEAST_DEFLATED || kind === BLOCK_KIND.pictures);
  const chunkSize = Math.max(LEAST_CHUNK_BYTES, Math.ceil(raw.length * CHUNK_SHARE));
  const packed = isDeflated ? await deflate(raw, { ...DEFLATE, chunkSize }) : raw;
  const key = PLAIN.has(kind) || raw.length === 0 ? null : cipher;
  const body = key === null ? packed : key.seal(packed, sequence);
  const header: BlockHeader = {
    kind,
    flags:
      (isKey ? BLOCK_FLAG.key : 0) |
      (isDeflated ? BLOCK_FLAG.deflated : 0) |
      (key === null ? 0 : BLOCK_FLAG.encrypted),
    ...{ frames, sequence, fromMs, toMs: Math.max(fromMs, toMs), changedPixels },
    bodyBytes: body.length,
    rawBytes: raw.length,
  };
  const headerBytes = writeBlockHeader(header);
  const bytes = new Uint8Array(BLOCK_EXTRA_BYTES + body.length);
  bytes.set(headerBytes);
  bytes.set(body, BLOCK_HEADER_BYTES);
  bytes.set(hashBlock(before, headerBytes, body), BLOCK_HEADER_BYTES + body.length);
  return { header, bytes };
}
