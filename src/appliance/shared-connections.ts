import type { Connection } from "../desktop/connections/connection.ts";
import type { ConnectionStore } from "../desktop/connections/connection-store.ts";

/**
 * The stored connections of a data directory that other processes change too: a command, a second server. What they
 * added meanwhile stays, what they removed stays away; only what was added and removed here is changed.
 */
export class SharedConnections implements ConnectionStore {
  readonly #store: ConnectionStore;
  /** Those that this process had when it last read or wrote. */
  #had: ReadonlySet<string> = new Set();
  #saving: Promise<unknown> = Promise.resolve();

  constructor(store: ConnectionStore) {
    this.#store = store;
  }

  async load(): Promise<Connection[]> {
    const connections = await this.#store.load();
    this.#had = idsOf(connections);
    return connections;
  }

  save(connections: readonly Connection[]): Promise<void> {
    const saved = this.#saving.then(() => this.#merge(connections));
    this.#saving = saved.catch(() => undefined);
    return saved;
  }

  async #merge(connections: readonly Connection[]): Promise<void> {
    const has = idsOf(connections);
    const there = (await this.#store.load()).filter(({ id }) => has.has(id) || !this.#had.has(id));
    const isThere = idsOf(there);
    const added = connections.filter(({ id }) => !this.#had.has(id) && !isThere.has(id));
    await this.#store.save([...there, ...added]);
    this.#had = has;
  }
}

function idsOf(connections: readonly Connection[]): Set<string> {
  return new Set(connections.map(({ id }) => id));
}
