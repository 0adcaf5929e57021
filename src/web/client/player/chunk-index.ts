import type { PictureChunkInfo } from "../../api/api.ts";
import { idleSpans, type Span } from "./moments.ts";

/** The index is read by spans of so long, whatever the length of the recording. */
export const WINDOW_MS = 300_000;

/**
 * A caret that blinks takes some 12 bytes a picture beyond the first, deflated; a letter in the plainest of types takes
 * more. Measured on Xtigervnc with xterm and Chromium, 2026-11-21.
 */
const QUIET_BYTES = 36;
const QUIET_BYTES_A_PICTURE = 12;
/** What blinks comes again within so long; a single small change may be one that matters. */
const BLINK_MS = 2500;

/** The chunks to decode for one moment, the key first. */
export interface ChunkRun {
  readonly chunks: readonly PictureChunkInfo[];
}

/** What is known of a recording's chunks, window by window. */
export class ChunkIndex {
  readonly #chunks = new Map<number, PictureChunkInfo>();
  readonly #windows = new Map<number, readonly PictureChunkInfo[]>();
  #version = 0;

  /** Another one whenever more is known. */
  get version(): number {
    return this.#version;
  }

  static windowOf(ms: number): number {
    return Math.floor(ms / WINDOW_MS);
  }

  has(window: number): boolean {
    return this.#windows.has(window);
  }

  /** Takes what the server said of a window: from the key that its beginning needs. */
  add(window: number, chunks: readonly PictureChunkInfo[]): void {
    this.#version += 1;
    for (const chunk of chunks) this.#chunks.set(chunk.index, chunk);
    const known = this.#windows.get(window) ?? [];
    const merged = new Map([...known, ...chunks].map((chunk) => [chunk.index, chunk]));
    this.#windows.set(
      window,
      [...merged.values()].sort((a, b) => a.index - b.index),
    );
  }

  /** The run that ends with the picture of `ms`: of the first one where none is as early. null for an empty window. */
  runAt(ms: number): ChunkRun | null {
    const chunks = this.#windows.get(ChunkIndex.windowOf(ms)) ?? [];
    const first = chunks[0];
    if (first === undefined) return null;
    let last = chunks.findLastIndex(({ from_ms }) => from_ms <= ms);
    if (last < 0) last = 0;
    let key = last;
    while (key > 0 && !(chunks[key]?.is_key ?? true)) key--;
    return { chunks: chunks.slice(key, last + 1) };
  }

  /** The newest chunk that is known. */
  get newest(): PictureChunkInfo | undefined {
    let newest: PictureChunkInfo | undefined;
    for (const chunk of this.#chunks.values()) {
      if (newest === undefined || chunk.index > newest.index) newest = chunk;
    }
    return newest;
  }

  /** The chunks that begin within a span, the earliest first. */
  within({ fromMs, toMs }: Span): readonly PictureChunkInfo[] {
    const found: PictureChunkInfo[] = [];
    for (let window = ChunkIndex.windowOf(fromMs); window <= ChunkIndex.windowOf(toMs); window++) {
      for (const chunk of this.#windows.get(window) ?? []) {
        const isIn = chunk.from_ms >= fromMs && chunk.from_ms <= toMs;
        if (isIn && found.at(-1)?.index !== chunk.index) found.push(chunk);
      }
    }
    return found;
  }

  /** Idle spans of the windows that are known; `moments`: actions and the like, which nobody should miss, sorted. */
  idle(durationMs: number, moments: readonly number[]): readonly Span[] {
    const spans: Span[] = [];
    for (const window of [...this.#windows.keys()].sort((a, b) => a - b)) {
      const within = { fromMs: window * WINDOW_MS, toMs: Math.min(durationMs, (window + 1) * WINDOW_MS) };
      const busy = [
        ...(this.#windows.get(window) ?? [])
          .filter((chunk, i, all) => !isBlinking(chunk, all[i - 1], all[i + 1]))
          .map(spanOf),
        ...moments
          .filter((ms) => ms >= within.fromMs && ms < within.toMs)
          .map((ms) => ({ fromMs: ms, toMs: ms })),
      ].sort((a, b) => a.fromMs - b.fromMs);
      spans.push(...idleSpans(busy, within));
    }
    // What cannot be read has nothing to wait for, neither at its beginning nor at its end.
    const lost = [...this.#chunks.values()].filter(({ frames }) => !frames).map(spanOf);
    return [...spans, ...lost].sort((a, b) => a.fromMs - b.fromMs);
  }
}

function spanOf({ from_ms, to_ms }: PictureChunkInfo): Span {
  return { fromMs: from_ms, toMs: to_ms };
}

/** Whether nothing but a caret blinked in a chunk: next to nothing changed, and again and again. */
function isBlinking(
  chunk: PictureChunkInfo,
  before: PictureChunkInfo | undefined,
  after: PictureChunkInfo | undefined,
): boolean {
  const { is_key, size_bytes, frames, from_ms, to_ms } = chunk;
  if (is_key || size_bytes > QUIET_BYTES + QUIET_BYTES_A_PICTURE * frames) return false;
  const sinceMs = from_ms - (before?.to_ms ?? Number.NEGATIVE_INFINITY);
  const untilMs = (after?.from_ms ?? Number.POSITIVE_INFINITY) - to_ms;
  return frames > 1 || Math.min(sinceMs, untilMs) <= BLINK_MS;
}
