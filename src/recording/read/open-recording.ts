import { Slice } from "../../platform/loop-turns.ts";
import { readHeads } from "../../protocols/recording/picture-decoder.ts";
import { MAX_CHUNK_BYTES } from "../../protocols/recording/picture-format.ts";
import { BLOCK_FLAG } from "../format/block.ts";
import type { PlacedBlock } from "../format/block-index.ts";
import { readTracks } from "../format/event-codec.ts";
import type { ActionEntry, TrackEntry } from "../format/event-entry.ts";
import type { RecordingSummary } from "../format/summary.ts";
import { RecordingError } from "../library/error.ts";
import { RESTATE_TEXT_MS } from "../write/text-recorder.ts";
import type { BlockSource } from "./block-source.ts";
import { frameOf } from "./frame-of-step.ts";
import { FrameSeeker, type PictureSource, type Step } from "./frame-seeker.ts";
import type {
  PictureChunk,
  PictureRun,
  RecordedFrame,
  RecordedText,
  RecordingReader,
  SearchHit,
} from "./reader.ts";
import { queryWords, SearchHits } from "./search-hits.ts";
import { textOf } from "./text-of-moment.ts";

const MAX_HITS = 200;
/** A browser takes longer to begin inflating than so much takes on the way; a run has hundreds of such chunks. */
const SMALL_CHUNK_BYTES = 16 * 1024;
const FOREVER_MS = 0xffffffff;
/** How far back lines that stand are looked for: as often as they are said again while text changes, else from the start. */
const TEXT_BACK_MS = [RESTATE_TEXT_MS + 60_000, Number.POSITIVE_INFINITY] as const;
/** Text is noted when it was read, which takes at most so long, and not when it was shown. */
const READ_LATE_MS = 60_000;

/** A recording's files, open for reading. */
export class OpenRecording implements RecordingReader {
  readonly #source: BlockSource;
  readonly #summary: () => RecordingSummary;
  readonly #seeker: FrameSeeker;
  readonly #catchUp: () => Promise<void>;
  #isClosed = false;

  /** `summary`: of now. `catchUp`: writes what a running recording still holds back. */
  constructor(
    source: BlockSource,
    summary: () => RecordingSummary,
    catchUp: () => Promise<void> = () => Promise.resolve(),
  ) {
    this.#source = source;
    this.#summary = summary;
    this.#seeker = new FrameSeeker(picturesOf(source));
    this.#catchUp = catchUp;
  }

  get summary(): RecordingSummary {
    return this.#summary();
  }

  get chunkCount(): number {
    return this.#source.index.pictureCount;
  }

  /** What seeking has cost since it was opened. */
  get cost(): { readonly blocks: number; readonly bytes: number } {
    return this.#seeker.cost;
  }

  frameAt(ms: number): Promise<RecordedFrame> {
    return this.step(ms, (step) => {
      this.#seeker.lend();
      return frameOf(step);
    });
  }

  async keyframes(): Promise<readonly number[]> {
    return this.#source.index.keyTimes();
  }

  async frameTimes(fromMs: number, toMs: number): Promise<readonly number[]> {
    await this.#reach(toMs);
    const times: number[] = [];
    for (const block of (await this.#span(fromMs, toMs, false)).blocks) {
      const chunk = await this.#source.read(block);
      for (const { atMs } of readHeads(chunk)) if (atMs >= fromMs && atMs <= toMs) times.push(atMs);
    }
    return [...new Set(times)];
  }

  async chunks(fromMs: number, toMs: number): Promise<readonly PictureChunk[]> {
    await this.#reach(toMs);
    const { first, blocks } = await this.#span(fromMs, toMs, true);
    return blocks.map((block, i) => chunkOf(block, first + i));
  }

  async run(ms: number): Promise<PictureRun> {
    await this.#reach(ms);
    const { first, blocks } = await this.#span(ms, ms, true);
    const parts: PictureRun["parts"][number][] = [];
    for (const [i, block] of blocks.entries()) {
      const isDeflated = (block.flags & BLOCK_FLAG.deflated) !== 0 && block.rawBytes > SMALL_CHUNK_BYTES;
      const last = blocks.at(-1);
      const bytes = await (isDeflated
        ? this.#source.readDeflated(block, last)
        : this.#source.read(block, last));
      parts.push({ chunk: chunkOf(block, first + i), isDeflated, bytes });
    }
    const next = await this.#source.index.picture(first + blocks.length);
    return { parts, untilMs: next?.fromMs ?? null };
  }

  async chunkBytes(index: number): Promise<Uint8Array<ArrayBuffer>> {
    const block = index < 0 ? undefined : await this.#source.index.picture(index);
    if (block === undefined || block.rawBytes > MAX_CHUNK_BYTES) {
      throw new RecordingError("damaged", `there is no chunk ${index} of pictures`);
    }
    return Uint8Array.from(await this.#source.readDeflated(block));
  }

  async events(fromMs = 0, toMs = FOREVER_MS): Promise<readonly TrackEntry[]> {
    const entries: TrackEntry[] = [];
    for await (const entry of this.#entries(fromMs, toMs)) entries.push(entry);
    return entries;
  }

  async actions(): Promise<readonly ActionEntry[]> {
    const actions: ActionEntry[] = [];
    for await (const entry of this.#entries(0, FOREVER_MS)) if (entry.type === "action") actions.push(entry);
    return actions;
  }

  async search(query: string): Promise<readonly SearchHit[]> {
    const words = queryWords(query);
    if (words.length === 0) return [];
    const found = new SearchHits(words);
    for await (const entry of this.#entries(0, FOREVER_MS)) {
      found.add(entry);
      if (found.count >= MAX_HITS) break;
    }
    return found.hits.slice(0, MAX_HITS);
  }

  /** Entries block by block, from a place in the recording on, with where each block begins. */
  async *trackBlocks(
    afterAt: number,
  ): AsyncGenerator<{ readonly at: number; readonly entries: TrackEntry[] }> {
    await this.#reach(FOREVER_MS);
    const slice = new Slice("free");
    for (const block of await this.#source.index.tracksIn(0, FOREVER_MS)) {
      if (block.at <= afterAt) continue;
      if (slice.isOver) await slice.next();
      yield { at: block.at, entries: readTracks(await this.#source.read(block)) };
    }
  }

  /** The entries of the block that begins at a place. */
  async entriesAt(at: number): Promise<readonly TrackEntry[]> {
    return readTracks(await this.#source.readTracksAt(at));
  }

  async textAt(ms: number): Promise<RecordedText | null> {
    for (const backMs of TEXT_BACK_MS) {
      const fromMs = Math.max(0, ms - backMs);
      const text = textOf(await this.events(fromMs, ms + READ_LATE_MS), ms);
      if (text !== null || fromMs === 0) return text;
    }
    return null;
  }

  async step<Result>(ms: number, use: (step: Step) => Result): Promise<Result> {
    await this.#reach(ms);
    return this.#seeker.to(ms, use);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#source.close();
  }

  /** What a running recording has of the time until then is written. */
  async #reach(ms: number): Promise<void> {
    if (ms >= this.#source.index.durationMs && this.summary.state === "recording") await this.#catchUp();
  }

  async *#entries(fromMs: number, toMs: number): AsyncGenerator<TrackEntry, void, undefined> {
    await this.#reach(toMs);
    const slice = new Slice("free");
    for (const block of await this.#source.index.tracksIn(fromMs, toMs)) {
      // What is in memory is read without waiting: hours of it shall not hold up everybody else.
      if (slice.isOver) await slice.next();
      for (const entry of readTracks(await this.#source.read(block))) {
        if (entry.atMs >= fromMs && entry.atMs <= toMs) yield entry;
      }
    }
  }

  /** The blocks of pictures that touch a span; with the key that the first of them needs where it is asked for. */
  async #span(
    fromMs: number,
    toMs: number,
    isFromKey: boolean,
  ): Promise<{ readonly first: number; readonly blocks: readonly PlacedBlock[] }> {
    const { index } = this.#source;
    const from = await index.pictureAt(fromMs);
    if (from < 0) return { first: 0, blocks: [] };
    const first = isFromKey ? Math.max(0, await index.keyOf(from)) : from;
    return { first, blocks: await index.pictures(first, await index.pictureAt(toMs)) };
  }
}

function chunkOf(block: PlacedBlock, index: number): PictureChunk {
  return {
    index,
    isKey: (block.flags & BLOCK_FLAG.key) !== 0,
    fromMs: block.fromMs,
    toMs: block.toMs,
    frames: block.frames,
    sizeBytes: block.bodyBytes,
    rawBytes: block.rawBytes,
    changedPixels: block.changedPixels,
  };
}

function picturesOf(source: BlockSource): PictureSource {
  const { index } = source;
  return {
    async find(ms) {
      const target = await index.pictureAt(ms);
      return { target, key: await index.keyOf(target) };
    },
    async *chunks(first, last) {
      const blocks = await index.pictures(first, last);
      if (blocks.length !== last + 1 - first) {
        throw new RecordingError("damaged", `there are no blocks ${first} to ${last} of pictures`);
      }
      yield* source.readRun(blocks);
    },
  };
}
