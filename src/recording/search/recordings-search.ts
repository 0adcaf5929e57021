import type { Clock } from "../../platform/clock.ts";
import { Slice } from "../../platform/loop-turns.ts";
import type { RecordingSummary } from "../format/summary.ts";
import type { FoundInRecordings, SearchScope } from "../library/recording-types.ts";
import type { OpenRecording } from "../read/open-recording.ts";
import { queryWords, SearchHits } from "../read/search-hits.ts";
import { WordIndex, WordIndexBuilder, type WordPlaces } from "./word-index.ts";
import { wordsIn, wordsOfEntry } from "./words.ts";

/** What is needed of the recordings. */
export interface SearchedRecordings {
  /** Ids of all, the newest first. */
  ids(): Promise<readonly string[]>;
  get(id: string): Promise<RecordingSummary>;
  open(id: string): Promise<OpenRecording>;
  /** The index of a recording that is kept beside it; null: there is none. */
  readIndex(id: string): Promise<Buffer | null>;
  writeIndex(id: string, index: Buffer): Promise<void>;
}

/** Indices in memory; what was not searched for longest is read again from its file. */
const MOST_INDEX_BYTES = 64 * 1024 * 1024;
/** A search waits so long for recordings that were never read; reading goes on. */
const MOST_WAIT_MS = 2_000;
/** Hits of one recording: the others are found in it alone. */
const MOST_OF_ONE = 10;
/** Blocks of one recording that are looked into: words of a query may stand in one block and not in one line. */
const MOST_BLOCKS = 100;
/** So many recordings are looked up at once. */
const LOADED_AT_ONCE = 16;

interface Known {
  readonly summary: RecordingSummary;
  /** null: dropped from memory, and in its file. */
  places: WordPlaces | null;
}

/**
 * Finds words in all recordings, by an index of each. INVARIANT: an index only says where to look; what is found is read
 * from the recording and checked against its chain.
 */
export class RecordingsSearch {
  readonly #recordings: SearchedRecordings;
  readonly #clock: Pick<Clock, "after">;
  /** By id; who was used least lately comes first. */
  readonly #known = new Map<string, Known>();
  /** Being read for the first time. */
  readonly #reading = new Map<string, Promise<void>>();
  #line: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(recordings: SearchedRecordings, clock: Pick<Clock, "after">) {
    this.#recordings = recordings;
    this.#clock = clock;
  }

  /** The newest recordings first. */
  async search(query: string, { reach, limit }: SearchScope): Promise<FoundInRecordings> {
    const words = queryWords(query);
    const hits: FoundInRecordings["hits"][number][] = [];
    if (words.length === 0) return { hits, isCut: false, unread: 0 };
    const parts = words.flatMap(wordsIn);
    const ids = await this.#recordings.ids();
    this.#forgetOthers(ids);
    const wait = this.#waiting();
    let unread = 0;
    let isCut = false;
    const slice = new Slice("free");
    try {
      for (let first = 0; first < ids.length; first += LOADED_AT_ONCE) {
        const some = ids.slice(first, first + LOADED_AT_ONCE);
        const loaded = await Promise.all(some.map((id) => this.#load(id, reach, wait.over)));
        for (const known of loaded) {
          if (slice.isOver) await slice.next();
          if (known === null) continue;
          if (known === "unread") {
            unread++;
            continue;
          }
          const blocks = known.places?.blocksWith(parts) ?? [];
          if (blocks.length === 0) continue;
          if (hits.length >= limit) return { hits, isCut: true, unread };
          const found = await this.#look(known.summary, blocks, words, reach);
          hits.push(...found.hits);
          isCut ||= found.isCut;
        }
      }
    } finally {
      wait.end();
    }
    return { hits: hits.slice(0, limit), isCut: isCut || hits.length > limit, unread };
  }

  /** Reads a recording that is sealed now, so that a search need not. */
  ended(id: string): void {
    void this.#read(id);
  }

  /** Resolves when nothing of a recording is being read or written. */
  async forget(id: string): Promise<void> {
    await this.#reading.get(id);
    this.#known.delete(id);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#line;
  }

  #waiting(): { readonly over: Promise<void>; end(): void } {
    let end = (): void => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    const cancel = this.#clock.after(MOST_WAIT_MS, end);
    return {
      over,
      end: () => {
        cancel();
        end();
      },
    };
  }

  #forgetOthers(ids: readonly string[]): void {
    const there = new Set(ids);
    for (const id of this.#known.keys()) if (!there.has(id)) this.#known.delete(id);
  }

  /** null: it is not the caller's, or cannot be read. */
  async #load(
    id: string,
    reach: SearchScope["reach"],
    over: Promise<void>,
  ): Promise<Known | "unread" | null> {
    const before = this.#known.get(id)?.summary;
    const summary = before?.state === "sealed" ? before : await this.#summaryOf(id);
    if (summary === null || reach(summary) === "none") return null;
    const held = this.#known.get(id);
    const isSame = held?.summary.state === summary.state && held.summary.bytes === summary.bytes;
    if (held?.places != null && isSame && summary.state !== "recording") return this.#used(id, held);
    const isRead = await Promise.race([this.#read(id).then(() => true), over.then(() => false)]);
    if (!isRead) return "unread";
    const known = this.#known.get(id);
    return known === undefined ? null : this.#used(id, { ...known, summary });
  }

  async #summaryOf(id: string): Promise<RecordingSummary | null> {
    try {
      return await this.#recordings.get(id);
    } catch {
      return null; // deleted since, or not for us: a list says more
    }
  }

  #used(id: string, known: Known): Known {
    this.#known.delete(id);
    this.#known.set(id, known);
    return known;
  }

  /** Brings the index of a recording into memory; one recording is read at a time. Never rejects. */
  #read(id: string): Promise<void> {
    const under = this.#reading.get(id);
    if (under !== undefined) return under;
    const fromFile = this.#fromFile(id).catch(() => false);
    const reading = fromFile.then(async (isThere) => {
      if (isThere) return;
      const turn = this.#line.then(() => (this.#isClosed ? undefined : this.#build(id)));
      this.#line = turn.catch(() => undefined);
      // What cannot be read is not found; verifying says what is wrong with it.
      await this.#line;
    });
    const done = reading.finally(() => this.#reading.delete(id));
    this.#reading.set(id, done);
    return done;
  }

  async #fromFile(id: string): Promise<boolean> {
    const summary = await this.#recordings.get(id);
    if (summary.state !== "sealed") return false;
    const bytes = await this.#recordings.readIndex(id);
    if (bytes === null) return false;
    this.#keep(id, summary, new WordIndex(bytes));
    return true;
  }

  async #build(id: string): Promise<void> {
    const reader = await this.#recordings.open(id);
    try {
      const { summary } = reader;
      const before = this.#known.get(id)?.places;
      const builder = before instanceof WordIndexBuilder ? before : new WordIndexBuilder();
      for await (const { at, entries } of reader.trackBlocks(builder.lastAt)) {
        if (this.#isClosed) return;
        builder.add(at, entries.flatMap(wordsOfEntry));
      }
      if (summary.state !== "sealed") {
        this.#keep(id, summary, builder);
        return;
      }
      const bytes = builder.bytes();
      this.#keep(id, summary, new WordIndex(bytes));
      await this.#recordings.writeIndex(id, bytes);
    } finally {
      await reader.close();
    }
  }

  #keep(id: string, summary: RecordingSummary, places: WordPlaces): void {
    this.#used(id, { summary, places });
    let bytes = 0;
    for (const known of [...this.#known.values()].reverse()) {
      bytes += known.places?.sizeBytes ?? 0;
      if (bytes > MOST_INDEX_BYTES && known.summary.id !== id) known.places = null;
    }
  }

  async #look(
    summary: RecordingSummary,
    blocks: readonly number[],
    words: readonly string[],
    reach: SearchScope["reach"],
  ): Promise<Pick<FoundInRecordings, "hits" | "isCut">> {
    const found = new SearchHits(words);
    let recording = summary;
    let looked = 0;
    try {
      const reader = await this.#recordings.open(summary.id);
      try {
        for (const at of blocks.slice(0, MOST_BLOCKS)) {
          looked++;
          for (const entry of await reader.entriesAt(at)) {
            if (entry.type !== "text" || reach(reader.summary) === "all") found.add(entry);
          }
          if (found.count >= MOST_OF_ONE) break;
        }
        recording = reader.summary;
      } finally {
        await reader.close();
      }
    } catch {
      return { hits: [], isCut: false }; // it was deleted or changed meanwhile
    }
    // Something may have been hidden meanwhile.
    const isTextShown = reach(recording) === "all";
    const hits = found.hits
      .filter(({ entry }) => isTextShown || entry.type !== "text")
      .map((hit) => ({ ...hit, untilMs: null, recording }));
    return { hits: hits.slice(0, MOST_OF_ONE), isCut: blocks.length > looked };
  }
}
