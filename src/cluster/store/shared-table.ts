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
        const there = new Set(entries.map(({ key }) => key));
        for (const key of [...this.entries.keys()]) if (!there.has(key)) this.#put(key, null);
        for (const entry of entries) this.#put(entry.key, entry);
        this.#watch = store.watch(prefix, revision, {
          onChanges: (changes: readonly KeyChange[]) => {
            for (const { key, entry } of changes) this.#put(key, entry);
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

  close(): void {
    this.#closed.abort();
    this.#watch?.close();
  }

  #put(key: string, entry: Entry | null): void {
    if (this.entries.get(key)?.revision === entry?.revision) return;
    if (entry === null) this.entries.delete(key);
    else this.entries.set(key, entry);
    this.#options.onChange(key, entry);
  }
}
