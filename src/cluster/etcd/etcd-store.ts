import type { Clock } from "../../platform/clock.ts";
import { StoreError } from "../error.ts";
import {
  type Change,
  type ClusterStore,
  checkChanges,
  checkKey,
  type Entry,
  type Listing,
  type Outcome,
  type Watch,
  type WatchListener,
} from "../store/store.ts";
import { Compacted, type EtcdOptions, EtcdServers } from "./etcd-servers.ts";
import { EtcdWatch } from "./etcd-watch.ts";
import {
  base64,
  endOf,
  entryOf,
  MEMBERS_ANSWER,
  outcomeOf,
  RANGE_ANSWER,
  STATUS_ANSWER,
  TXN_ANSWER,
  txnOf,
} from "./etcd-wire.ts";

const PAGE = 100;
/** A listing over which the store was compacted is begun again so often. */
const MOST_LISTINGS = 3;

/** What one endpoint says of itself. */
export interface EtcdStatus {
  readonly url: string;
  /** null where it does not answer, for this reason. */
  readonly version: string | null;
  readonly isLeader: boolean;
  readonly revision: bigint;
  readonly problem: string | null;
}

/** The shared state of a fleet in etcd 3.4 or later, below one prefix of its keys. */
export class EtcdStore implements ClusterStore {
  readonly #servers: EtcdServers;
  readonly #clock: Clock;
  readonly #watches = new Set<Watch>();
  #newest = 0n;

  /** Connects when something is asked. Throws StoreError for endpoints that are none. */
  constructor(options: EtcdOptions) {
    this.#servers = new EtcdServers(options);
    this.#clock = options.clock;
  }

  async commit(changes: readonly Change[]): Promise<Outcome> {
    checkChanges(changes);
    const answer = await this.#servers.call({
      ...{ path: "/v3/kv/txn", body: txnOf(changes), answer: TXN_ANSWER, isWrite: true },
    });
    const outcome = outcomeOf(answer);
    if (!outcome.isDone && outcome.found.length !== changes.length) {
      throw new StoreError("bad_answer", "etcd did not say what stands at each key");
    }
    this.#saw(outcome.revision);
    return outcome;
  }

  async get(key: string): Promise<Entry | null> {
    checkKey(key);
    const { header, kvs } = await this.#range({ key: base64(key) });
    this.#saw(header.revision);
    const [first] = kvs;
    return first === undefined ? null : entryOf(first);
  }

  async list(prefix: string): Promise<Listing> {
    checkKey(prefix);
    for (let nth = 1; ; nth++) {
      try {
        return await this.#list(prefix);
      } catch (error) {
        if (!(error instanceof Compacted)) throw error;
        if (nth === MOST_LISTINGS) {
          throw new StoreError("unavailable", "etcd was compacted over and over while it was listed", error);
        }
      }
    }
  }

  watch(prefix: string, after: bigint, listener: WatchListener): Watch {
    checkKey(prefix);
    const [servers, clock] = [this.#servers, this.#clock];
    const watch = new EtcdWatch({ servers, clock, prefix, after, listener, newest: () => this.#newest });
    this.#watches.add(watch);
    return {
      close: () => {
        watch.close();
        this.#watches.delete(watch);
      },
    };
  }

  /** What each endpoint says, and how many members the cluster has. */
  async status(): Promise<{ readonly members: number; readonly endpoints: readonly EtcdStatus[] }> {
    const { members } = await this.#servers.call({
      ...{ path: "/v3/cluster/member/list", body: {}, answer: MEMBERS_ANSWER, isWrite: false },
    });
    const endpoints = await Promise.all(
      this.#servers.all.map(async (server): Promise<EtcdStatus> => {
        const { url } = server;
        const none = { url, version: null, isLeader: false, revision: 0n };
        try {
          const tried = await this.#servers.try(server, {
            ...{ path: "/v3/maintenance/status", body: {}, answer: STATUS_ANSWER },
          });
          if ("failure" in tried) {
            const { failure } = tried;
            return { ...none, problem: failure.kind === "signed_out" ? "it signs nobody in" : failure.why };
          }
          const { header, version, leader } = tried.value;
          return {
            ...{ url, version, revision: header.revision, problem: null },
            isLeader: leader === header.member_id,
          };
        } catch (error) {
          return { ...none, problem: error instanceof Error ? error.message : String(error) };
        }
      }),
    );
    return { members: members.length, endpoints };
  }

  async close(): Promise<void> {
    for (const watch of this.#watches) watch.close();
    this.#watches.clear();
    this.#servers.close();
  }

  async #list(prefix: string): Promise<Listing> {
    const entries: Entry[] = [];
    const end = base64(endOf(prefix));
    let revision = 0n;
    for (let key = prefix; ; ) {
      const page = await this.#range({
        ...{ key: base64(key), range_end: end, limit: String(PAGE), revision: String(revision) },
      });
      // The first page says which moment all others are asked of.
      if (revision === 0n) revision = page.header.revision;
      for (const found of page.kvs) entries.push(entryOf(found));
      const last = entries.at(-1);
      if (!page.more || last === undefined) break;
      key = `${last.key}\0`;
    }
    this.#saw(revision);
    return { entries, revision };
  }

  #range(body: object) {
    return this.#servers.call({ path: "/v3/kv/range", body, answer: RANGE_ANSWER, isWrite: false });
  }

  #saw(revision: bigint): void {
    if (revision > this.#newest) this.#newest = revision;
  }
}
