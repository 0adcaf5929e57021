import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../platform/clock.ts";
import { nextTurn } from "../../platform/loop-turns.ts";
import { StoreError } from "../error.ts";
import { Lease, type LeaseTiming } from "../lease/lease.ts";
import { type LeaseClock, leastPassedMs, type Moment, momentOf, mostPassedMs } from "../lease/lease-clock.ts";
import { commitSurely } from "../store/commit-surely.ts";
import { SharedTable } from "../store/shared-table.ts";
import type { Change, ClusterStore, Entry } from "../store/store.ts";
import { Holder } from "./holder.ts";
import type { Placed, Placing, Run, Seen } from "./known.ts";
import { endOf, NodeName, nameKey, nodeKey } from "./node-name.ts";
import { type Move, place } from "./place.ts";
import {
  type Assignment,
  assignmentOf,
  drainOf,
  type NodeOffer,
  type NodeRecord,
  nodeOf,
} from "./records.ts";
import { Rounds } from "./rounds.ts";

/** Desktops that are given away in one commit; with the proof of each one's end it has fewer changes than a store takes. */
const AT_ONCE = 48;

/** To look at more takes milliseconds, in a turn that has them. */
const MOST_AT_ANY_TIME = 1000;

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
  /** It is about to take a lease under this id: told before anybody else can see it. */
  onLease?(id: string): void;
  /** What this node can take now. */
  offer(): NodeOffer;
  /** Before another node gets it: resolves when nothing is held down there. */
  handOver(desktop: string): Promise<void>;
  /** Who has what, or who lives, may be another now. */
  onChange?(): void;
  /** The shared state cannot be read or written, for a reason that does not pass. */
  onFailed(error: StoreError): void;
}

/**
 * One node of a fleet: renews its lease, follows who has which desktop, ends the leases of nodes that are silent, and, as the first
 * of those that live, says who takes what nobody has. Two that think that they are the first cost a commit that is not done.
 * INVARIANT: an assignment is changed by who has it, or by anybody once the record of who had it is gone; ids never come back.
 */
export class FleetNode {
  /** Resolves once it has a lease, or the store does not answer; rejects with StoreError `not_alone` where its name is another's. */
  readonly joined: Promise<void>;
  readonly #options: FleetNodeOptions;
  readonly #table: SharedTable;
  readonly #nodes = new Map<string, Seen>();
  /** By desktop. */
  readonly #placed = new Map<string, Placed>();
  readonly #name: NodeName;
  readonly #closed = new AbortController();
  readonly #caring: Rounds;
  #run: Run | null = null;
  /** Since when every renewal was acknowledged in time, and when the last one was. */
  #steadySince: Moment | null = null;
  #acknowledged: Moment | null = null;
  #commits = 0;
  /** Grows with whatever decides who should have what. */
  #placings = 0;
  /** By which all was found as it should be. */
  #placedWell = -1;
  #hasJoined: (why?: StoreError) => void = () => undefined;

  constructor(options: FleetNodeOptions) {
    this.#options = options;
    this.joined = new Promise((resolve, reject) => {
      this.#hasJoined = (why) => (why === undefined ? resolve() : reject(why));
    });
    // Who does not wait for it is told by onFailed.
    this.joined.catch(() => undefined);
    const { store, clock, leaseClock, prefix, name } = options;
    this.#caring = new Rounds(clock, this.#closed.signal);
    this.#name = new NodeName({ store, leaseClock, prefix, name });
    this.#table = new SharedTable({
      ...{ store, clock, prefix },
      onChange: (key, entry) => this.#onChange(key, entry),
      onFailed: (error) => options.onFailed(error),
    });
  }

  /** Goes on until it is closed. */
  start(): void {
    const { clock, timing } = this.#options;
    const renewing = new Rounds(clock, this.#closed.signal);
    void this.#table.open();
    void renewing.run(timing.renewMs, () => this.#try(() => this.#renew()));
    void this.#caring.run(timing.renewMs, () => this.#try(() => this.#care()));
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
    const placed = this.#placed.get(desktop);
    return placed?.revision === fence && placed.assignment.owner === run.id;
  }

  /** Nodes that have a lease, as far as this one knows. */
  get nodes(): readonly NodeRecord[] {
    return [...this.#nodes.values()].map(({ record }) => record);
  }

  /** Another one whenever somebody else may have a desktop, another node lives, or takes other ones; renewals do not count. */
  get placings(): number {
    return this.#placings;
  }

  /** Who has which desktop, by its id, as far as this node knows. */
  get placed(): ReadonlyMap<string, Placed> {
    return this.#placed;
  }

  assignment(desktop: string): Assignment | null {
    return this.#placed.get(desktop)?.assignment ?? null;
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
    await run?.lease.release([{ kind: "delete", key: this.#nameKey, revision: run.lease.takenRevision }]);
    this.#run = null;
  }

  /** Rejects never: what the store could not do is tried again. */
  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.#hasJoined(error.code === "not_alone" ? error : undefined);
      if (error.code === "refused" || error.code === "not_alone") this.#options.onFailed(error);
    }
  }

  async #renew(): Promise<void> {
    const { leaseClock, timing } = this.#options;
    if (this.#run === null || this.#run.lease.isLost) {
      this.#steadySince = null;
      if (!(await this.#join())) return;
    } else if (!(await this.#run.lease.renew())) return;
    const now = momentOf(leaseClock);
    const last = this.#acknowledged;
    // After a pause of the store, or of this process, the others get the time of a whole lease to renew theirs.
    if (last === null || mostPassedMs(leaseClock, last) > timing.leaseMs / 2) this.#steadySince = null;
    this.#steadySince ??= now;
    this.#acknowledged = now;
    this.#hasJoined();
  }

  /** Under an id of its own; false where somebody had this name, who may live. */
  async #join(): Promise<boolean> {
    const run = this.#newRun();
    const claim = await this.#name.claim(run.id);
    if (claim === null || this.#closed.signal.aborted) return false;
    this.#run = run;
    this.#options.onLease?.(run.id);
    this.#options.onChange?.();
    let isTaken = false;
    try {
      isTaken = await run.lease.take(claim);
    } finally {
      // What may have been taken after all ends by itself: nobody renews it.
      if (!isTaken) this.#run = null;
    }
    return isTaken;
  }

  #newRun(): Run {
    const { store, clock, leaseClock, timing, prefix, newId, name, address, calls, offer } = this.#options;
    const id = newId();
    const { leaseMs } = timing;
    const recordOf = (nth: number): string =>
      JSON.stringify({
        ...{ id, nth, name, address: address(), calls: calls?.() ?? null, leaseMs, isLenient: true },
        offer: offer(),
      } satisfies NodeRecord);
    const lease = new Lease({ store, clock, leaseClock, timing, key: nodeKey(prefix, id), recordOf });
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
      const offered = this.#nodes.get(key)?.record.offer;
      if (entry === null || !isDeepStrictEqual(record?.offer, offered)) this.#placings++;
      if (entry === null || record === null) this.#nodes.delete(key);
      else this.#nodes.set(key, { record, revision: entry.revision, since: momentOf(leaseClock) });
      // Nobody has what it had.
      if (entry === null && this.#isFirst) this.#caring.now();
      return;
    }
    if (!key.startsWith(`${prefix}desktops/`)) return;
    const run = this.#run;
    const desktop = key.slice(`${prefix}desktops/`.length);
    this.#placings++;
    const assignment = entry === null ? null : assignmentOf(entry);
    if (entry === null || assignment === null) this.#placed.delete(desktop);
    else this.#placed.set(desktop, { key, assignment, revision: entry.revision });
    if (assignment?.owner === null && this.#isFirst) this.#caring.now();
    if (run === null) return;
    if (entry !== null && assignment?.owner === run.id) run.holder.assign(assignment.desktop, entry.revision);
    else run.holder.leave(desktop);
  }

  async #care(): Promise<void> {
    if (this.#placed.size > MOST_AT_ANY_TIME) await nextTurn();
    const run = this.#run;
    // By a part of the table nodes that live would seem to be gone.
    if (run === null || run.lease.remainingMs <= 0 || !this.#table.isTold) return;
    await this.#endSilent(run);
    const placings = this.#placings;
    if (placings === this.#placedWell) return;
    const alive = [...this.#nodes.values()].map(({ record }) => record);
    const readable = new Map(alive.map((node) => [node.id, node]));
    // Who has a record that this version cannot read lives, and keeps what it has.
    const assignments = [...this.#placed.values()].filter(
      ({ assignment: { owner } }) => owner === null || readable.has(owner) || !this.#has(owner),
    );
    const wishes = assignments.map(({ assignment }) => assignment);
    const moves = place(alive, wishes);
    const placed = (move: Move | undefined): Placing[] => {
      const at = move === undefined ? undefined : this.#placed.get(move.desktop);
      return at === undefined || move === undefined ? [] : [{ at, move }];
    };
    const free = this.#isFirst
      ? moves.filter(({ from, to }) => from === null && to !== null).flatMap(placed)
      : [];
    const [leaving] = placed(moves.find(({ from }) => from === run.id));
    for (let nth = 0; nth < free.length; nth += AT_ONCE) {
      if (!this.#closed.signal.aborted) await this.#assignAll(free.slice(nth, nth + AT_ONCE));
    }
    // One after the other, so that the rest goes on meanwhile.
    if (leaving !== undefined && !this.#closed.signal.aborted) {
      const { desktop } = leaving.move;
      run.holder.leave(desktop);
      await this.#options.handOver(desktop);
      await this.#assignAll([leaving]);
    }
    // Left for a move that came to nothing.
    const moving = new Set(moves.map(({ desktop }) => desktop));
    const left = assignments.filter(
      ({ assignment: { desktop, owner } }) =>
        owner === run.id && !moving.has(desktop) && run.holder.heldFence(desktop) === null,
    );
    for (const at of left) {
      const { desktop, owner } = at.assignment;
      if (run.lease.remainingMs > 0)
        await this.#assignAll([{ at, move: { desktop, from: owner, to: owner } }]);
    }
    if (free.length === 0 && leaving === undefined && left.length === 0) this.#placedWell = placings;
  }

  /** Only while this node's own renewals are acknowledged: else it is the store that is silent. */
  async #endSilent(run: Run): Promise<void> {
    const { leaseClock, timing, prefix } = this.#options;
    const [steady, last] = [this.#steadySince, this.#acknowledged];
    if (steady === null || last === null || mostPassedMs(leaseClock, last) > timing.leaseMs / 2) return;
    for (const [key, { record, revision, since }] of this.#nodes) {
      const silentMs = Math.min(leastPassedMs(leaseClock, since), leastPassedMs(leaseClock, steady));
      if (record.id === run.id || silentMs < record.leaseMs) continue;
      const name = this.#table.entries.get(nameKey(prefix, record.name)) ?? null;
      await this.#commit(endOf(prefix, { key, revision }, name));
    }
  }

  /** All in one commit; where one of them changed meanwhile, each by itself. */
  async #assignAll(all: readonly Placing[]): Promise<void> {
    const changes: Change[] = [];
    const gone = new Set<string>();
    for (const { at, move } of all) {
      const { key, assignment, revision } = at;
      const next: Assignment = { ...assignment, owner: move.to, by: `${this.id} ${++this.#commits}` };
      changes.push({ kind: "update", key, value: JSON.stringify(next), revision });
      if (move.from === null && assignment.owner !== null) gone.add(assignment.owner);
    }
    // Who had them is proven to be gone in the same commit.
    for (const id of gone) changes.push({ kind: "expect", key: this.#nodeKey(id), revision: null });
    if ((await this.#commit(changes)) || all.length === 1) return;
    for (const one of all) await this.#assignAll([one]);
  }

  /** Whether it was done; also that is seen in the table. */
  async #commit(changes: readonly Change[]): Promise<boolean> {
    const { store, clock, timing } = this.#options;
    return (await commitSurely(store, changes, { clock, withinMs: timing.leaseMs })).isDone;
  }

  /** Of those that live, who says who takes what nobody has. */
  get #isFirst(): boolean {
    const { id } = this;
    return id !== null && this.nodes.every((node) => id <= node.id);
  }

  #has(id: string): boolean {
    return this.#table.entries.has(this.#nodeKey(id));
  }

  #drainKey(name: string): string {
    return `${this.#options.prefix}drains/${name}`;
  }

  #nodeKey(id: string): string {
    return nodeKey(this.#options.prefix, id);
  }

  get #nameKey(): string {
    return nameKey(this.#options.prefix, this.#options.name);
  }
}
