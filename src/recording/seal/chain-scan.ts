import {
  BLOCK_EXTRA_BYTES,
  BLOCK_HEADER_BYTES,
  type BlockHeader,
  FIRST_HASH,
  HASH_BYTES,
  hashBlock,
  readBlockHeader,
} from "../format/block.ts";
import { RecordingError } from "../library/error.ts";
import type { Segment, SegmentFile } from "../write/segments.ts";

const WINDOW_BYTES = 1024 * 1024;
const MAGIC = Buffer.from("OCRB");

/** A block whose hash is right, and where it begins. */
export interface ScannedBlock {
  readonly header: BlockHeader;
  readonly at: number;
  readonly body: Buffer;
  /** Of the block before, and its own. */
  readonly hashBefore: Uint8Array;
  readonly hash: Buffer;
}

/** How a chain ends. torn: in the middle of its last block, as after a crash. */
export interface ChainEnd {
  readonly kind: "whole" | "torn" | "damaged";
  /** Of the first byte that is not of a right block. */
  readonly at: number;
  readonly problem: string | null;
}

/** Reads every block from the first on and checks the chain; returns how it ends. */
export async function* scanChain(
  segments: readonly Segment[],
): AsyncGenerator<ScannedBlock, ChainEnd, undefined> {
  let hash: Uint8Array = FIRST_HASH;
  let sequence = 0;
  for (const [number, segment] of segments.entries()) {
    const isLast = number === segments.length - 1;
    const window = new Window(segment);
    try {
      for (let at = 0; at < segment.size; ) {
        const place = segment.start + at;
        const left = segment.size - at;
        const damaged = (problem: string): ChainEnd => ({ kind: "damaged", at: place, problem });
        let header: BlockHeader | null = null;
        if (left >= BLOCK_HEADER_BYTES) {
          const bytes = await window.read(at, BLOCK_HEADER_BYTES);
          try {
            header = readBlockHeader(bytes);
          } catch (error) {
            if (!(error instanceof RecordingError)) throw error;
            const isHole = isLast && (await window.isZeroFrom(at));
            return isHole ? { kind: "torn", at: place, problem: null } : damaged(error.message);
          }
        }
        if (header === null || left < BLOCK_EXTRA_BYTES + header.bodyBytes) {
          if (isLast && !(await window.hasBlockAfter(at + 1, sequence))) {
            return { kind: "torn", at: place, problem: null };
          }
          return damaged(`block ${sequence} is cut short`);
        }
        const size = BLOCK_EXTRA_BYTES + header.bodyBytes;
        const bytes = await window.read(at, size);
        const body = bytes.subarray(BLOCK_HEADER_BYTES, size - HASH_BYTES);
        const wanted = hashBlock(hash, bytes.subarray(0, BLOCK_HEADER_BYTES), body);
        if (header.sequence !== sequence) {
          return damaged(`got block ${header.sequence}, expected ${sequence}`);
        }
        if (!wanted.equals(bytes.subarray(size - HASH_BYTES))) {
          return damaged(`block ${sequence} is not what was written: its hash differs`);
        }
        yield { header, at: place, body, hashBefore: hash, hash: wanted };
        hash = wanted;
        sequence++;
        at += size;
      }
    } finally {
      await window.close();
    }
  }
  const last = segments.at(-1);
  return { kind: "whole", at: last === undefined ? 0 : last.start + last.size, problem: null };
}

/** A file read in few large steps. */
class Window {
  readonly #segment: Segment;
  #file: SegmentFile | null = null;
  #start = 0;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(segment: Segment) {
    this.#segment = segment;
  }

  /** So many bytes, which are there; valid for good. */
  async read(at: number, count: number): Promise<Buffer> {
    const from = at - this.#start;
    if (from < 0 || from + count > this.#bytes.length) {
      await this.#load(at, Math.min(Math.max(count, WINDOW_BYTES), this.#segment.size - at));
      return this.#bytes.subarray(0, count);
    }
    return this.#bytes.subarray(from, from + count);
  }

  /** Whether all that follows is zero: what a file system may leave where the power went. */
  async isZeroFrom(from: number): Promise<boolean> {
    for (let at = from; at < this.#segment.size; at += WINDOW_BYTES) {
      const bytes = await this.read(at, Math.min(WINDOW_BYTES, this.#segment.size - at));
      if (bytes.some((byte) => byte !== 0)) return false;
    }
    return true;
  }

  /** Whether a later block begins anywhere: then what lies before it was changed, not cut off by a crash. */
  async hasBlockAfter(from: number, sequence: number): Promise<boolean> {
    const { size } = this.#segment;
    for (let at = from; at + BLOCK_HEADER_BYTES <= size; at += WINDOW_BYTES - BLOCK_HEADER_BYTES) {
      const bytes = await this.read(at, Math.min(WINDOW_BYTES, size - at));
      for (let i = bytes.indexOf(MAGIC); i >= 0; i = bytes.indexOf(MAGIC, i + 1)) {
        if (i + BLOCK_HEADER_BYTES > bytes.length) break;
        const found = bytes.readUInt32BE(i + 8);
        if (found > sequence && found < sequence + 1_000_000) return true;
      }
    }
    return false;
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = null;
  }

  async #load(at: number, count: number): Promise<void> {
    this.#file ??= await this.#segment.open();
    const bytes = Buffer.allocUnsafe(count);
    for (let done = 0; done < count; ) {
      const { bytesRead } = await this.#file.read(bytes, done, count - done, at + done);
      if (bytesRead === 0) throw new RecordingError("damaged", "the recording was cut while it was read");
      done += bytesRead;
    }
    this.#start = at;
    this.#bytes = bytes;
  }
}
