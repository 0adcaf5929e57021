import { StoreError } from "../error.ts";
import { type LeaseClock, leastPassedMs, type Moment, momentOf } from "../lease/lease-clock.ts";
import type { Change, ClusterStore, Entry } from "../store/store.ts";
import { nodeOf } from "./records.ts";

interface NodeNameOptions {
  readonly store: Pick<ClusterStore, "get">;
  readonly leaseClock: LeaseClock;
  /** What all keys of the fleet begin with. */
  readonly prefix: string;
  readonly name: string;
}

/** Another one's lease, as it stood when it was first asked for, and when it was last. */
interface Other {
  readonly entry: Entry;
  readonly since: Moment;
  askedAt: Moment;
}

/**
 * A node's name, which one lease has at a time: its key says which, and is written in the commit that takes that lease. So a second
 * process under one name is found out, and one that died is followed by the next.
 */
export class NodeName {
  readonly #options: NodeNameOptions;
  /** Ids of this process: nobody renews the lease of one that it gave up. */
  readonly #own = new Set<string>();
  #other: Other | null = null;

  constructor(options: NodeNameOptions) {
    this.#options = options;
  }

  /**
   * What belongs into the commit that takes the lease of `id`; null: who had the name may live, ask again. Throws StoreError, `not_alone`
   * where it does.
   */
  async claim(id: string): Promise<readonly Change[] | null> {
    const { store, prefix, name } = this.#options;
    const key = nameKey(prefix, name);
    const found = await store.get(key);
    this.#own.add(id);
    if (found === null) return [{ kind: "create", key, value: id }];
    const take: Change = { kind: "update", key, value: id, revision: found.revision };
    const leaseKey = nodeKey(prefix, found.value);
    const lease = await store.get(leaseKey);
    if (lease === null) return [take, { kind: "expect", key: leaseKey, revision: null }];
    if (!this.#own.has(found.value) && !this.#isSilent(lease)) return null;
    return [take, { kind: "delete", key: leaseKey, revision: lease.revision }];
  }

  /** Whether it stood still for a whole lease, while it was asked for often enough to know. */
  #isSilent(entry: Entry): boolean {
    const { leaseClock, name } = this.#options;
    const now = momentOf(leaseClock);
    const other = this.#other;
    const record = nodeOf(entry);
    if (other?.entry.key === entry.key && other.entry.revision !== entry.revision) {
      this.#other = null;
      throw new StoreError(
        "not_alone",
        `another node of this fleet is called ${name} and lives${record === null ? "" : `, at ${record.address}`}: give each a cluster.node of its own, or end that one`,
      );
    }
    if (record === null) return false;
    const isFollowed = other !== null && leastPassedMs(leaseClock, other.askedAt) < record.leaseMs / 2;
    if (other?.entry.key !== entry.key || !isFollowed) {
      this.#other = { entry, since: now, askedAt: now };
      return false;
    }
    other.askedAt = now;
    return leastPassedMs(leaseClock, other.since) >= record.leaseMs;
  }
}

export function nodeKey(prefix: string, id: string): string {
  return `${prefix}nodes/${id}`;
}

/** Who has a name: its value is a node's id. */
export function nameKey(prefix: string, name: string): string {
  return `${prefix}names/${name}`;
}

/** What ends the lease of a node, and gives back its name. */
export function endOf(
  prefix: string,
  lease: Pick<Entry, "key" | "revision">,
  name: Entry | null,
): readonly Change[] {
  const ends: Change = { kind: "delete", key: lease.key, revision: lease.revision };
  const isIts = name !== null && nodeKey(prefix, name.value) === lease.key;
  return isIts ? [ends, { kind: "delete", key: name.key, revision: name.revision }] : [ends];
}

/** Ends the lease of a node whose process is surely dead, whatever it sent last; whether there was one. Throws StoreError. */
export async function endDead(
  store: Pick<ClusterStore, "get" | "commit">,
  prefix: string,
  id: string,
): Promise<boolean> {
  for (let isThere = false; ; isThere = true) {
    const lease = await store.get(nodeKey(prefix, id));
    if (lease === null) return isThere;
    const record = nodeOf(lease);
    const name = record === null ? null : await store.get(nameKey(prefix, record.name));
    await store.commit(endOf(prefix, lease, name));
  }
}
