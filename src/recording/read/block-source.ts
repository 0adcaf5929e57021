import { promisify } from "node:util";
import { inflateRaw, inflateRawSync } from "node:zlib";
import {
  BLOCK_EXTRA_BYTES,
  BLOCK_FLAG,
  BLOCK_HEADER_BYTES,
  BLOCK_KIND,
  type BlockHeader,
  FIRST_HASH,
  HASH_BYTES,
  hashBlock,
  readBlockHeader,
} from "../format/block.ts";
import { readDirectory } from "../format/block-directory.ts";
import { BlockIndex, type PlacedBlock } from "../format/block-index.ts";
import { BodyCipher, CIPHER_EXTRA_BYTES } from "../format/body-cipher.ts";
import { type RecordingHead, readHead } from "../format/head.ts";
import { RecordingError } from "../library/error.ts";
import { scanChain } from "../seal/chain-scan.ts";
import type { Seal } from "../seal/seal.ts";
import { SIGNATURE_BYTES } from "../seal/signing-key.ts";
import { type Segment, SegmentReader } from "../write/segments.ts";
import type { CheckedBlock, CheckedBlocks } from "./block-cache.ts";
import type { RecordingFiles } from "./recording-files.ts";

const inflateAside = promisify(inflateRaw);
/** So many blocks are inflated before they are asked for. */
const INFLATED_AHEAD = 4;
/** Up to so many bytes inflating takes less time here than the way to another thread and back. */
const SMALL_BYTES = 64 * 1024;

/** Node takes no smaller ones. */
const LEAST_CHUNK_BYTES = 64;
/** The head is a few hundred bytes, and nothing near it is wanted next. */
const HEAD_AHEAD_BYTES = 2 * 1024;
/** The most of a run of blocks that is read at once. */
const MAX_RUN_BYTES = 16 * 1024 * 1024;

/** Opens the key of an encrypted recording, null where it is not ours. */
export type OpenKey = (head: RecordingHead) => Uint8Array | null;

/** The blocks of one recording, read and checked one by one. */
export class BlockSource {
  readonly head: RecordingHead;
  readonly index: BlockIndex;
  readonly #reader: BlockReader;
  readonly #cipher: BodyCipher | null;

  private constructor(
    reader: BlockReader,
    head: RecordingHead,
    index: BlockIndex,
    cipher: BodyCipher | null,
  ) {
    this.#reader = reader;
    this.head = head;
    this.index = index;
    this.#cipher = cipher;
  }

  /**
   * `live`: the index of a recording that is being written; else it is read, from the index blocks where there is a
   * seal, from all blocks where there is none. `segments`: where they were listed just now. Throws RecordingError.
   */
  static async open(
    files: RecordingFiles,
    seal: Seal | null,
    openKey: OpenKey,
    live: BlockIndex | null,
    segments: readonly Segment[] | null = null,
  ): Promise<BlockSource> {
    const reader = new BlockReader(await SegmentReader.open(files.segments, segments), files.checked);
    try {
      const { header, body } = await reader.read(0, HEAD_AHEAD_BYTES);
      if (header.kind !== BLOCK_KIND.head) throw new RecordingError("damaged", "the first block is no head");
      const head = readHead(body);
      const key = head.sealedKey === null ? null : openKey(head);
      if (head.sealedKey !== null && key === null) {
        throw new RecordingError("locked", "the recording is encrypted under a key that is not ours");
      }
      const cipher = key === null ? null : new BodyCipher(key);
      const index = live ?? (seal === null ? await indexByScan(reader) : await indexOf(reader, seal));
      return new BlockSource(reader, head, index, cipher);
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  /** A block's bytes before they were deflated. Throws RecordingError damaged. */
  async read(block: PlacedBlock, last?: PlacedBlock): Promise<Buffer> {
    const body = await this.#open(block, last && runBytes(block, last));
    return inflateBody(body, block);
  }

  /** Of the block of tracks that begins at a place. Throws RecordingError damaged. */
  async readTracksAt(at: number): Promise<Buffer> {
    const { header, body } = await this.#reader.read(at);
    if (header.kind !== BLOCK_KIND.tracks) {
      throw new RecordingError("damaged", `the block at ${at} has no tracks`);
    }
    return inflateBody(this.#decrypted(header, body), header);
  }

  /** As `read`, of blocks in order; what lies between them comes along in few looks at the file. */
  async *readRun(blocks: readonly PlacedBlock[]): AsyncGenerator<Buffer, void, undefined> {
    const last = blocks.at(-1);
    if (last === undefined) return;
    const inflating: Promise<Buffer>[] = [];
    let next = 0;
    try {
      while (next < blocks.length || inflating.length > 0) {
        // The threads beside this one inflate what comes while the caller looks at what is there.
        while (next < blocks.length && inflating.length < INFLATED_AHEAD) {
          const block = blocks[next++];
          if (block === undefined) break;
          const body = await this.#open(block, runBytes(block, last));
          inflating.push(inflateBody(body, block));
        }
        const ready = inflating.shift();
        if (ready !== undefined) yield await ready;
      }
    } finally {
      for (const left of inflating) left.catch(() => undefined); // nobody waits for it any more
    }
  }

  /** Raw deflate of a block's bytes, decrypted. `last`: what is wanted up to there comes along. Throws RecordingError damaged. */
  readDeflated(block: PlacedBlock, last = block): Promise<Buffer> {
    return this.#open(block, runBytes(block, last));
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  async #open(block: PlacedBlock, aheadBytes?: number): Promise<Buffer> {
    const { header, body } = await this.#reader.read(block.at, aheadBytes);
    if (
      header.sequence !== block.sequence ||
      header.kind !== block.kind ||
      header.rawBytes !== block.rawBytes
    ) {
      throw new RecordingError("damaged", `block ${block.sequence} is not the one that the index names`);
    }
    return this.#decrypted(header, body);
  }

  #decrypted(header: BlockHeader, body: Buffer): Buffer {
    if ((header.flags & BLOCK_FLAG.encrypted) === 0) return body;
    if (this.#cipher === null || body.length < CIPHER_EXTRA_BYTES) {
      throw new RecordingError("damaged", `block ${header.sequence} is encrypted in a recording that is not`);
    }
    return this.#cipher.open(body, header.sequence);
  }
}

/** How many bytes there are from a block to the end of another one, with the hash before them. */
function runBytes(first: PlacedBlock, last: PlacedBlock): number {
  return Math.min(MAX_RUN_BYTES, last.at + BLOCK_EXTRA_BYTES + last.bodyBytes - first.at + HASH_BYTES);
}

/** Reads blocks and checks them; those of far files are kept. */
class BlockReader {
  readonly #file: SegmentReader;
  readonly #checked: CheckedBlocks | null;

  constructor(file: SegmentReader, checked: CheckedBlocks | null) {
    this.#file = file;
    this.#checked = checked;
  }

  get segments(): readonly Segment[] {
    return this.#file.segments;
  }

  async read(at: number, aheadBytes?: number): Promise<CheckedBlock> {
    const known = this.#checked?.get(at);
    if (known !== undefined) return known;
    const block = await readBlock(this.#file, at, aheadBytes);
    this.#checked?.add(at, block);
    return block;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** One block, checked against the hash that stands before it. */
async function readBlock(reader: SegmentReader, at: number, aheadBytes?: number): Promise<CheckedBlock> {
  // First, so that all of it comes in one look at the file, unless the file begins here.
  const before = at === 0 ? FIRST_HASH : await reader.read(at - HASH_BYTES, HASH_BYTES, aheadBytes);
  const headerBytes = await reader.read(at, BLOCK_HEADER_BYTES, aheadBytes);
  const header = readBlockHeader(headerBytes);
  if (at + BLOCK_EXTRA_BYTES + header.bodyBytes > reader.length) await reader.refresh();
  if (at + BLOCK_EXTRA_BYTES + header.bodyBytes > reader.length) {
    throw new RecordingError("damaged", `block ${header.sequence} is cut short`);
  }
  const rest = await reader.read(at + BLOCK_HEADER_BYTES, header.bodyBytes + HASH_BYTES);
  const body = rest.subarray(0, header.bodyBytes);
  if (!hashBlock(before, headerBytes, body).equals(rest.subarray(header.bodyBytes))) {
    throw new RecordingError("damaged", `block ${header.sequence} is not what was written: its hash differs`);
  }
  return { header, body };
}

/** The body of a block before it was deflated, where it was. Throws RecordingError damaged for another length. */
export async function inflateBody(body: Buffer, { flags, rawBytes, sequence }: BlockHeader): Promise<Buffer> {
  if ((flags & BLOCK_FLAG.deflated) === 0) return body;
  // One piece: each piece more is a way to the other thread and back.
  const options = {
    maxOutputLength: Math.max(1, rawBytes),
    chunkSize: Math.max(LEAST_CHUNK_BYTES, rawBytes),
  };
  try {
    const raw = rawBytes <= SMALL_BYTES ? inflateRawSync(body, options) : await inflateAside(body, options);
    if (raw.length === rawBytes) return raw;
  } catch (cause) {
    throw new RecordingError("damaged", `block ${sequence} does not inflate to its ${rawBytes} bytes`, {
      cause,
    });
  }
  throw new RecordingError("damaged", `block ${sequence} does not inflate to its ${rawBytes} bytes`);
}

/** Of a recording without a seal: all that is whole. */
async function indexByScan(reader: BlockReader): Promise<BlockIndex> {
  const index = new BlockIndex();
  for await (const { header, at } of scanChain(reader.segments)) index.add(header, at);
  return index;
}

/** An index block lists some hundred headers: with the hash before it, it is seldom longer. */
const INDEX_AHEAD_BYTES = 16 * 1024;

/** Of a sealed one: by its directory, or, of one that was sealed before there was any, from the last index backwards. */
async function indexOf(reader: BlockReader, seal: Seal): Promise<BlockIndex> {
  const { directoryAt, durationMs, counts, blocks, bytes } = seal;
  if (directoryAt === undefined) return indexByBlocks(reader, seal.indexAt);
  const { header, body } = await reader.read(directoryAt, INDEX_AHEAD_BYTES);
  if (header.kind !== BLOCK_KIND.directory) throw new RecordingError("damaged", "the directory is none");
  const pages = readDirectory(await inflateBody(body, header));
  const totals = { durationMs, frames: counts.frames, blocks, bytes };
  return BlockIndex.ofDirectory(pages, totals, async (at) => (await readIndex(reader, at)).blocks);
}

async function indexByBlocks(reader: BlockReader, lastAt: number): Promise<BlockIndex> {
  const lists: (readonly PlacedBlock[])[] = [];
  for (let at = lastAt; at > 0; ) {
    const { blocks, own, before } = await readIndex(reader, at);
    lists.push(at === lastAt ? [...blocks, own] : blocks);
    if (before >= at) throw new RecordingError("damaged", "an index names one after it");
    at = before;
  }
  const index = new BlockIndex();
  for (const block of lists.reverse().flat()) index.add(block, block.at);
  return index;
}

/** The blocks that the index at a place lists, itself, and where the index before it begins; 0: there is none. */
async function readIndex(
  reader: BlockReader,
  at: number,
): Promise<{ readonly blocks: readonly PlacedBlock[]; readonly own: PlacedBlock; readonly before: number }> {
  const { header, body } = await reader.read(at, INDEX_AHEAD_BYTES);
  const raw = await inflateBody(body, header);
  const listed = (raw.length - 8 - SIGNATURE_BYTES) / BLOCK_HEADER_BYTES;
  if (header.kind !== BLOCK_KIND.index || !Number.isInteger(listed) || listed < 0) {
    throw new RecordingError("damaged", `block ${header.sequence} is no index`);
  }
  const list = Array.from({ length: listed }, (_, i) => readBlockHeader(raw, 8 + i * BLOCK_HEADER_BYTES));
  let start = at - list.reduce((sum, { bodyBytes }) => sum + BLOCK_EXTRA_BYTES + bodyBytes, 0);
  const blocks = list.map((one) => {
    const placed = { ...one, at: start };
    start += BLOCK_EXTRA_BYTES + one.bodyBytes;
    return placed;
  });
  return { blocks, own: { ...header, at }, before: Number(raw.readBigUInt64BE(0)) };
}
