import type {
  Change,
  ClusterStore,
  Entry,
  Listing,
  Outcome,
  Watch,
  WatchListener,
} from "../../../src/cluster/store/store.ts";

/** What a store was asked to do, and what it told watchers. */
export class Counts {
  /** Commits that were done; of etcd each is a proposal that its members agree on. */
  done = 0;
  /** Commits that were not: a proposal too. */
  refused = 0;
  reads = 0;
  /** A commit that one watcher was told of. */
  deliveries = 0;
  deliveredBytes = 0;
}

/** A store that counts what passes, as a server of it would see it. */
export class CountedStore implements ClusterStore {
  counts = new Counts();
  readonly #store: ClusterStore;

  constructor(store: ClusterStore) {
    this.#store = store;
  }

  async commit(changes: readonly Change[]): Promise<Outcome> {
    const outcome = await this.#store.commit(changes);
    if (outcome.isDone) this.counts.done++;
    else this.counts.refused++;
    return outcome;
  }

  get(key: string): Promise<Entry | null> {
    this.counts.reads++;
    return this.#store.get(key);
  }

  list(prefix: string): Promise<Listing> {
    this.counts.reads++;
    return this.#store.list(prefix);
  }

  watch(prefix: string, after: bigint, listener: WatchListener): Watch {
    return this.#store.watch(prefix, after, {
      ...listener,
      onChanges: (changes, revision) => {
        this.counts.deliveries++;
        for (const { key, entry } of changes)
          this.counts.deliveredBytes += key.length + (entry?.value.length ?? 0);
        listener.onChanges(changes, revision);
      },
    });
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
