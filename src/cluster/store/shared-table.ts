import { type Clock, delay } from "../../platform/clock.ts";
import { StoreError } from "../error.ts";
import type { ClusterStore, Entry, KeyChange, Watch } from "./store.ts";

const AGAIN_AFTER_MS = 500;

interface SharedTableOptions {
  readonly store: ClusterStore;
  readonly clock: Clock;
  readonly prefix: string;
  /** An entry is new, another or gone (null), in the order of revisions as far as a watch told it. */
  onChange(key: string, entry: Entry | null): void;
  /** The store refuses to be read, for a reason that no other try would mend. */
  onFailed(error: StoreError): void;
}

/** All entries of a prefix as this process knows them: listed, followed, and listed again where the store forgot too much. */
export class SharedTable {
  readonly entries = new Map<string, Entry>();
  readonly #options: SharedTableOptions;
  readonly #closed = new AbortController();
  #watch: Watch | null = null;
  /** What was read ahead of the watch, by prefix: what that tells of before is known. */
  readonly #ahead = new Map<string, bigint>();
  /** Keys that were found gone, ahead of the watch as well. */
  readonly #gone = new Map<string, bigint>();

  constructor(options: SharedTableOptions) {
    this.#options = options;
  }

  /** Resolves when it was listed once. Never rejects. */
  async open(): Promise<void> {
    const { store, clock, prefix, onFailed } = this.#options;
    const { signal } = this.#closed;
    while (!signal.aborted) {
      try {
        const { entries, revision } = await store.list(prefix);
        if (signal.aborted) return;
        this.#listed(prefix, entries, revision);
        this.#watch = store.watch(prefix, revision, {
          onChanges: (changes: readonly KeyChange[], at) => {
            for (const { key, entry } of changes) if (!this.#isKnown(key, at)) this.#put(key, entry);
            for (const early of [this.#ahead, this.#gone]) {
              for (const [name, known] of early) if (known <= at) early.delete(name);
            }
          },
          onProgress: () => undefined,
          onCompacted: () => void this.open(),
          onFailed,
        });
        return;
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        if (error.code !== "unavailable") {
          onFailed(error);
          return;
        }
      }
      await delay(clock, AGAIN_AFTER_MS, signal).catch(() => undefined);
    }
  }

  /** Reads what is there now, of commits that were answered before it was called all. Throws StoreError. */
  async refresh(sub: string): Promise<void> {
    const { entries, revision } = await this.#options.store.list(sub);
    if (!this.#closed.signal.aborted) this.#listed(sub, entries, revision);
  }

  /** What a commit wrote, or found instead, at its revision. */
  learn(key: string, entry: Entry | null, revision: bigint): void {
    if (this.#closed.signal.aborted || this.#isKnown(key, revision)) return;
    this.#put(key, entry);
    if (entry === null) this.#gone.set(key, revision);
  }

  close(): void {
    this.#closed.abort();
    this.#watch?.close();
  }

  #isKnown(key: string, revision: bigint): boolean {
    const entry = this.entries.get(key);
    if ((entry?.revision ?? this.#gone.get(key) ?? -1n) >= revision) return true;
    for (const [sub, known] of this.#ahead) if (key.startsWith(sub) && revision <= known) return true;
    return false;
  }

  /** Of parts that were read later than this the later stays. */
  #listed(sub: string, entries: readonly Entry[], revision: bigint): void {
    const there = new Set(entries.map(({ key }) => key));
    for (const key of [...this.entries.keys()]) {
      if (key.startsWith(sub) && !there.has(key) && !this.#isKnown(key, revision)) this.#put(key, null);
    }
    for (const entry of entries) if (!this.#isKnown(entry.key, revision)) this.#put(entry.key, entry);
    if ((this.#ahead.get(sub) ?? 0n) < revision) this.#ahead.set(sub, revision);
  }

  #put(key: string, entry: Entry | null): void {
    if (this.entries.get(key)?.revision === entry?.revision) return;
    if (entry === null) this.entries.delete(key);
    else this.entries.set(key, entry);
    this.#options.onChange(key, entry);
  }
}
