import { BLOCK_EXTRA_BYTES, BLOCK_FLAG, BLOCK_KIND, type BlockHeader } from "./block.ts";
import type { PageFacts } from "./block-directory.ts";

/** A block and where it begins, counted over all segments. */
export interface PlacedBlock extends BlockHeader {
  readonly at: number;
}

/** Reads the headers that the index block at a place lists, in order. */
export type LoadPage = (at: number) => Promise<readonly PlacedBlock[]>;

/** What a seal says of all blocks, so that none has to be read for it. */
export interface IndexTotals {
  readonly durationMs: number;
  readonly frames: number;
  readonly blocks: number;
  readonly bytes: number;
}

/** The blocks from one index block to the next; `blocks` null: not read yet. */
interface Page {
  facts: PageFacts;
  blocks: { readonly pictures: PlacedBlock[]; readonly tracks: PlacedBlock[] } | null;
  loading: Promise<void> | null;
}

/**
 * The blocks of a recording, found by time in a few steps however long it is: what a seek needs of a sealed one is
 * read when it is needed, page by page. Blocks of pictures are numbered from 0 on without holes.
 */
export class BlockIndex {
  readonly #pages: Page[] = [];
  readonly #load: LoadPage | null;
  /** Of the last key that was added. */
  #lastKey = -1;
  #totals: IndexTotals = { durationMs: 0, frames: 0, blocks: 0, bytes: 0 };

  /** Without a directory it is filled by `add`. */
  constructor(directory: { readonly pages: readonly PageFacts[]; readonly load: LoadPage } | null = null) {
    this.#load = directory?.load ?? null;
    for (const facts of directory?.pages ?? []) this.#pages.push({ facts, blocks: null, loading: null });
  }

  /** One that knows where its pages are and reads them when they are needed. */
  static ofDirectory(pages: readonly PageFacts[], totals: IndexTotals, load: LoadPage): BlockIndex {
    const index = new BlockIndex({ pages, load });
    index.#totals = totals;
    return index;
  }

  /** Blocks come in order; an index block ends a page. */
  add(header: BlockHeader, at: number): void {
    const block = { ...header, at };
    const page = this.#openPage();
    const { facts, blocks } = page;
    if (header.kind === BLOCK_KIND.pictures) {
      const isKey = (header.flags & BLOCK_FLAG.key) !== 0;
      if (isKey) this.#lastKey = facts.firstPicture + facts.pictures;
      const picturesFromMs = facts.pictures === 0 ? header.fromMs : facts.picturesFromMs;
      page.facts = { ...facts, pictures: facts.pictures + 1, picturesFromMs };
      blocks?.pictures.push(block);
    } else if (header.kind === BLOCK_KIND.tracks) {
      const tracksFromMs = facts.tracks === 0 ? header.fromMs : facts.tracksFromMs;
      const tracksToMs = Math.max(facts.tracksToMs, header.toMs);
      page.facts = { ...facts, tracks: facts.tracks + 1, tracksFromMs, tracksToMs };
      blocks?.tracks.push(block);
    } else if (header.kind === BLOCK_KIND.index) page.facts = { ...facts, at };
    const { durationMs, frames } = this.#totals;
    this.#totals = {
      durationMs: Math.max(durationMs, header.toMs),
      frames: frames + (header.kind === BLOCK_KIND.pictures ? header.frames : 0),
      blocks: header.sequence + 1,
      bytes: at + BLOCK_EXTRA_BYTES + header.bodyBytes,
    };
  }

  /** Of the pages whose index block is written. */
  get pages(): readonly PageFacts[] {
    return this.#pages.map(({ facts }) => facts).filter(({ at }) => at > 0);
  }

  get durationMs(): number {
    return this.#totals.durationMs;
  }

  get frames(): number {
    return this.#totals.frames;
  }

  /** How many blocks of pictures there are. */
  get pictureCount(): number {
    const last = this.#pages.at(-1)?.facts;
    return last === undefined ? 0 : last.firstPicture + last.pictures;
  }

  get blocks(): number {
    return this.#totals.blocks;
  }

  /** Where the next block will begin. */
  get bytes(): number {
    return this.#totals.bytes;
  }

  /** When whole pictures were written. */
  async keyTimes(): Promise<number[]> {
    const times: number[] = [];
    for (const page of this.#pages) {
      const { pictures } = await this.#blocksOf(page);
      for (const { flags, fromMs } of pictures) if ((flags & BLOCK_FLAG.key) !== 0) times.push(fromMs);
    }
    return times;
  }

  /** The number of the block that has the picture of a time: the last that begins by then, else the first; -1: none. */
  async pictureAt(ms: number): Promise<number> {
    let number = lastBy(this.#pages, ms, ({ facts }) => facts.picturesFromMs);
    while (number >= 0 && this.#pages[number]?.facts.pictures === 0) number--;
    const page = this.#pages[number];
    if (page === undefined) return this.#pages.some(({ facts }) => facts.pictures > 0) ? 0 : -1;
    const { pictures } = await this.#blocksOf(page);
    return (
      page.facts.firstPicture +
      Math.max(
        0,
        lastBy(pictures, ms, ({ fromMs }) => fromMs),
      )
    );
  }

  /** The key that a block of pictures needs, its own number where it is one; -1: it has none. */
  async keyOf(number: number): Promise<number> {
    const page = this.#pageOf(number);
    if (page === undefined) return -1;
    const { facts } = page;
    const { pictures } = await this.#blocksOf(page);
    const key = pictures.findLastIndex(
      ({ flags }, i) => facts.firstPicture + i <= number && (flags & BLOCK_FLAG.key) !== 0,
    );
    return key < 0 ? facts.keyBefore : facts.firstPicture + key;
  }

  /** A block of pictures by its number. */
  async picture(number: number): Promise<PlacedBlock | undefined> {
    const page = this.#pageOf(number);
    return page === undefined
      ? undefined
      : (await this.#blocksOf(page)).pictures[number - page.facts.firstPicture];
  }

  /** The blocks of pictures from one number to another, both included. */
  async pictures(first: number, last: number): Promise<readonly PlacedBlock[]> {
    const wanted = this.#pages.filter(
      ({ facts }) => facts.firstPicture <= last && facts.firstPicture + facts.pictures > first,
    );
    const loaded = await Promise.all(wanted.map((page) => this.#blocksOf(page)));
    const start = wanted[0]?.facts.firstPicture ?? 0;
    return loaded
      .flatMap(({ pictures }) => pictures)
      .slice(Math.max(0, first - start), Math.max(0, last + 1 - start));
  }

  /** Blocks of tracks that touch a span. */
  async tracksIn(fromMs: number, toMs: number): Promise<readonly PlacedBlock[]> {
    const touches = (from: number, to: number): boolean => from <= toMs && to >= fromMs;
    const found: PlacedBlock[] = [];
    for (const page of this.#pages) {
      const { tracks, tracksFromMs, tracksToMs } = page.facts;
      if (tracks === 0 || !touches(tracksFromMs, tracksToMs)) continue;
      const blocks = await this.#blocksOf(page);
      found.push(...blocks.tracks.filter((block) => touches(block.fromMs, block.toMs)));
    }
    return found;
  }

  /** The page that blocks are added to. */
  #openPage(): Page {
    const last = this.#pages.at(-1);
    if (last !== undefined && last.facts.at === 0) return last;
    const facts: PageFacts = {
      at: 0,
      firstPicture: last === undefined ? 0 : last.facts.firstPicture + last.facts.pictures,
      pictures: 0,
      keyBefore: this.#lastKey,
      // Never falls from page to page, so that it can be searched by halving.
      picturesFromMs: last?.facts.picturesFromMs ?? 0,
      tracks: 0,
      tracksFromMs: 0,
      tracksToMs: 0,
    };
    const page: Page = { facts, blocks: { pictures: [], tracks: [] }, loading: null };
    this.#pages.push(page);
    return page;
  }

  #pageOf(number: number): Page | undefined {
    return number < 0
      ? undefined
      : this.#pages[lastBy(this.#pages, number, ({ facts }) => facts.firstPicture)];
  }

  async #blocksOf(page: Page): Promise<NonNullable<Page["blocks"]>> {
    if (page.blocks === null) {
      page.loading ??= this.#read(page).finally(() => {
        page.loading = null;
      });
      await page.loading;
    }
    return page.blocks ?? { pictures: [], tracks: [] };
  }

  async #read(page: Page): Promise<void> {
    const blocks = (await this.#load?.(page.facts.at)) ?? [];
    page.blocks = {
      pictures: blocks.filter(({ kind }) => kind === BLOCK_KIND.pictures),
      tracks: blocks.filter(({ kind }) => kind === BLOCK_KIND.tracks),
    };
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
