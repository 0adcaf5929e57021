import { PlainPicture } from "../../../framebuffer/plain-picture.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import { PictureDecoder, readHeads } from "../../../protocols/recording/picture-decoder.ts";
import type { PictureHead } from "../../../protocols/recording/picture-format.ts";
import type { ChunksInfo, PictureChunkInfo } from "../../api/api.ts";
import { ChunkIndex, type ChunkRun, WINDOW_MS } from "./chunk-index.ts";
import type { Span } from "./moments.ts";

/** Where a recording's chunks come from. */
export interface ChunkSource {
  /** Those that touch a span, from the key that its beginning needs; `toMs` null: to the end. */
  chunks(fromMs: number, toMs: number | null, signal: AbortSignal): Promise<ChunksInfo>;
  /** Inflated. */
  chunk(index: number, signal: AbortSignal): Promise<Uint8Array>;
  /** All that the picture of a moment needs, from its key on. */
  run(atMs: number, signal: AbortSignal): Promise<FetchedRun>;
}

/** The chunks of one moment, each being inflated. */
export interface FetchedRun {
  readonly parts: readonly { readonly info: PictureChunkInfo; readonly bytes: Promise<Uint8Array> }[];
  /** When the chunk after them begins; null: there was none. */
  readonly untilMs: number | null;
}

/** A chunk whose pictures can be painted. */
interface Inflated {
  readonly bytes: Uint8Array;
  readonly heads: readonly PictureHead[];
}

/** A picture that was painted, and where it differs from the one painted before. */
export interface ShownFrame {
  readonly frame: PlainPicture;
  /** null: everywhere. They may overlap. */
  readonly painted: readonly Rect[] | null;
  /** When it came up. */
  readonly atMs: number;
  readonly isPartial: boolean;
}

/** More parts than this are put on a canvas faster as one. */
const MOST_PARTS = 1500;
/** With more of a run missing it comes in one answer. */
const MOST_ALONE = 2;
/** Inflated chunks kept for going back a little; the oldest use goes first. */
const KEPT_BYTES = 96 * 1024 * 1024;

/**
 * The pictures of one recording, fetched as they are needed and painted into one framebuffer. INVARIANT: `frameAt` is
 * not called again before it has settled; `prefetch`, `frameAfter` and `frameBefore` may be.
 */
export class ChunkPlayer {
  readonly #source: ChunkSource;
  readonly #index = new ChunkIndex();
  readonly #windows = new Map<number, Promise<void>>();
  readonly #inflated = new Map<number, Promise<Inflated>>();
  readonly #sizes = new Map<number, number>();
  readonly #decoder = new PictureDecoder((width, height) => new PlainPicture(width, height));
  readonly #closing = new AbortController();
  /** What the framebuffer shows: a head of a chunk. */
  #shown: { readonly chunk: number; readonly head: number } | null = null;
  #durationMs: number;
  /** The last one that was fetched whole, while nothing else is known of its time. */
  #run: { readonly chunks: readonly PictureChunkInfo[]; readonly untilMs: number } | null = null;

  /** What was found idle, and of what. */
  #idle: {
    readonly spans: readonly Span[];
    readonly moments: readonly number[];
    readonly version: number;
    readonly durationMs: number;
  } | null = null;

  constructor(source: ChunkSource, durationMs: number) {
    this.#source = source;
    this.#durationMs = durationMs;
  }

  get durationMs(): number {
    return this.#durationMs;
  }

  close(): void {
    this.#closing.abort();
    this.#inflated.clear();
  }

  /** The same list until more is known, or other moments are given. */
  idle(moments: readonly number[]): readonly Span[] {
    const { version } = this.#index;
    const known = this.#idle;
    if (known?.moments === moments && known.version === version && known.durationMs === this.#durationMs) {
      return known.spans;
    }
    const spans = this.#index.idle(this.#durationMs, moments);
    this.#idle = { spans, moments, version, durationMs: this.#durationMs };
    return spans;
  }

  /** Asks how far a running recording has come; true while it runs. */
  async grow(): Promise<boolean> {
    const since = this.#index.newest?.from_ms ?? 0;
    const { state, duration_ms, chunks } = await this.#source.chunks(since, null, this.#closing.signal);
    this.#durationMs = duration_ms;
    for (let window = ChunkIndex.windowOf(since); window <= ChunkIndex.windowOf(duration_ms); window++) {
      // A window that nobody has looked into is read whole when somebody does.
      if (this.#index.has(window))
        this.#index.add(
          window,
          chunks.filter((one) => touches(one, window)),
        );
    }
    return state === "recording";
  }

  /** The picture that stood at a moment; null where the recording has none. */
  async frameAt(ms: number): Promise<ShownFrame | null> {
    const run = await this.#runAt(ms);
    const target = run?.chunks.at(-1);
    if (!run || !target) return null;
    const resumed = this.#resumable(run.chunks, ms);
    const chunks = resumed === null ? run.chunks : run.chunks.filter(({ index }) => index >= resumed.chunk);
    if (chunks.filter(({ index }) => !this.#inflated.has(index)).length > MOST_ALONE)
      await this.#fetchRun(ms);
    const inflated = await Promise.all(chunks.map((chunk) => this.#inflate(chunk.index)));
    // Everything is there now: from here on nothing waits, so that no other picture comes between.
    let painted: Rect[] | null = resumed === null ? null : [];
    if (resumed === null) this.#decoder.reset();
    this.#shown = null;
    for (const [i, chunk] of chunks.entries()) {
      const { bytes, heads } = inflated[i] ?? { bytes: new Uint8Array(), heads: [] };
      const from = resumed !== null && chunk.index === resumed.chunk ? resumed.head + 1 : 0;
      for (let at = from; at < heads.length; at++) {
        const head = heads[at];
        const isFirst = chunk === run.chunks[0] && at === 0;
        if (!head || (head.atMs > ms && !isFirst)) break;
        this.#decoder.paint(bytes, head, painted);
        if (head.isKey || (painted?.length ?? 0) > MOST_PARTS) painted = null;
        this.#shown = { chunk: chunk.index, head: at };
      }
    }
    this.#shown ??= resumed;
    const { frame, head } = this.#decoder;
    if (!frame || !head) return null;
    return { frame, painted, atMs: head.atMs, isPartial: head.isPartial };
  }

  /** When the next picture comes after a moment; null at the end. */
  async frameAfter(ms: number): Promise<number | null> {
    const chunk = await this.#chunkAt(ms);
    if (!chunk) return null;
    const { heads } = await this.#inflate(chunk.index);
    const next = heads.find(({ atMs }) => atMs > ms);
    if (next) return next.atMs;
    await this.#load(ms + WINDOW_MS);
    const around = this.#index.within({ fromMs: 0, toMs: ms + WINDOW_MS });
    const following = around.find(({ index }) => index > chunk.index);
    return following === undefined ? null : ((await this.#inflate(following.index)).heads[0]?.atMs ?? null);
  }

  /** When the picture before the one of a moment came up; null at the beginning. */
  async frameBefore(ms: number): Promise<number | null> {
    const chunk = await this.#chunkAt(ms);
    if (!chunk) return null;
    const { heads } = await this.#inflate(chunk.index);
    const previous = heads.findLast(({ atMs }) => atMs < ms);
    if (previous) return previous.atMs;
    await this.#load(Math.max(0, ms - WINDOW_MS));
    const before = this.#index.within({ fromMs: 0, toMs: ms }).findLast(({ index }) => index < chunk.index);
    return before === undefined ? null : ((await this.#inflate(before.index)).heads.at(-1)?.atMs ?? null);
  }

  /** Fetches what is played next. */
  prefetch(span: Span): void {
    const ahead = async (): Promise<void> => {
      await this.#load(span.fromMs);
      await this.#load(Math.min(this.#durationMs, span.toMs));
      await Promise.all(this.#index.within(span).map(({ index }) => this.#inflate(index)));
    };
    // Whoever needs what could not be fetched tries again, and says so.
    ahead().catch(() => {});
  }

  /** Gets to know the chunks around a moment: what follows then is fetched one by one. */
  learn(ms: number): Promise<void> {
    return this.#load(ms);
  }

  /** The chunks of a moment. Where its part of the index is not known yet they come without it. */
  async #runAt(ms: number): Promise<ChunkRun | null> {
    const clamped = Math.max(0, Math.min(ms, this.#durationMs));
    if (this.#index.has(ChunkIndex.windowOf(clamped))) return this.#index.runAt(clamped);
    const known = this.#run;
    const fromMs = known?.chunks[0]?.from_ms ?? Number.POSITIVE_INFINITY;
    const isKnown = known !== null && clamped >= fromMs && clamped < known.untilMs;
    const chunks = isKnown ? known.chunks : await this.#fetchRun(clamped);
    const upTo = chunks.filter(({ from_ms }, i) => i === 0 || from_ms <= clamped);
    return upTo.length === 0 ? null : { chunks: upTo };
  }

  async #fetchRun(ms: number): Promise<readonly PictureChunkInfo[]> {
    const { parts, untilMs } = await this.#source.run(ms, this.#closing.signal);
    for (const { info, bytes } of parts)
      if (!this.#inflated.has(info.index)) void this.#keep(info.index, bytes);
    const chunks = parts.map(({ info }) => info);
    // What comes after the last of a running recording is not known: it is asked for.
    this.#run = { chunks, untilMs: untilMs ?? ms + 1 };
    return chunks;
  }

  async #chunkAt(ms: number): Promise<PictureChunkInfo | undefined> {
    await this.#load(ms);
    return this.#index.runAt(ms)?.chunks.at(-1);
  }

  /** Where painting may go on, if what is shown lies before the moment in the same run. */
  #resumable(chunks: readonly PictureChunkInfo[], ms: number): { chunk: number; head: number } | null {
    const shown = this.#shown;
    const atMs = this.#decoder.head?.atMs;
    if (!shown || atMs === undefined || atMs > ms) return null;
    return chunks.some(({ index }) => index === shown.chunk) ? shown : null;
  }

  #load(ms: number): Promise<void> {
    const window = ChunkIndex.windowOf(Math.max(0, Math.min(ms, this.#durationMs)));
    const known = this.#windows.get(window);
    if (known) return known;
    const loading = this.#loadWindow(window);
    this.#windows.set(window, loading);
    loading.catch(() => this.#windows.delete(window));
    return loading;
  }

  async #loadWindow(window: number): Promise<void> {
    const fromMs = window * WINDOW_MS;
    const { chunks } = await this.#source.chunks(fromMs, fromMs + WINDOW_MS, this.#closing.signal);
    this.#index.add(window, chunks);
  }

  #inflate(index: number): Promise<Inflated> {
    const known = this.#inflated.get(index);
    if (known) {
      this.#inflated.delete(index);
      this.#inflated.set(index, known);
      return known;
    }
    return this.#keep(index, this.#source.chunk(index, this.#closing.signal));
  }

  #keep(index: number, fetched: Promise<Uint8Array>): Promise<Inflated> {
    const loading = fetched.then((bytes) => {
      this.#sizes.set(index, bytes.length);
      this.#forget(index);
      return { bytes, heads: readHeads(bytes) };
    });
    this.#inflated.set(index, loading);
    loading.catch(() => this.#inflated.delete(index));
    return loading;
  }

  #forget(newest: number): void {
    let held = 0;
    for (const index of this.#inflated.keys()) held += this.#sizes.get(index) ?? 0;
    for (const index of [...this.#inflated.keys()]) {
      if (held <= KEPT_BYTES || index === newest) return;
      held -= this.#sizes.get(index) ?? 0;
      this.#inflated.delete(index);
      this.#sizes.delete(index);
    }
  }
}

/** Whether a chunk belongs into a window's list: it touches it, or may be the key before it. */
function touches({ from_ms, to_ms }: PictureChunkInfo, window: number): boolean {
  return from_ms < (window + 1) * WINDOW_MS && to_ms >= window * WINDOW_MS;
}
