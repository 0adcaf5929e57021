import type { BlockHeader } from "../format/block.ts";

/** A block whose hash was right. */
export interface CheckedBlock {
  readonly header: BlockHeader;
  readonly body: Buffer;
}

/** The checked blocks of one recording, by where they begin. */
export interface CheckedBlocks {
  get(at: number): CheckedBlock | undefined;
  add(at: number, block: CheckedBlock): void;
}

/** What a block takes beside its body. */
const BLOCK_COST = 200;

/** Blocks of recordings whose files are far away, as they were checked: those used last, in so many bytes. */
export class BlockCache {
  readonly #mostBytes: number;
  /** In order of use. */
  readonly #blocks = new Map<string, CheckedBlock>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The part of it for one recording. `id`: nothing else may ever have it. */
  of(id: string): CheckedBlocks {
    return {
      get: (at) => {
        const key = `${id}@${at}`;
        const block = this.#blocks.get(key);
        if (block === undefined) return undefined;
        this.#blocks.delete(key);
        this.#blocks.set(key, block);
        return block;
      },
      add: (at, block) => this.#add(`${id}@${at}`, block),
    };
  }

  #add(key: string, { header, body }: CheckedBlock): void {
    if (this.#blocks.has(key) || costOf(body) > this.#mostBytes) return;
    // A copy: it shall not hold what it was read with.
    this.#blocks.set(key, { header, body: Buffer.from(body) });
    this.#bytes += costOf(body);
    for (const [oldest, block] of this.#blocks) {
      if (this.#bytes <= this.#mostBytes) return;
      this.#blocks.delete(oldest);
      this.#bytes -= costOf(block.body);
    }
  }
}

function costOf(body: Buffer): number {
  return body.length + BLOCK_COST;
}
