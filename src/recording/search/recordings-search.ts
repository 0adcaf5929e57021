import type { Clock } from "../../platform/clock.ts";
import { Slice } from "../../platform/loop-turns.ts";
import type { RecordingSummary } from "../format/summary.ts";
import type { FoundInRecordings, SearchScope } from "../library/recording-types.ts";
import type { OpenRecording } from "../read/open-recording.ts";
import { queryWords, SearchHits } from "../read/search-hits.ts";
import { KeptWords, ReadWords, type RecordingWords } from "./recording-words.ts";
import type { KeptIndex } from "./word-index-file.ts";
import { wordsIn } from "./words.ts";

/** What is needed of the recordings. */
export interface SearchedRecordings {
  /** Ids of all, the newest first. */
  ids(): Promise<readonly string[]>;
  get(id: string): Promise<RecordingSummary>;
  open(id: string): Promise<OpenRecording>;
  /** The index of a recording that is kept beside it; null: there is none. */
  readIndex(id: string): Promise<KeptIndex | null>;
  writeIndex(id: string, parts: readonly Buffer[]): Promise<void>;
}

/** Indices in memory, of the newest recordings; others are read again from their files, part by part. */
const MOST_INDEX_BYTES = 64 * 1024 * 1024;
/** A search waits so long for recordings that were never read; reading goes on. */
const MOST_WAIT_MS = 2_000;
/** Hits of one recording: the others are found in it alone. */
const MOST_OF_ONE = 10;
/** Blocks of one recording that are looked into: a line that only grows is found once, and may stand in many. */
const MOST_BLOCKS = 100;
/** So many recordings are looked up at once. */
const LOADED_AT_ONCE = 16;

interface Known {
  readonly summary: RecordingSummary;
  readonly words: RecordingWords;
}

/** A search as it goes on. */
interface Search {
  /** As they are looked for in what is read. */
  readonly words: readonly string[];
  /** As they are looked for in an index. */
  readonly parts: readonly string[];
  readonly scope: SearchScope;
  /** Resolves when nothing is waited for any more. */
  readonly over: Promise<void>;
  readonly slice: Slice;
  readonly hits: FoundInRecordings["hits"][number][];
  isCut: boolean;
  unread: number;
}

/**
 * Finds words in all recordings, by an index of each. INVARIANT: an index only says where to look; what is found is read
 * from the recording and checked against its chain.
 */
export class RecordingsSearch {
  readonly #recordings: SearchedRecordings;
  readonly #clock: Pick<Clock, "after">;
  /** By id; `words` null: dropped from memory, and in their file. */
  readonly #known = new Map<
    string,
    { readonly summary: RecordingSummary; readonly words: RecordingWords | null }
  >();
  /** Being read for the first time. */
  readonly #reading = new Map<string, Promise<Known | null>>();
  #line: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(recordings: SearchedRecordings, clock: Pick<Clock, "after">) {
    this.#recordings = recordings;
    this.#clock = clock;
  }

  /** The newest recordings first. */
  async search(query: string, scope: SearchScope): Promise<FoundInRecordings> {
    const words = queryWords(query);
    if (words.length === 0) return { hits: [], isCut: false, unread: 0 };
    const ids = await this.#recordings.ids();
    this.#forgetOthers(ids);
    const wait = this.#waiting();
    const search: Search = {
      ...{ words, parts: words.flatMap(wordsIn), scope, over: wait.over, slice: new Slice("free") },
      ...{ hits: [], isCut: false, unread: 0 },
    };
    try {
      await this.#searchIn(ids, search);
    } finally {
      wait.end();
    }
    const { hits, isCut, unread } = search;
    return { hits: hits.slice(0, scope.limit), isCut: isCut || hits.length > scope.limit, unread };
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

  async #searchIn(ids: readonly string[], search: Search): Promise<void> {
    for (let first = 0; first < ids.length; first += LOADED_AT_ONCE) {
      const some = ids.slice(first, first + LOADED_AT_ONCE);
      const loaded = await Promise.all(some.map((id) => this.#load(id, search)));
      for (const known of loaded) {
        if (search.slice.isOver) await search.slice.next();
        if (!(await this.#look(known, search))) return;
      }
      this.#trim();
    }
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
  async #load(id: string, { scope, over }: Pick<Search, "scope" | "over">): Promise<Known | "unread" | null> {
    const held = this.#known.get(id);
    const summary = held?.summary.state === "sealed" ? held.summary : await this.#summaryOf(id);
    if (summary === null || scope.reach(summary) === "none") return null;
    const isSame = held?.summary.state === summary.state && held.summary.bytes === summary.bytes;
    if (held?.words != null && isSame && summary.state !== "recording") {
      return { summary, words: held.words };
    }
    const read = await Promise.race([this.#read(id), over.then(() => "unread" as const)]);
    return read === null || read === "unread" ? read : { ...read, summary };
  }

  async #summaryOf(id: string): Promise<RecordingSummary | null> {
    try {
      return await this.#recordings.get(id);
    } catch {
      return null; // deleted since, or not for us: a list says more
    }
  }

  /** Brings the index of a recording into memory; one recording is read at a time. null: it cannot be read. */
  #read(id: string): Promise<Known | null> {
    const under = this.#reading.get(id);
    if (under !== undefined) return under;
    const fromFile = this.#fromFile(id).catch(() => null);
    const reading = fromFile.then(async (kept) => {
      if (kept !== null) return kept;
      // What cannot be read is not found; verifying says what is wrong with it.
      const turn = this.#line.then(() => (this.#isClosed ? null : this.#build(id))).catch(() => null);
      this.#line = turn;
      return await turn;
    });
    const done = reading.finally(() => this.#reading.delete(id));
    this.#reading.set(id, done);
    return done;
  }

  async #fromFile(id: string): Promise<Known | null> {
    const summary = await this.#recordings.get(id);
    const kept = summary.state === "sealed" ? await this.#recordings.readIndex(id) : null;
    return kept === null ? null : this.#keep({ summary, words: new KeptWords(kept) });
  }

  async #build(id: string): Promise<Known | null> {
    const reader = await this.#recordings.open(id);
    try {
      const before = this.#known.get(id)?.words;
      const words = before instanceof ReadWords ? before : new ReadWords();
      await words.read(reader, () => !this.#isClosed);
      if (this.#isClosed) return null;
      const { summary } = reader;
      if (summary.state === "sealed") await this.#recordings.writeIndex(id, await words.parts());
      return this.#keep({ summary, words });
    } finally {
      await reader.close();
    }
  }

  #keep(known: Known): Known {
    this.#known.set(known.summary.id, known);
    return known;
  }

  #trim(): void {
    let bytes = 0;
    // Ids begin with when a recording began: what was recorded last is searched first.
    for (const [id, { summary, words }] of [...this.#known].sort(([a], [b]) => (a < b ? 1 : -1))) {
      bytes += words?.sizeBytes ?? 0;
      if (bytes > MOST_INDEX_BYTES) this.#known.set(id, { summary, words: null });
    }
  }

  /** Adds what a recording has; false: something may be there, and no more is wanted. */
  async #look(known: Known | "unread" | null, search: Search): Promise<boolean> {
    if (known === null) return true;
    if (known === "unread") {
      search.unread++;
      return true;
    }
    const { words, scope } = search;
    const found = new SearchHits(words);
    let recording = known.summary;
    let reader: OpenRecording | null = null;
    let looked = 0;
    try {
      for await (const at of known.words.blocksWith(search.parts, search.slice)) {
        const isFull = search.hits.length >= scope.limit;
        if (isFull || found.count >= MOST_OF_ONE || looked >= MOST_BLOCKS) {
          search.isCut = true;
          if (isFull) return false;
          break;
        }
        looked++;
        reader ??= await this.#recordings.open(recording.id);
        for (const entry of await reader.entriesAt(at)) {
          if (entry.type !== "text" || scope.reach(reader.summary) === "all") found.add(entry);
        }
        recording = reader.summary;
      }
    } catch {
      if (!(known.words instanceof KeptWords) || !known.words.isBroken) return true; // it was deleted or changed meanwhile
      // Its index was changed since it was read first: it is made anew.
      this.#known.delete(recording.id);
      return this.#look(await this.#load(recording.id, search), search);
    } finally {
      await reader?.close();
    }
    // Something may have been hidden meanwhile.
    const isTextShown = scope.reach(recording) === "all";
    const hits = found.hits
      .filter(({ entry }) => isTextShown || entry.type !== "text")
      .map((hit) => ({ ...hit, untilMs: null, recording }));
    search.hits.push(...hits.slice(0, MOST_OF_ONE));
    return true;
  }
}
