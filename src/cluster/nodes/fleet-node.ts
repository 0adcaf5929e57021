import { type Clock, delay } from "../../platform/clock.ts";
import { StoreError } from "../error.ts";
import { Lease, type LeaseTiming } from "../lease/lease.ts";
import { type LeaseClock, leastPassedMs, type Moment, momentOf, mostPassedMs } from "../lease/lease-clock.ts";
import { commitSurely } from "../store/commit-surely.ts";
import { SharedTable } from "../store/shared-table.ts";
import type { Change, ClusterStore, Entry } from "../store/store.ts";
import { Holder } from "./holder.ts";
import { type Move, place } from "./place.ts";
import {
  type Assignment,
  assignmentOf,
  drainOf,
  type NodeOffer,
  type NodeRecord,
  nodeOf,
} from "./records.ts";

const SHORTEST_PAUSE_MS = 50;

interface FleetNodeOptions {
  readonly store: ClusterStore;
  readonly clock: Clock;
  readonly leaseClock: LeaseClock;
  readonly timing: LeaseTiming;
  /** What all keys of the fleet begin with, with a slash at its end. */
  readonly prefix: string;
  /** What its operator calls it, and where it is reached. */
  readonly name: string;
  address(): string;
  /** Where other nodes call it, HOST:PORT; absent or null: nowhere. */
  calls?(): string | null;
  /** Another one each time, of all nodes and for ever. */
  newId(): string;
  /** What this node can take now. */
  offer(): NodeOffer;
  /** Before another node gets it: resolves when nothing is held down there. */
  handOver(desktop: string): Promise<void>;
  /** Who has what, or who lives, may be another now. */
  onChange?(): void;
  /** The shared state cannot be read or written, for a reason that does not pass. */
  onFailed(error: StoreError): void;
}

/** This node under one id: from one lease to its end. */
interface Run {
  readonly id: string;
  readonly lease: Lease;
  readonly holder: Holder;
}

/** A record as it was when this process first saw it. */
interface Seen {
  readonly record: NodeRecord;
  readonly revision: bigint;
  readonly since: Moment;
}

/** An assignment as the table has it. */
interface Placed {
  readonly key: string;
  readonly assignment: Assignment;
  readonly revision: bigint;
}

/**
 * One node of a fleet: renews its lease, follows who has which desktop, ends the leases of nodes that are silent, and, as the first
 * of those that live, says who takes what nobody has. Two that think that they are the first cost a commit that is not done.
 * INVARIANT: an assignment is changed by who has it, or by anybody once the record of who had it is gone; ids never come back.
 */
export class FleetNode {
  readonly #options: FleetNodeOptions;
  readonly #table: SharedTable;
  readonly #nodes = new Map<string, Seen>();
  readonly #closed = new AbortController();
  #run: Run | null = null;
  /** Since when every renewal was acknowledged in time, and when the last one was. */
  #steadySince: Moment | null = null;
  #acknowledged: Moment | null = null;
  #commits = 0;

  constructor(options: FleetNodeOptions) {
    this.#options = options;
    this.#table = new SharedTable({
      ...{ store: options.store, clock: options.clock, prefix: options.prefix },
      onChange: (key, entry) => this.#onChange(key, entry),
      onFailed: (error) => options.onFailed(error),
    });
  }

  /** Goes on until it is closed. */
  start(): void {
    const { renewMs } = this.#options.timing;
    void this.#table.open();
    void this.#repeat(renewMs, () => this.#renew());
    void this.#repeat(renewMs, () => this.#care());
  }

  /** Under which fence this node may send input to a desktop now; see Holder. */
  inputFence(desktop: string): bigint | null {
    return this.#run?.holder.inputFence(desktop) ?? null;
  }

  /** The fence of a desktop that this node has, whether it may send or not. */
  heldFence(desktop: string): bigint | null {
    return this.#run?.holder.heldFence(desktop) ?? null;
  }

  /** Those it has, whether it may send or not. */
  get held(): readonly string[] {
    return this.#run?.holder.held ?? [];
  }

  /** For so long its lease is surely held. */
  get remainingMs(): number {
    return this.#run?.lease.remainingMs ?? 0;
  }

  /**
   * Whether what is down under a fence may still be let go: nobody else can have the desktop, though this node may have
   * given it up.
   */
  mayLetGo(desktop: string, fence: bigint): boolean {
    const run = this.#run;
    if (run === null || run.lease.remainingMs <= 0) return false;
    const entry = this.#table.entries.get(this.desktopKey(desktop));
    return entry?.revision === fence && assignmentOf(entry)?.owner === run.id;
  }

  /** Nodes that have a lease, as far as this one knows. */
  get nodes(): readonly NodeRecord[] {
    return [...this.#nodes.values()].map(({ record }) => record);
  }

  /** Who has which desktop, as far as this node knows. */
  get assignments(): readonly Assignment[] {
    return this.#assignments().map(({ assignment }) => assignment);
  }

  assignment(desktop: string): Assignment | null {
    const entry = this.#table.entries.get(this.desktopKey(desktop));
    return entry === undefined ? null : assignmentOf(entry);
  }

  /** What takes a desktop out of the table; null where it is not in it. */
  removal(desktop: string): Change | null {
    const entry = this.#table.entries.get(this.desktopKey(desktop));
    return entry === undefined ? null : { kind: "delete", key: entry.key, revision: entry.revision };
  }

  desktopKey(desktop: string): string {
    return `${this.#options.prefix}desktops/${desktop}`;
  }

  /** Whether a node was told to hand over all that it has and take nothing. */
  isDrained(name: string): boolean {
    const entry = this.#table.entries.get(this.#drainKey(name));
    return entry !== undefined && drainOf(entry)?.isDrained === true;
  }

  /** Tells a node so by its name, or to take desktops again; `by` is unique to the call. Throws StoreError. */
  async drain(name: string, isDrained: boolean, by: string): Promise<void> {
    const key = this.#drainKey(name);
    const value = JSON.stringify({ isDrained, by });
    const { store } = this.#options;
    for (;;) {
      const found = await store.get(key);
      if ((found !== null && drainOf(found)?.isDrained === true) === isDrained) return;
      await this.#commit([
        found === null
          ? { kind: "create", key, value }
          : { kind: "update", key, value, revision: found.revision },
      ]);
    }
  }

  /** Its id of now; null before its first lease. */
  get id(): string | null {
    return this.#run?.id ?? null;
  }

  /** Stops, and lets others have what it had at once. */
  async close(): Promise<void> {
    this.#closed.abort();
    this.#table.close();
    const run = this.#run;
    for (const desktop of run?.holder.held ?? []) {
      run?.holder.leave(desktop);
      await this.#options.handOver(desktop);
    }
    await run?.lease.release();
    this.#run = null;
  }

  /** Rejects never: what the store could not do is tried again. */
  async #repeat(everyMs: number, work: () => Promise<void>): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#closed;
    while (!signal.aborted) {
      const startMs = clock.nowMs();
      try {
        await work();
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        if (error.code === "refused" || error.code === "not_alone") this.#options.onFailed(error);
      }
      const restMs = Math.max(SHORTEST_PAUSE_MS, everyMs - (clock.nowMs() - startMs));
      await delay(clock, restMs, signal).catch(() => undefined);
    }
  }

  async #renew(): Promise<void> {
    const { leaseClock, timing } = this.#options;
    if (this.#run === null || this.#run.lease.isLost) {
      this.#steadySince = null;
      const run = this.#newRun();
      this.#run = run;
      this.#options.onChange?.();
      try {
        await run.lease.take();
      } catch (error) {
        // What may have been taken after all ends by itself: nobody renews it.
        this.#run = null;
        throw error;
      }
    } else if (!(await this.#run.lease.renew())) return;
    const now = momentOf(leaseClock);
    const last = this.#acknowledged;
    // After a pause of the store, or of this process, the others get the time of a whole lease to renew theirs.
    if (last === null || mostPassedMs(leaseClock, last) > timing.leaseMs / 2) this.#steadySince = null;
    this.#steadySince ??= now;
    this.#acknowledged = now;
  }

  #newRun(): Run {
    const { store, clock, leaseClock, timing, prefix, newId, name, address, calls, offer } = this.#options;
    const id = newId();
    const { leaseMs } = timing;
    const recordOf = (nth: number): string =>
      JSON.stringify({
        ...{ id, nth, name, address: address(), calls: calls?.() ?? null, leaseMs },
        offer: offer(),
      } satisfies NodeRecord);
    const lease = new Lease({ store, clock, leaseClock, timing, key: `${prefix}nodes/${id}`, recordOf });
    return { id, lease, holder: new Holder(lease) };
  }

  #onChange(key: string, entry: Entry | null): void {
    this.#follow(key, entry);
    this.#options.onChange?.();
  }

  #follow(key: string, entry: Entry | null): void {
    const { prefix, leaseClock } = this.#options;
    if (key.startsWith(`${prefix}nodes/`)) {
      const record = entry === null ? null : nodeOf(entry);
      if (entry === null || record === null) this.#nodes.delete(key);
      else this.#nodes.set(key, { record, revision: entry.revision, since: momentOf(leaseClock) });
      return;
    }
    const run = this.#run;
    if (run === null || !key.startsWith(`${prefix}desktops/`)) return;
    const assignment = entry === null ? null : assignmentOf(entry);
    if (entry !== null && assignment?.owner === run.id) run.holder.assign(assignment.desktop, entry.revision);
    else run.holder.leave(key.slice(`${prefix}desktops/`.length));
  }

  async #care(): Promise<void> {
    const run = this.#run;
    if (run === null || run.lease.remainingMs <= 0) return;
    await this.#endSilent(run);
    const alive = [...this.#nodes.values()].map(({ record }) => record);
    const readable = new Map(alive.map((node) => [node.id, node]));
    // Who has a record that this version cannot read lives, and keeps what it has.
    const assignments = this.#assignments().filter(
      ({ assignment: { owner } }) => owner === null || readable.has(owner) || !this.#has(owner),
    );
    const moves = place(
      alive,
      assignments.map(({ assignment }) => assignment),
    );
    const byDesktop = new Map(assignments.map((at) => [at.assignment.desktop, at]));
    const isFirst = alive.every(({ id }) => run.id <= id);
    const leaving = moves.find(({ from }) => from === run.id);
    for (const move of moves) {
      const at = byDesktop.get(move.desktop);
      if (at === undefined || this.#closed.signal.aborted) continue;
      if (move.from === null && move.to !== null && isFirst) await this.#assign(at, move);
      // One after the other, so that the rest goes on meanwhile.
      else if (move === leaving) {
        run.holder.leave(move.desktop);
        await this.#options.handOver(move.desktop);
        await this.#assign(at, move);
      }
    }
    // Left for a move that came to nothing.
    const moving = new Set(moves.map(({ desktop }) => desktop));
    for (const at of assignments) {
      const { desktop, owner } = at.assignment;
      const isOwn = owner === run.id && run.lease.remainingMs > 0 && !moving.has(desktop);
      if (isOwn && run.holder.inputFence(desktop) === null) {
        await this.#assign(at, { desktop, from: owner, to: owner });
      }
    }
  }

  /** Only while this node's own renewals are acknowledged: else it is the store that is silent. */
  async #endSilent(run: Run): Promise<void> {
    const { leaseClock, timing } = this.#options;
    const [steady, last] = [this.#steadySince, this.#acknowledged];
    if (steady === null || last === null || mostPassedMs(leaseClock, last) > timing.leaseMs / 2) return;
    for (const [key, { record, revision, since }] of this.#nodes) {
      const silentMs = Math.min(leastPassedMs(leaseClock, since), leastPassedMs(leaseClock, steady));
      if (record.id === run.id || silentMs < record.leaseMs) continue;
      await this.#commit([{ kind: "delete", key, revision }]);
    }
  }

  #assignments(): Placed[] {
    return [...this.#table.entries.values()].flatMap((entry) => {
      if (!entry.key.startsWith(`${this.#options.prefix}desktops/`)) return [];
      const assignment = assignmentOf(entry);
      return assignment === null ? [] : [{ key: entry.key, assignment, revision: entry.revision }];
    });
  }

  async #assign(at: Placed, { from, to }: Move): Promise<void> {
    const { key, assignment, revision } = at;
    const next: Assignment = { ...assignment, owner: to, by: `${this.id} ${++this.#commits}` };
    const changes: Change[] = [{ kind: "update", key, value: JSON.stringify(next), revision }];
    // Who had it is proven to be gone in the same commit.
    if (from === null && assignment.owner !== null) {
      changes.push({ kind: "expect", key: this.#nodeKey(assignment.owner), revision: null });
    }
    await this.#commit(changes);
  }

  /** Whether it was done is seen in the table. */
  async #commit(changes: readonly Change[]): Promise<void> {
    const { store, clock, timing } = this.#options;
    await commitSurely(store, changes, { clock, withinMs: timing.leaseMs });
  }

  #has(id: string): boolean {
    return this.#table.entries.has(this.#nodeKey(id));
  }

  #drainKey(name: string): string {
    return `${this.#options.prefix}drains/${name}`;
  }

  #nodeKey(id: string): string {
    return `${this.#options.prefix}nodes/${id}`;
  }
}
