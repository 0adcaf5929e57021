import { readHeads } from "../protocols/recording/picture-decoder.ts";
import { MAX_CHUNK_BYTES } from "../protocols/recording/picture-format.ts";
import { BLOCK_FLAG } from "./block.ts";
import type { PlacedBlock } from "./block-index.ts";
import type { BlockSource } from "./block-source.ts";
import { RecordingError } from "./error.ts";
import { PictureWalk, type Step } from "./picture-walk.ts";
import type { PictureChunk, RecordedFrame, RecordingReader, SearchHit } from "./reader.ts";
import type { RecordingSummary } from "./summary.ts";
import type { ActionEntry, TrackEntry } from "./track-entry.ts";
import { readTracks, wordsOf } from "./tracks.ts";

const MAX_HITS = 200;
/** Track blocks read at a time by a search. */
const FOREVER_MS = 0xffffffff;

/** A recording's files, open for reading. */
export class OpenRecording implements RecordingReader {
  readonly #source: BlockSource;
  readonly #summary: () => RecordingSummary;
  readonly #walk: PictureWalk;
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
    this.#walk = new PictureWalk(source);
    this.#catchUp = catchUp;
  }

  get summary(): RecordingSummary {
    return this.#summary();
  }

  /** What seeking has cost since it was opened. */
  get cost(): { readonly blocks: number; readonly bytes: number } {
    return this.#walk.cost;
  }

  frameAt(ms: number): Promise<RecordedFrame> {
    return this.step(ms, frameOf);
  }

  async keyframes(): Promise<readonly number[]> {
    return this.#source.index.keyTimes;
  }

  async frameTimes(fromMs: number, toMs: number): Promise<readonly number[]> {
    await this.#reach(toMs);
    const times: number[] = [];
    for (const block of this.#span(fromMs, toMs, false)) {
      const chunk = await this.#source.read(block);
      for (const { atMs } of readHeads(chunk)) if (atMs >= fromMs && atMs <= toMs) times.push(atMs);
    }
    return [...new Set(times)];
  }

  async chunks(fromMs: number, toMs: number): Promise<readonly PictureChunk[]> {
    await this.#reach(toMs);
    const { pictures } = this.#source.index;
    const span = this.#span(fromMs, toMs, true);
    const first = span[0] === undefined ? 0 : pictures.indexOf(span[0]);
    return span.map((block, i) => ({
      index: first + i,
      isKey: (block.flags & BLOCK_FLAG.key) !== 0,
      fromMs: block.fromMs,
      toMs: block.toMs,
      frames: block.frames,
      sizeBytes: block.bodyBytes,
      rawBytes: block.rawBytes,
      changedPixels: block.changedPixels,
    }));
  }

  async chunkBytes(index: number): Promise<Uint8Array<ArrayBuffer>> {
    const block = this.#source.index.pictures[index];
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
    const wanted = query
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    if (wanted.length === 0) return [];
    const hits: SearchHit[] = [];
    for await (const entry of this.#entries(0, FOREVER_MS)) {
      const text = wordsOf(entry);
      const lower = text.toLowerCase();
      if (!wanted.every((word) => lower.includes(word))) continue;
      hits.push({ atMs: entry.atMs, entry, text });
      if (hits.length === MAX_HITS) break;
    }
    return hits;
  }

  /** As `frameAt`, for who shows the frame where it is: see PictureWalk. */
  async step<Result>(ms: number, use: (step: Step) => Result): Promise<Result> {
    await this.#reach(ms);
    return this.#walk.to(ms, use);
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
    for (const block of this.#source.index.tracksIn(fromMs, toMs)) {
      for (const entry of readTracks(await this.#source.read(block))) {
        if (entry.atMs >= fromMs && entry.atMs <= toMs) yield entry;
      }
    }
  }

  /** The blocks of pictures that touch a span; with the key that the first of them needs where it is asked for. */
  #span(fromMs: number, toMs: number, isFromKey: boolean): readonly PlacedBlock[] {
    const { index } = this.#source;
    const first = index.pictureAt(fromMs);
    const last = index.pictureAt(toMs);
    if (first < 0) return [];
    return index.pictures.slice(isFromKey ? Math.max(0, index.keyOf(first)) : first, last + 1);
  }
}

function frameOf({ frame, head }: Step): RecordedFrame {
  return {
    width: frame.width,
    height: frame.height,
    atMs: head.atMs,
    generation: head.generation,
    isExact: !head.isPartial,
    rgba: frame.bytes.slice(),
  };
}
