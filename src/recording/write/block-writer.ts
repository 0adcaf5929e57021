import { BLOCK_HEADER_BYTES, BLOCK_KIND, FIRST_HASH, HASH_BYTES } from "../format/block.ts";
import { writeDirectory } from "../format/block-directory.ts";
import type { BlockIndex } from "../format/block-index.ts";
import type { BodyCipher } from "../format/body-cipher.ts";
import type { Signer } from "../seal/signing-key.ts";
import { type BlockAbout, type ChainPlace, type EncodedBlock, encodeBlock } from "./block-encoder.ts";
import type { SegmentWriter } from "./segments.ts";

/** An index is written after so many blocks: a minute or more of work. */
const BLOCKS_AN_INDEX = 256;

/** Bytes of a block that lie elsewhere until it is written. */
interface FarBytes {
  readonly length: number;
  encode(place: ChainPlace): Promise<EncodedBlock>;
}

/** What a block holds. */
export interface BlockContent extends BlockAbout {
  readonly raw: Uint8Array | FarBytes;
}

/** A sign of life: nothing happened until then. */
export function beatAt(atMs: number): BlockContent {
  return { kind: BLOCK_KIND.beat, fromMs: atMs, toMs: atMs, raw: new Uint8Array(0) };
}

/**
 * Writes the chain of blocks, one after the other, off the caller's path. After a block that could not be written all
 * that wait are refused until `recover`, because the later ones build on it.
 */
export class BlockWriter {
  readonly index: BlockIndex;
  readonly #segments: SegmentWriter;
  readonly #signer: Signer;
  readonly #cipher: BodyCipher | null;
  #tail: Promise<unknown> = Promise.resolve();
  #hash: Uint8Array = FIRST_HASH;
  #sequence = 0;
  #pendingBytes = 0;
  #failure: Error | null = null;
  #sinceIndex: Uint8Array[] = [];
  #indexAt = 0;
  #directoryAt = 0;

  constructor(segments: SegmentWriter, index: BlockIndex, signer: Signer, cipher: BodyCipher | null) {
    this.#segments = segments;
    this.index = index;
    this.#signer = signer;
    this.#cipher = cipher;
  }

  /** Bytes that were handed over and are not on the disk yet. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  get bytes(): number {
    return this.#segments.length;
  }

  get blocks(): number {
    return this.#sequence;
  }

  get hash(): string {
    return Buffer.from(this.#hash).toString("hex");
  }

  /** Where the last index block begins, 0 before the first. */
  get indexAt(): number {
    return this.#indexAt;
  }

  /** Where the directory begins, 0 before `finish`. */
  get directoryAt(): number {
    return this.#directoryAt;
  }

  /** Resolves with the block's bytes once it is written; rejects with what the disk said. */
  append(content: BlockContent): Promise<number> {
    this.#pendingBytes += content.raw.length;
    const written = this.#tail.then(() => this.#write(content));
    const done = written.finally(() => {
      this.#pendingBytes -= content.raw.length;
    });
    this.#tail = done.catch(() => undefined); // whoever appended is told
    return done;
  }

  /** Writes go on after a failure. */
  recover(): void {
    this.#failure = null;
  }

  /** Writes an index of what came since the last one, and the directory. */
  async finish(atMs: number): Promise<void> {
    const written = this.#tail.then(async () => {
      await this.#writeIndex(atMs);
      this.#directoryAt = this.#segments.length;
      const raw = writeDirectory(this.index.pages);
      await this.#put({ kind: BLOCK_KIND.directory, fromMs: atMs, toMs: atMs, raw });
    });
    this.#tail = written.catch(() => undefined); // told below
    await written;
    await this.#segments.sync();
  }

  async close(): Promise<void> {
    await this.#tail;
    await this.#segments.close();
  }

  async #write(content: BlockContent): Promise<number> {
    if (this.#failure !== null) throw this.#failure;
    try {
      const size = await this.#put(content);
      if (this.#sinceIndex.length >= BLOCKS_AN_INDEX) await this.#writeIndex(content.toMs);
      return size;
    } catch (error) {
      this.#failure =
        error instanceof Error ? error : new Error("a block could not be written", { cause: error });
      throw error;
    }
  }

  async #put({ raw, ...about }: BlockContent): Promise<number> {
    const place = { sequence: this.#sequence, before: this.#hash };
    const encoded =
      "encode" in raw ? await raw.encode(place) : await encodeBlock(about, raw, place, this.#cipher);
    const { header, bytes } = encoded;
    const at = this.#segments.length;
    await this.#segments.append(bytes);
    // Copies: what was written is not to be held any longer.
    this.#hash = bytes.slice(-HASH_BYTES);
    this.#sequence++;
    this.#sinceIndex.push(bytes.slice(0, BLOCK_HEADER_BYTES));
    this.index.add(header, at);
    return bytes.length;
  }

  /** u64 where the index before begins (0: there is none), headers, signature of the last block's hash. */
  async #writeIndex(atMs: number): Promise<void> {
    const listed = [...this.#sinceIndex];
    const before = Buffer.alloc(8);
    before.writeBigUInt64BE(BigInt(this.#indexAt));
    const raw = Buffer.concat([before, ...listed, this.#signer.sign(this.#hash)]);
    const at = this.#segments.length;
    await this.#put({ kind: BLOCK_KIND.index, fromMs: atMs, toMs: atMs, raw });
    this.#indexAt = at;
    // The next index lists this one, so that the chain of indices has no hole.
    this.#sinceIndex = this.#sinceIndex.slice(listed.length);
  }
}
