import { type Clock, delay } from "../../platform/clock.ts";
import { nextTurn } from "../../platform/loop-turns.ts";
import { StoreError } from "../error.ts";
import type { ClusterStore, Entry, KeyChange, Watch } from "./store.ts";

const AGAIN_AFTER_MS = 500;
/** Of what is listed so many entries are told in a turn: who is told reads each. */
const MOST_A_TURN = 50;

interface SharedTableOptions {
  readonly store: ClusterStore;
  readonly clock: Clock;
  readonly prefix: string;
  /**
   * An entry is new, another or gone (null): those that were listed over some turns, as they are by then, and what came after
   * them in the order of revisions as far as a watch told it.
   */
  onChange(key: string, entry: Entry | null): void;
  /** The store refuses to be read, for a reason that no other try would mend. */
  onFailed(error: StoreError): void;
}

/**
 * All entries of a prefix as this process knows them: listed, followed, and listed again where the store forgot too much.
 * INVARIANT: of a key nobody is told what is older than what they were told before.
 */
export class SharedTable {
  readonly entries = new Map<string, Entry>();
  readonly #options: SharedTableOptions;
  readonly #closed = new AbortController();
  #watch: Watch | null = null;
  /** What was read ahead of the watch, by prefix: what that tells of before is known. */
  readonly #ahead = new Map<string, bigint>();
  /** Keys that were found gone, ahead of the watch as well. */
  readonly #gone = new Map<string, bigint>();
  /** Keys that were listed and not told yet. */
  readonly #untold = new Set<string>();
  #isTold = false;

  constructor(options: SharedTableOptions) {
    this.#options = options;
  }

  /** Whether all was told that was listed; until then who is told knows a part. */
  get isTold(): boolean {
    return this.#isTold;
  }

  /** Resolves when it was listed once, and told. Never rejects. */
  async open(): Promise<void> {
    const { store, clock, prefix, onFailed } = this.#options;
    const { signal } = this.#closed;
    this.#isTold = false;
    while (!signal.aborted) {
      try {
        const { entries, revision } = await store.list(prefix);
        // Apart from the reading of the last of them.
        if (entries.length > MOST_A_TURN) await nextTurn();
        if (signal.aborted) return;
        this.#listed(prefix, entries, revision);
        // What comes meanwhile is told by the watch behind it.
        await this.#tellListed();
        if (signal.aborted) return;
        this.#isTold = true;
        this.#watch = store.watch(prefix, revision, {
          onChanges: (changes: readonly KeyChange[], at) => {
            for (const { key, entry } of changes) {
              if (!this.#isKnown(key, at) && this.#put(key, entry)) this.#tell(key);
            }
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
    if (this.#closed.signal.aborted) return;
    this.#listed(sub, entries, revision);
    for (const key of this.#untold) if (key.startsWith(sub)) this.#tell(key);
  }

  /** What a commit wrote, or found instead, at its revision. */
  learn(key: string, entry: Entry | null, revision: bigint): void {
    if (this.#closed.signal.aborted || this.#isKnown(key, revision)) return;
    if (this.#put(key, entry)) this.#tell(key);
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

  /** Of parts that were read later than this the later stays. What is another now is to be told. */
  #listed(sub: string, entries: readonly Entry[], revision: bigint): void {
    // At first there is nothing to compare thousands with.
    const isFirst = this.entries.size + this.#gone.size + this.#ahead.size === 0;
    const there = new Set(isFirst ? [] : entries.map(({ key }) => key));
    for (const key of [...this.entries.keys()]) {
      if (!key.startsWith(sub) || there.has(key) || this.#isKnown(key, revision)) continue;
      if (this.#put(key, null)) this.#untold.add(key);
    }
    for (const entry of entries) {
      const isNews = isFirst || !this.#isKnown(entry.key, revision);
      if (isNews && this.#put(entry.key, entry)) this.#untold.add(entry.key);
    }
    if ((this.#ahead.get(sub) ?? 0n) < revision) this.#ahead.set(sub, revision);
  }

  /** False where it was so already. */
  #put(key: string, entry: Entry | null): boolean {
    if (this.entries.get(key)?.revision === entry?.revision) return false;
    if (entry === null) this.entries.delete(key);
    else this.entries.set(key, entry);
    return true;
  }

  #tell(key: string): void {
    this.#untold.delete(key);
    this.#options.onChange(key, this.entries.get(key) ?? null);
  }

  async #tellListed(): Promise<void> {
    let told = 0;
    for (const key of this.#untold) {
      if (told === MOST_A_TURN) {
        await nextTurn();
        if (this.#closed.signal.aborted) return;
        told = 0;
        // Somebody changed it meanwhile: that is told.
        if (!this.#untold.has(key)) continue;
      }
      this.#tell(key);
      told++;
    }
  }
}
