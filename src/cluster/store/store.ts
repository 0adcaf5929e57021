import { StoreError } from "../error.ts";

/** A key and what it holds. */
export interface Entry {
  readonly key: string;
  readonly value: string;
  /** Of the commit that wrote it last; it only ever grows, over all keys. */
  readonly revision: bigint;
}

/**
 * A part of a commit. Each says what it expects of its key, so that none is ever done twice: there is no way to write
 * without having read.
 */
export type Change =
  | { readonly kind: "create"; readonly key: string; readonly value: string }
  | { readonly kind: "update"; readonly key: string; readonly value: string; readonly revision: bigint }
  | { readonly kind: "delete"; readonly key: string; readonly revision: bigint }
  /** Writes nothing; null: the key is not there. */
  | { readonly kind: "expect"; readonly key: string; readonly revision: bigint | null };

/** What became of a commit: all of it, or nothing and what stands at the key of each change instead, in their order. */
export type Outcome =
  | { readonly isDone: true; readonly revision: bigint }
  | { readonly isDone: false; readonly revision: bigint; readonly found: readonly (Entry | null)[] };

/** All entries of a prefix at one moment, by key. */
export interface Listing {
  readonly entries: readonly Entry[];
  /** That moment: a watch after it misses nothing. */
  readonly revision: bigint;
}

/** `entry` is null where the key was deleted. */
export interface KeyChange {
  readonly key: string;
  readonly entry: Entry | null;
}

/** Told by a watch, one after the other; none may throw. */
export interface WatchListener {
  /** All changes of one commit below the prefix, in the order of revisions, each once, none left out. */
  onChanges(changes: readonly KeyChange[], revision: bigint): void;
  /**
   * The watch is alive: the store answered it, and knew of this revision, which is as new as anything that this process had seen
   * when it asked. Who hears nothing for longer than `PROGRESS_WITHIN_MS` is blind. It may come before changes up to that
   * revision, shortly (etcd before 3.4.25), so it is no place to watch from.
   */
  onProgress(revision: bigint): void;
  /** What is asked for is forgotten by the store: the watch has ended, list and watch again. */
  onCompacted(): void;
  /** The watch has ended, for a reason that no other try would mend. */
  onFailed(error: StoreError): void;
}

export interface Watch {
  close(): void;
}

/**
 * What the nodes of a fleet share: a small table, written by comparing and swapping alone. Every call throws StoreError;
 * reads see every commit that was answered before they began.
 */
export interface ClusterStore {
  /** `outcome_unknown` where it was sent and not answered in time. */
  commit(changes: readonly Change[]): Promise<Outcome>;
  get(key: string): Promise<Entry | null>;
  list(prefix: string): Promise<Listing>;
  /** All that is committed after this revision below the prefix; over lost connections by itself. */
  watch(prefix: string, after: bigint, listener: WatchListener): Watch;
  close(): Promise<void>;
}

/** A watch that is alive says so more often than that. */
export const PROGRESS_WITHIN_MS = 5000;

const LONGEST_KEY = 512;
export const LONGEST_VALUE_BYTES = 64 * 1024;
/** etcd takes 128 in a transaction. */
export const MOST_CHANGES = 100;

/** Throws StoreError for what no implementation takes. */
export function checkChanges(changes: readonly Change[]): void {
  if (changes.length === 0 || changes.length > MOST_CHANGES) {
    throw new StoreError("invalid", `got ${changes.length} changes, expected 1 to ${MOST_CHANGES} a commit`);
  }
  const keys = new Set<string>();
  for (const change of changes) {
    checkKey(change.key);
    if (keys.has(change.key)) {
      throw new StoreError("invalid", `got the key ${change.key} twice in a commit, expected it once`);
    }
    keys.add(change.key);
    if (!("value" in change)) continue;
    const bytes = Buffer.byteLength(change.value);
    if (bytes > LONGEST_VALUE_BYTES) {
      throw new StoreError(
        "invalid",
        `got ${bytes} bytes for ${change.key}, expected at most ${LONGEST_VALUE_BYTES}`,
      );
    }
  }
}

/** Throws StoreError. Keys are printable ASCII, so that order and length are the same everywhere. */
export function checkKey(key: string): void {
  if (!/^[!-~]+$/.test(key) || key.length > LONGEST_KEY) {
    throw new StoreError(
      "invalid",
      `got a key of ${key.length} characters, expected 1 to ${LONGEST_KEY} of printable ASCII without spaces`,
    );
  }
}

/** The revision that a change wants its key to have; null: it is not there. */
export function expectedOf(change: Change): bigint | null {
  return change.kind === "create" ? null : change.revision;
}
