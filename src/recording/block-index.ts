import { BLOCK_EXTRA_BYTES, BLOCK_FLAG, BLOCK_KIND, type BlockHeader } from "./block.ts";

/** A block and where it begins, counted over all segments. */
export interface PlacedBlock extends BlockHeader {
  readonly at: number;
}

/** The blocks of a recording in memory: found by time in a few steps, however long it is. */
export class BlockIndex {
  readonly #pictures: PlacedBlock[] = [];
  readonly #tracks: PlacedBlock[] = [];
  /** Indices of #pictures. */
  readonly #keys: number[] = [];
  #durationMs = 0;
  #frames = 0;
  #blocks = 0;
  #bytes = 0;

  add(header: BlockHeader, at: number): void {
    const block = { ...header, at };
    if (header.kind === BLOCK_KIND.pictures) {
      if ((header.flags & BLOCK_FLAG.key) !== 0) this.#keys.push(this.#pictures.length);
      this.#pictures.push(block);
      this.#frames += header.frames;
    } else if (header.kind === BLOCK_KIND.tracks) this.#tracks.push(block);
    this.#durationMs = Math.max(this.#durationMs, header.toMs);
    this.#blocks = header.sequence + 1;
    this.#bytes = at + BLOCK_EXTRA_BYTES + header.bodyBytes;
  }

  get pictures(): readonly PlacedBlock[] {
    return this.#pictures;
  }

  get durationMs(): number {
    return this.#durationMs;
  }

  get frames(): number {
    return this.#frames;
  }

  get blocks(): number {
    return this.#blocks;
  }

  /** Where the next block will begin. */
  get bytes(): number {
    return this.#bytes;
  }

  /** When whole pictures were written. */
  get keyTimes(): number[] {
    return this.#keys.map((index) => this.#pictures[index]?.fromMs ?? 0);
  }

  /** The block of pictures that has the one shown at a time: the last that begins by then, else the first; -1: none. */
  pictureAt(ms: number): number {
    return (
      Math.max(
        0,
        lastBy(this.#pictures, ms, ({ fromMs }) => fromMs),
      ) - (this.#pictures.length === 0 ? 1 : 0)
    );
  }

  /** The key that a block of pictures needs, its own index where it is one; -1: it has none. */
  keyOf(index: number): number {
    return this.#keys[lastBy(this.#keys, index, (key) => key)] ?? -1;
  }

  /** Blocks of tracks that touch a span. */
  tracksIn(fromMs: number, toMs: number): readonly PlacedBlock[] {
    const end = lastBy(this.#tracks, toMs, (block) => block.fromMs) + 1;
    let start = end;
    while (start > 0 && (this.#tracks[start - 1]?.toMs ?? 0) >= fromMs) start--;
    return this.#tracks.slice(start, end);
  }
}

/** The index of the last item whose key, which never falls, is at most `most`; -1: none. */
function lastBy<Item>(items: readonly Item[], most: number, keyOf: (item: Item) => number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && keyOf(item) <= most) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
