import * as z from "zod";
import type { Clock } from "../../platform/clock.ts";
import { FileLock } from "../../platform/file-lock.ts";
import { JsonFile } from "../../platform/json-file.ts";
import { StoreError } from "../error.ts";
import {
  type Change,
  type ClusterStore,
  checkChanges,
  checkKey,
  type Entry,
  expectedOf,
  type KeyChange,
  type Listing,
  type Outcome,
  type Watch,
  type WatchListener,
} from "./store.ts";

/** Commits that are kept for watches that begin in the past. */
const MOST_HISTORY = 1000;
const PROGRESS_MS = 1000;

const FILE = z.object({
  revision: z.string().regex(/^\d{1,19}$/),
  entries: z.array(
    z.object({ key: z.string(), value: z.string(), revision: z.string().regex(/^\d{1,19}$/) }),
  ),
});

interface Commit {
  readonly revision: bigint;
  readonly changes: readonly KeyChange[];
}

interface OpenWatch {
  readonly prefix: string;
  readonly listener: WatchListener;
  close(): void;
}

/**
 * The state of a fleet of one: in memory, and with a path in a file of mode 0600 that is replaced at each commit, before it is
 * answered. One process writes it; another one that does is found out and refused.
 */
export class MemoryStore implements ClusterStore {
  readonly #clock: Clock;
  readonly #file: JsonFile<z.infer<typeof FILE>> | null;
  readonly #lock: FileLock | null;
  readonly #history: Commit[] = [];
  readonly #watches = new Set<OpenWatch>();
  readonly #entries: Map<string, Entry>;
  #revision: bigint;
  /** What is older is forgotten. */
  #compacted: bigint;
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  private constructor(clock: Clock, path: string | null, stored: z.infer<typeof FILE> | null) {
    this.#clock = clock;
    this.#file = path === null ? null : fileAt(path);
    this.#lock = path === null ? null : new FileLock(`${path}.lock`, clock);
    this.#revision = BigInt(stored?.revision ?? "0");
    this.#compacted = this.#revision;
    this.#entries = new Map(
      (stored?.entries ?? []).map(({ key, value, revision }) => [
        key,
        { key, value, revision: BigInt(revision) },
      ]),
    );
  }

  /** `path` null: nothing is kept. Throws FileError for a file that is none of ours. */
  static async open(clock: Clock, path: string | null): Promise<MemoryStore> {
    return new MemoryStore(clock, path, path === null ? null : await fileAt(path).read());
  }

  async commit(changes: readonly Change[]): Promise<Outcome> {
    checkChanges(changes);
    const done = this.#turn.then(() => this.#commit(changes));
    this.#turn = done.catch(() => undefined);
    return await done;
  }

  async get(key: string): Promise<Entry | null> {
    this.#checkOpen();
    checkKey(key);
    await this.#turn;
    return this.#entries.get(key) ?? null;
  }

  async list(prefix: string): Promise<Listing> {
    this.#checkOpen();
    checkKey(prefix);
    await this.#turn;
    const entries = [...this.#entries.values()].filter(({ key }) => key.startsWith(prefix));
    entries.sort((a, b) => (a.key < b.key ? -1 : 1));
    return { entries, revision: this.#revision };
  }

  watch(prefix: string, after: bigint, listener: WatchListener): Watch {
    this.#checkOpen();
    checkKey(prefix);
    let isOpen = true;
    let cancel = (): void => {};
    const tick = (): void => {
      cancel = this.#clock.after(
        PROGRESS_MS,
        () => {
          listener.onProgress(this.#revision);
          if (isOpen) tick();
        },
        { isIdle: true },
      );
    };
    const watch: OpenWatch = {
      prefix,
      listener,
      close: () => {
        isOpen = false;
        cancel();
        this.#watches.delete(watch);
      },
    };
    queueMicrotask(() => {
      if (!isOpen) return;
      if (after < this.#compacted) {
        watch.close();
        listener.onCompacted();
        return;
      }
      for (const commit of this.#history) if (isOpen && commit.revision > after) tell(watch, commit);
      if (!isOpen) return;
      this.#watches.add(watch);
      tick();
    });
    return watch;
  }

  /** Forgets which commits led to what is there now. */
  compact(): void {
    this.#history.length = 0;
    this.#compacted = this.#revision;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const watch of [...this.#watches]) watch.close();
    await this.#turn;
  }

  async #commit(changes: readonly Change[]): Promise<Outcome> {
    this.#checkOpen();
    const found = changes.map(({ key }) => this.#entries.get(key) ?? null);
    if (changes.some((change, index) => expectedOf(change) !== (found[index]?.revision ?? null))) {
      return { isDone: false, revision: this.#revision, found };
    }
    const revision = this.#revision + 1n;
    const told: KeyChange[] = [];
    for (const change of changes) {
      if (change.kind === "expect") continue;
      const { key } = change;
      told.push({ key, entry: "value" in change ? { key, value: change.value, revision } : null });
    }
    if (told.length === 0) return { isDone: true, revision: this.#revision };
    await this.#write(told, revision);
    this.#revision = revision;
    for (const { key, entry } of told) {
      if (entry === null) this.#entries.delete(key);
      else this.#entries.set(key, entry);
    }
    const commit = { revision, changes: told };
    this.#history.push(commit);
    if (this.#history.length > MOST_HISTORY) this.#compacted = this.#history.shift()?.revision ?? revision;
    for (const watch of [...this.#watches]) tell(watch, commit);
    return { isDone: true, revision };
  }

  async #write(told: readonly KeyChange[], revision: bigint): Promise<void> {
    const [file, lock] = [this.#file, this.#lock];
    if (file === null || lock === null) return;
    const next = new Map(this.#entries);
    for (const { key, entry } of told) {
      if (entry === null) next.delete(key);
      else next.set(key, entry);
    }
    try {
      await lock.hold(async () => {
        const { revision: there = "0" } = (await file.read()) ?? {};
        if (BigInt(there) !== this.#revision) {
          throw new StoreError(
            "not_alone",
            `${file.path} has revision ${there}, expected ${this.#revision}: another process writes it; end one of them`,
          );
        }
        await file.write(() => ({
          revision: String(revision),
          entries: [...next.values()].map((entry) => ({ ...entry, revision: String(entry.revision) })),
        }));
      });
    } catch (error) {
      if (error instanceof StoreError) throw error;
      throw new StoreError("full", `${file.path} cannot be written: make room, check its rights`, error);
    }
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new StoreError("closed", "the store is closed");
  }
}

function fileAt(path: string): JsonFile<z.infer<typeof FILE>> {
  return new JsonFile(path, "a file of the shared state of a fleet", FILE);
}

function tell({ prefix, listener }: OpenWatch, { changes, revision }: Commit): void {
  const own = changes.filter(({ key }) => key.startsWith(prefix));
  if (own.length > 0) listener.onChanges(own, revision);
}
