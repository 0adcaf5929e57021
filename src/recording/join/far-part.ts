import type * as z from "zod";
import { Slice } from "../../platform/loop-turns.ts";
import { readTracks } from "../format/event-codec.ts";
import type { ActionEntry, TrackEntry } from "../format/event-entry.ts";
import type { RecordingSummary } from "../format/summary.ts";
import { RecordingError } from "../library/error.ts";
import { frameOf } from "../read/frame-of-step.ts";
import { FrameSeeker, type Step } from "../read/frame-seeker.ts";
import type {
  PictureChunk,
  PictureRun,
  RecordedFrame,
  RecordedText,
  RecordingReader,
  SearchHit,
} from "../read/reader.ts";
import {
  chunksSchema,
  hitsSchema,
  lengthsSchema,
  type PartAnswer,
  type PartAsk,
  readPartAnswer,
  runSchema,
  textSchema,
  timesSchema,
} from "./part-asks.ts";
import { inflatedChunk } from "./shifted-chunk.ts";

/** Asks the node that has a part; rejects with RefusedError node_unreachable where it does not answer. */
export type AskPart = (ask: PartAsk) => Promise<Buffer>;

/** Entries of so long are asked for at once. */
const SPAN_MS = 300_000;
const LINE_END = "\n".charCodeAt(0);
/** So many bytes of entries are read before others get a turn. */
const READ_BYTES = 64 * 1024;
/** Later nothing is: 2^53 in JSON, without what it cannot say. */
const FOREVER_MS = Number.MAX_SAFE_INTEGER;

/** A part that another node has, which reads it: what it gives is what it would show itself. */
export class FarPart implements RecordingReader {
  readonly #ask: AskPart;
  readonly #seeker: FrameSeeker;
  #told: Pick<PartAnswer, "summary" | "chunks">;

  private constructor(ask: AskPart, told: PartAnswer) {
    this.#ask = ask;
    this.#told = told;
    this.#seeker = new FrameSeeker({
      find: async (ms) => {
        const needed = await this.chunks(ms, ms);
        return { target: needed.at(-1)?.index ?? -1, key: needed[0]?.index ?? -1 };
      },
      chunks: (first, last) => this.#inflated(first, last),
    });
  }

  /** Rejects with RefusedError not_found, node_unreachable; RecordingError. */
  static async open(ask: AskPart): Promise<FarPart> {
    return new FarPart(ask, readPartAnswer(await ask({ ask: "open" })));
  }

  /** As it was when something was asked last. */
  get summary(): RecordingSummary {
    return this.#told.summary;
  }

  get chunkCount(): number {
    return this.#told.chunks;
  }

  frameAt(ms: number): Promise<RecordedFrame> {
    return this.step(ms, (step) => {
      this.#seeker.lend();
      return frameOf(step);
    });
  }

  step<Result>(ms: number, use: (step: Step) => Result): Promise<Result> {
    return this.#seeker.to(ms, use);
  }

  async keyframes(): Promise<readonly number[]> {
    return this.#result({ ask: "keyframes" }, timesSchema);
  }

  async frameTimes(fromMs: number, toMs: number): Promise<readonly number[]> {
    return this.#result({ ask: "frame_times", ...spanOf(fromMs, toMs) }, timesSchema);
  }

  async chunks(fromMs: number, toMs: number): Promise<readonly PictureChunk[]> {
    return this.#result({ ask: "chunks", ...spanOf(fromMs, toMs) }, chunksSchema);
  }

  async chunkBytes(index: number): Promise<Uint8Array<ArrayBuffer>> {
    return Uint8Array.from((await this.#answer({ ask: "bytes", first: index, last: index })).bytes);
  }

  async run(ms: number): Promise<PictureRun> {
    const { result, bytes } = await this.#answer({ ask: "run", at_ms: ms });
    const { parts, untilMs } = parsed(runSchema, result);
    let at = 0;
    return {
      untilMs,
      parts: parts.map((part) => {
        const from = at;
        at += part.bytes;
        return { ...part, bytes: bytes.subarray(from, at) };
      }),
    };
  }

  async events(fromMs = 0, toMs = FOREVER_MS): Promise<readonly TrackEntry[]> {
    const entries: TrackEntry[] = [];
    const lastMs = Math.min(toMs, FOREVER_MS);
    for (let from = fromMs; from <= lastMs; from += SPAN_MS) {
      // The last of them has all that is there by then, however much it grew.
      const isLast = from + SPAN_MS > Math.min(lastMs, this.summary.durationMs);
      const to = isLast ? lastMs : from + SPAN_MS;
      const { bytes } = await this.#answer({ ask: "events", ...spanOf(from, to) });
      for (const entry of await entriesOf(bytes)) if (isLast || entry.atMs < to) entries.push(entry);
      if (isLast) break;
    }
    return entries;
  }

  async actions(): Promise<readonly ActionEntry[]> {
    return (await this.events()).filter((entry) => entry.type === "action");
  }

  async search(query: string): Promise<readonly SearchHit[]> {
    const { result, bytes } = await this.#answer({ ask: "search", query });
    const hits = parsed(hitsSchema, result);
    const entries = await entriesOf(bytes);
    if (entries.length !== hits.length) throw notOurs();
    return hits.flatMap((hit, nth) => {
      const entry = entries[nth];
      return entry === undefined ? [] : [{ ...hit, entry }];
    });
  }

  async textAt(ms: number): Promise<RecordedText | null> {
    return this.#result({ ask: "text", at_ms: ms }, textSchema);
  }

  async close(): Promise<void> {
    // Its node closes what nobody asks for.
  }

  async *#inflated(first: number, last: number): AsyncGenerator<Buffer, void, undefined> {
    for (let index = first; index <= last; ) {
      const { result, bytes } = await this.#answer({ ask: "bytes", first: index, last });
      let at = 0;
      for (const length of parsed(lengthsSchema, result)) {
        yield inflatedChunk(bytes.subarray(at, at + length));
        at += length;
        index += 1;
      }
    }
  }

  async #result<Schema extends z.ZodType>(ask: PartAsk, schema: Schema): Promise<z.output<Schema>> {
    return parsed(schema, (await this.#answer(ask)).result);
  }

  async #answer(ask: PartAsk): Promise<PartAnswer> {
    const answer = readPartAnswer(await this.#ask(ask));
    this.#told = answer;
    return answer;
  }
}

function spanOf(fromMs: number, toMs: number): { readonly from_ms: number; readonly to_ms: number } {
  return { from_ms: fromMs, to_ms: Math.max(0, Math.min(toMs, FOREVER_MS)) };
}

function parsed<Schema extends z.ZodType>(schema: Schema, result: unknown): z.output<Schema> {
  const { data, success } = schema.safeParse(result);
  if (!success) throw notOurs();
  return data;
}

function notOurs(): RecordingError {
  return new RecordingError("damaged", "the node that has it answers as this version does not");
}

/** In turns: minutes of entries may be megabytes. */
async function entriesOf(bytes: Buffer): Promise<readonly TrackEntry[]> {
  const slice = new Slice("free");
  const entries: TrackEntry[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (slice.isOver) await slice.next();
    const end = bytes.indexOf(LINE_END, Math.min(bytes.length - 1, at + READ_BYTES));
    const next = end < 0 ? bytes.length : end + 1;
    for (const entry of readTracks(bytes.subarray(at, next))) entries.push(entry);
    at = next;
  }
  return entries;
}
