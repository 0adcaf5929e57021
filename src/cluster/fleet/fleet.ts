import type { Server } from "node:http";
import type { Connection } from "../../desktop/connections/connection.ts";
import type { ConnectionStore } from "../../desktop/connections/connection-store.ts";
import type { SharedDesktops } from "../../desktop/connections/shared-desktops.ts";
import type { Actor } from "../../desktop/control/action.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { Link } from "../../desktop/link.ts";
import { FencedLink } from "../../desktop/links/fenced-link.ts";
import { type Clock, delay } from "../../platform/clock.ts";
import type { CalledFleet, NodeCalls } from "../calls/node-calls.ts";
import { StoreError } from "../error.ts";
import type { LeaseTiming } from "../lease/lease.ts";
import type { LeaseClock } from "../lease/lease-clock.ts";
import { FleetNode } from "../nodes/fleet-node.ts";
import type { Placed } from "../nodes/known.ts";
import type { Assignment, NodeRecord } from "../nodes/records.ts";
import { asked } from "../shared/asked.ts";
import { commitSurely } from "../store/commit-surely.ts";
import type { Change, ClusterStore } from "../store/store.ts";
import { FleetConnections } from "./fleet-connections.ts";
import { FleetMoves } from "./fleet-moves.ts";
import { type FleetQuery, type FleetView, fleetState, fleetView, heldBy, noSuchNode } from "./fleet-view.ts";
import { notYet, placeOf } from "./not-yet.ts";
import { Prepared } from "./prepared.ts";

export const FLEET = "/overlay-companion/fleet/";
const CONNECTIONS = "/overlay-companion/connections/";

const WRITE_WITHIN_MS = 5000;
/** A node that has room takes a new desktop within two renewals. */
const PLACE_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 250;
/** With less of its lease left a node that is not answered lets go of what is down, while it still may. */
const LET_GO_BEFORE_MS = 1000;
/** A target that does not answer is handed over all the same: its connection ends then. */
const LET_GO_WITHIN_MS = 1000;

/** The desktops that are open here. */
export interface OwnDesktops {
  take(connection: Connection): void;
  release(id: string): void;
}

interface FleetOptions {
  readonly store: ClusterStore;
  readonly clock: Clock;
  readonly leaseClock: LeaseClock;
  readonly timing: LeaseTiming;
  readonly sealer: ConstructorParameters<typeof FleetConnections>[0]["sealer"];
  readonly name: string;
  /** At least one. */
  readonly zones: readonly string[];
  /** Desktops at most. */
  readonly capacity: number;
  readonly cores: number;
  readonly memoryMib: number;
  newId(): string;
  /** Resolves when all that must be known of a desktop before it is opened is known; absent: its connection is enough. */
  prepare?(id: string): Promise<void>;
  /** One was taken away from all. */
  onRemoved?(id: string): void;
  /** It is about to take a lease under this id: told before anybody else can see it. */
  onLease?(id: string): void;
  /** Somebody added one, wherever it was placed. */
  onAdded(id: string, by: Actor | null): void;
  /** This node has one from now on, or no more. */
  onMoved(id: string, change: "taken" | "released", fence: bigint): void;
  onFailed(error: StoreError): void;
}

/** A desktop that this node has open, under one fence. */
interface Opened {
  readonly id: string;
  readonly fence: bigint;
  connection: Connection;
  link: FencedLink | null;
}

/** This server as a node of a fleet: it has open what the table says that it has, and sends input only while that is sure. */
export class Fleet implements SharedDesktops, ConnectionStore, CalledFleet {
  /** Calls to and from other nodes; null: this node makes and takes none. */
  calls: NodeCalls | null = null;
  readonly #options: FleetOptions;
  readonly #node: FleetNode;
  readonly #connections: FleetConnections;
  readonly #opened = new Map<string, Opened>();
  readonly #prepared: Prepared;
  readonly #closed = new AbortController();
  readonly #waiting = new Set<() => void>();
  readonly moves = new FleetMoves();
  #desktops: OwnDesktops | null = null;
  #address = "";
  #callsAt: string | null = null;
  #isDue = false;
  #wasSure = false;
  #lookedPlacings = 0;

  constructor(options: FleetOptions) {
    const { store, clock, leaseClock, timing, newId, name, zones, capacity, cores, memoryMib } = options;
    this.#options = options;
    const prepare = (id: string) => options.prepare?.(id);
    this.#prepared = new Prepared({ clock, prepare, changed: () => this.#changed() }, this.#closed.signal);
    const onFailed = (error: StoreError): void => options.onFailed(error);
    this.#node = new FleetNode({
      ...{ store, clock, leaseClock, timing, prefix: FLEET, newId, name, onFailed },
      ...{ address: () => this.#address, calls: () => this.#callsAt },
      offer: () => ({
        ...{ cores, memoryMib, links: capacity, zones: [...zones] },
        isDraining: this.#node.isDrained(name),
      }),
      onLease: (id) => options.onLease?.(id),
      handOver: (desktop) => this.#handOver(desktop),
      onChange: () => this.#changed(),
    });
    this.#connections = new FleetConnections({
      ...{ store, clock, prefix: CONNECTIONS, sealer: options.sealer, onFailed },
      onChange: () => this.#changed(),
    });
  }

  /**
   * From now on `app` answers other nodes, and this one takes desktops. Rejects where it cannot listen for calls, and with StoreError
   * `not_alone` where its name is another's.
   */
  async serve(desktops: OwnDesktops, address: string, app: Server): Promise<void> {
    this.#callsAt = (await this.calls?.listen(app, new URL(address).hostname)) ?? null;
    this.start(desktops, address);
    await this.#node.joined;
  }

  /** From now on this node takes desktops. `address`: where it is reached. */
  start(desktops: OwnDesktops, address: string): void {
    this.#desktops = desktops;
    this.#address = address;
    void this.#connections.open();
    this.#node.start();
    this.#look();
  }

  /** Hands over all that this node has, and lets others have it at once. */
  async close(): Promise<void> {
    this.#closed.abort();
    try {
      await this.#node.close();
    } catch (error) {
      // Then they wait until its lease is over.
      if (!(error instanceof StoreError)) throw error;
    }
    this.calls?.close();
    this.#connections.close();
    await this.#options.store.close();
  }

  /** A link that sends input only under the fence that its desktop was opened with. */
  fenced({ id }: Pick<Connection, "id">, link: Link): Link {
    const opened = this.#opened.get(id);
    const fenced = new FencedLink(link, {
      notHeld: () => this.#notHeld(id, opened),
      mayLetGo: () => opened !== undefined && this.#node.mayLetGo(id, opened.fence),
    });
    if (opened !== undefined) opened.link = fenced;
    return fenced;
  }

  /** Under what a desktop is open here; null where it is not. */
  fenceOf(id: string): string | null {
    return this.#opened.get(id)?.fence.toString() ?? null;
  }

  get name(): string {
    return this.#options.name;
  }

  get nodes(): readonly NodeRecord[] {
    return this.#node.nodes;
  }

  whenChanged(look: () => void): () => void {
    this.#waiting.add(look);
    return () => this.#waiting.delete(look);
  }

  /** The node that has a desktop; null: nobody, as far as this one knows. */
  ownerOf(id: string): NodeRecord | null {
    const owner = this.#node.assignment(id)?.owner;
    return this.nodes.find((node) => node.id === owner) ?? null;
  }

  async add(connection: Connection, by: Actor | null): Promise<void> {
    const { newId, zones } = this.#options;
    const [{ id }, [zone = ""]] = [connection, zones];
    const wish: Assignment = { desktop: id, zone, cores: 0, memoryMib: 0, owner: null, by: newId() };
    const place = { kind: "create", key: this.#node.desktopKey(id), value: JSON.stringify(wish) } as const;
    await this.#commit([this.#connections.created(connection), place]);
    this.#options.onAdded(id, by);
    await this.#untilPlaced(id);
  }

  elsewhere(id: string): RefusedError | null {
    if (!this.placed.has(id)) return null;
    const heldBy = placeOf(this.ownerOf(id));
    if (heldBy === null || heldBy.node === this.name) return notYet(id);
    return new RefusedError("held_elsewhere", `${heldBy.node} has the desktop ${id}: ask ${heldBy.address}`, {
      heldBy,
    });
  }

  /** Nothing is opened by who asks: what this node has comes by the table. */
  async load(): Promise<Connection[]> {
    return [];
  }

  /** Those of this node as they are now: what is another or gone is so for all. Throws RefusedError not_held. */
  async save(connections: readonly Connection[]): Promise<void> {
    const now = new Map(connections.map((connection) => [connection.id, connection]));
    for (const opened of [...this.#opened.values()]) {
      const connection = now.get(opened.id);
      if (connection === undefined) await this.#remove(opened);
      else if (connection !== opened.connection) {
        opened.connection = connection;
        if (!(await this.#connections.change(connection))) throw notYet(opened.id);
      }
    }
  }

  /** Throws RefusedError not_found for a node that the fleet does not know, not_held where the store does not answer. */
  async drain(name: string, isDrained: boolean): Promise<void> {
    if (!this.#node.nodes.some((node) => node.name === name)) throw noSuchNode();
    await asked(() => this.#node.drain(name, isDrained, `${this.name} ${this.#options.newId()}`));
  }

  view(query?: FleetQuery): FleetView {
    return fleetView(this.name, this.#node, (id) => this.#connections.nameOf(id), query);
  }

  /** All desktops by their ids, and the ids of the nodes that have them. */
  get placed(): ReadonlyMap<string, Placed> {
    return this.#node.placed;
  }

  /** The id of a desktop by that or its name, wherever it is; of undefined, of the first by their ids; null: there is none. */
  find(wanted: string | undefined): string | null {
    return wanted !== undefined && this.placed.has(wanted) ? wanted : this.#connections.first(wanted);
  }

  /** How it is, in numbers. */
  get state() {
    const own = { own: this.#opened.size, isDraining: this.#node.isDrained(this.name) };
    return { ...fleetState(this.#node), ...own, unreadable: this.#connections.unreadable };
  }

  /** In a turn of its own, once for all that changes in this one. */
  #changed(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      this.#reconcile();
      for (const look of [...this.#waiting]) look();
    });
  }

  /** Opens what this node was given and closes what it has no more, or has under another fence. */
  #reconcile(): void {
    const desktops = this.#desktops;
    if (desktops === null) return;
    for (const opened of [...this.#opened.values()]) {
      // One that is left is let go of by its handover.
      const isMoved = this.#node.heldFence(opened.id) !== opened.fence;
      if (isMoved && !this.#node.mayLetGo(opened.id, opened.fence)) this.#release(opened);
    }
    if (this.#closed.signal.aborted) return;
    for (const id of this.#node.held) {
      const [fence, connection] = [this.#node.heldFence(id), this.#connections.get(id)];
      if (fence === null || connection === null || connection === undefined) continue;
      if (this.#opened.has(id)) continue;
      if (!this.#prepared.take(id, fence)) continue;
      this.#opened.set(id, { id, fence, connection, link: null });
      this.#options.onMoved(id, "taken", fence);
      desktops.take(connection);
    }
  }

  /**
   * What binds a commit to this node's having a desktop, null for one that is not of the fleet. Throws RefusedError not_held
   * where that is not sure.
   */
  bindingOf(id: string): Change | null {
    const opened = this.#opened.get(id);
    if (opened === undefined && this.#node.assignment(id) === null) return null;
    const refused = this.#notHeld(id, opened);
    if (refused !== null || opened === undefined) throw refused ?? notYet(id);
    return { kind: "expect", key: this.#node.desktopKey(id), revision: opened.fence };
  }

  #release(opened: Opened): void {
    if (this.#opened.get(opened.id) !== opened) return;
    this.#desktops?.release(opened.id);
    this.#options.onMoved(opened.id, "released", opened.fence);
    // After all that its end has to tell, which is told under its fence.
    this.#opened.delete(opened.id);
  }

  async #handOver(id: string): Promise<void> {
    const opened = this.#opened.get(id);
    if (opened === undefined) return;
    opened.link?.letGo();
    // Also what was typed before and is not there yet: it must not come after what the next node sends.
    if (opened.link?.hasSent === true) {
      const limit = new AbortController();
      const tooLong = delay(this.#options.clock, LET_GO_WITHIN_MS, limit.signal).catch(() => undefined);
      await Promise.race([opened.link.barrier().catch(() => undefined), tooLong]);
      limit.abort();
    }
    this.#release(opened);
  }

  /** What is down is let go before the lease may be over, and after a time in which nothing could be sent. */
  #look(): void {
    if (this.#closed.signal.aborted) return;
    const { remainingMs } = this.#node;
    const isBack = remainingMs > 0 && !this.#wasSure;
    if (isBack || remainingMs < LET_GO_BEFORE_MS) {
      for (const { link } of this.#opened.values()) link?.letGo();
    }
    this.#wasSure = remainingMs > 0;
    const [{ clock }, { placings }] = [this.#options, this.#node];
    if (placings !== this.#lookedPlacings) this.moves.look(heldBy(this.#node), clock.date());
    this.#lookedPlacings = placings;
    clock.after(LOOK_EVERY_MS, () => this.#look(), { isIdle: true });
  }

  /** Why nothing may be sent there; null: it may, under the very fence it was opened with. */
  #notHeld(id: string, opened: Opened | undefined): RefusedError | null {
    if (opened !== undefined && this.#node.inputFence(id) === opened.fence) return null;
    const heldBy = placeOf(this.ownerOf(id));
    if (heldBy === null || heldBy.node === this.name) {
      return new RefusedError(
        "not_held",
        "this node cannot prove that it still has the desktop, for the etcd of its fleet does not answer in time: nothing is sent until it does",
      );
    }
    const told = `${heldBy.node} has this desktop now: nothing is sent from here, ask ${heldBy.address}`;
    return new RefusedError("not_held", told, { heldBy });
  }

  /** Resolves when it is open here. Throws RefusedError. */
  async #untilPlaced(id: string): Promise<void> {
    const limit = new AbortController();
    const tooLong = delay(this.#options.clock, PLACE_WITHIN_MS, limit.signal).catch(() => undefined);
    let look = (): void => undefined;
    const placed = new Promise<void>((resolve, reject) => {
      look = () => {
        const elsewhere = this.elsewhere(id);
        if (this.#opened.has(id)) resolve();
        else if (elsewhere?.code === "held_elsewhere") {
          const { heldBy } = elsewhere;
          reject(new RefusedError("held_elsewhere", `it was added: ${elsewhere.message}`, { heldBy }));
        }
      };
      this.#waiting.add(look);
      look();
    });
    try {
      await Promise.race([placed, tooLong]);
      if (!this.#opened.has(id)) {
        throw new RefusedError(
          "not_held",
          `the desktop ${id} was added, and no node has room for it: add a node, or raise cluster.capacity`,
        );
      }
    } finally {
      limit.abort();
      this.#waiting.delete(look);
    }
  }

  /** Where it cannot be taken away it is opened again. Throws RefusedError not_held. */
  async #remove(opened: Opened): Promise<void> {
    this.#opened.delete(opened.id);
    try {
      const changes = [this.#node.removal(opened.id), this.#connections.removed(opened.id)];
      const known = changes.filter((change) => change !== null);
      if (known.length > 0 && !(await this.#commit(known))) throw notYet(opened.id);
      this.#options.onRemoved?.(opened.id);
    } finally {
      this.#changed();
    }
  }

  /** Throws RefusedError not_held. */
  async #commit(changes: readonly Change[]): Promise<boolean> {
    const { store, clock } = this.#options;
    return await asked(async () => {
      const outcome = await commitSurely(store, changes, { clock, withinMs: WRITE_WITHIN_MS });
      return outcome.isDone;
    });
  }
}
