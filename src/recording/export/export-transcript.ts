import type { RecordedLine, TextEntry, TrackEntry } from "../format/event-entry.ts";
import type { RecordingReader } from "../read/reader.ts";
import { isGrown } from "../read/search-hits.ts";

const TRACK_SPAN_MS = 600_000;

/** What happened beside the pixels, some minutes at a time, in order. */
export async function* trackSpans(
  reader: RecordingReader,
  fromMs: number,
  toMs: number,
  signal: AbortSignal,
): AsyncGenerator<readonly TrackEntry[]> {
  for (let at = fromMs; at <= toMs; at += TRACK_SPAN_MS) {
    signal.throwIfAborted();
    const end = Math.min(toMs, at + TRACK_SPAN_MS - 1);
    const entries = await reader.events(at, end);
    // Spans may share their edge, depending on how a store cuts: each entry is told once.
    const own = entries.filter(({ atMs }) => atMs >= at && atMs <= end);
    if (own.length > 0) yield own;
  }
}

/** Text is noted some time after it was shown: entries up to so much later may be of the range. */
const LATE_MS = 60_000;

/**
 * The text that was shown as plain text: what stood at the beginning of the range, then each line when it came. A line
 * that is being typed is told once it has stood through a reading of the screen.
 */
export async function* exportTranscript(
  reader: RecordingReader,
  fromMs: number,
  toMs: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { title, startedAt, durationMs } = reader.summary;
  yield Buffer.from(`${title}, ${startedAt}\n`);
  const standing = await reader.textAt(fromMs);
  const lines = new Transcript(standing === null ? [] : standing.lines, fromMs);
  yield lines.settled();
  const lastMs = Math.min(durationMs, toMs + LATE_MS);
  for await (const entries of trackSpans(reader, fromMs, lastMs, signal)) {
    for (const entry of entries) {
      if (entry.type !== "text" || entry.shownMs <= fromMs || entry.shownMs > toMs) continue;
      lines.follow(entry);
      const settled = lines.settled();
      if (settled.length > 0) yield settled;
    }
  }
  yield lines.rest();
}

interface Fresh {
  readonly atMs: number;
  readonly line: RecordedLine;
}

class Transcript {
  /** Came with the last entry, and may be but begun. */
  #fresh: readonly Fresh[];
  #settled: readonly Fresh[] = [];

  constructor(standing: readonly RecordedLine[], atMs: number) {
    this.#fresh = [];
    this.#settled = placed(standing).map((line) => ({ atMs, line }));
  }

  follow({ came, gone, shownMs }: TextEntry): void {
    const left = new Set(gone);
    const grown = new Map<number, Fresh>();
    const fresh = placed(came).map((line) => {
      const before = this.#fresh.find(
        ({ line: known }) => left.has(known.id) && !grown.has(known.id) && isGrown(known, line),
      );
      if (before !== undefined) grown.set(before.line.id, before);
      return { atMs: before?.atMs ?? shownMs, line };
    });
    this.#settled = this.#fresh.filter(({ line }) => !grown.has(line.id));
    this.#fresh = fresh;
  }

  settled(): Buffer {
    const told = tell(this.#settled);
    this.#settled = [];
    return told;
  }

  rest(): Buffer {
    return tell(this.#fresh);
  }
}

/** From top to bottom, from left to right in a row. */
function placed(lines: readonly RecordedLine[]): RecordedLine[] {
  return [...lines].sort((a, b) => a.y + a.height - b.y - b.height || a.x - b.x);
}

function tell(lines: readonly Fresh[]): Buffer {
  return Buffer.from(lines.map(({ atMs, line }) => `${timeOf(atMs)}  ${line.text}\n`).join(""));
}

/** "0:04:07.250" */
function timeOf(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (number: number): string => String(number).padStart(2, "0");
  const clock = `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return `${clock}.${String(Math.floor(ms) % 1000).padStart(3, "0")}`;
}
