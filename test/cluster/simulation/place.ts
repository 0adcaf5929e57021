import { StoreError } from "../../../src/cluster/error.ts";
import { FLEET, Fleet } from "../../../src/cluster/fleet/fleet.ts";
import type { LeaseTiming } from "../../../src/cluster/lease/lease.ts";
import { endDeadLeases } from "../../../src/cluster/nodes/dead-leases.ts";
import type { MemoryStore } from "../../../src/cluster/store/memory-store.ts";
import type { Connection } from "../../../src/desktop/connections/connection.ts";
import { RefusedError } from "../../../src/desktop/error.ts";
import { FencedLink } from "../../../src/desktop/links/fenced-link.ts";
import { FarStore, Line, type Members } from "./far-store.ts";
import type { Target, TargetLink } from "./target.ts";
import { type ClockFaults, Machine, type World } from "./world.ts";

const INPUT_EVERY_MS = 100;
const CAPACITY = 12;

export interface FleetFaults extends ClockFaults {
  readonly timing?: Partial<LeaseTiming>;
  /** Input goes by no fence, as long as the desktop is open. */
  readonly hasNoFence?: boolean;
  /** The supervisor gives back the leases of a process that stands still, as if it had died. */
  readonly endsTheLiving?: boolean;
  /** See Line. */
  readonly lateRate?: number;
}

/** What all machines of a simulation have in common. */
export interface Scene {
  readonly world: World;
  readonly store: MemoryStore;
  readonly members: Members;
  readonly timing: LeaseTiming;
  readonly faults: FleetFaults;
  targetOf(desktop: string): Target;
  violate(words: string): void;
}

interface Open {
  readonly connection: Connection;
  inner: TargetLink | null;
  link: FencedLink | null;
}

/** The server of a node, one process from its start to its end: the real fleet, and people who type all the while. */
export class Server {
  readonly machine: Machine;
  readonly fleet: Fleet;
  readonly leases = new Set<string>();
  readonly #scene: Scene;
  readonly #open = new Map<string, Open>();
  #key = 0;

  constructor(scene: Scene, name: string, line: Line, onTwin: () => void) {
    const { world, store, members, timing, faults } = scene;
    this.#scene = scene;
    const machine = new Machine(world, faults);
    this.machine = machine;
    let ids = 0;
    const run = Math.floor(world.random() * 1e9);
    this.fleet = new Fleet({
      ...{ store: new FarStore(world, machine, line, store, members), clock: machine, leaseClock: machine },
      ...{ timing, name, zones: ["z"], capacity: CAPACITY, cores: 8, memoryMib: 8000 },
      sealer: { seal: (secret) => secret, open: (sealed) => sealed },
      newId: () => `r${run}-${++ids}`,
      onLease: (id) => this.leases.add(id),
      onAdded: () => undefined,
      onMoved: () => undefined,
      onFailed: (error) => {
        if (error.code === "not_alone") machine.run(onTwin);
        else scene.violate(`failed: ${error.message}`);
      },
    });
    const own = {
      take: (connection: Connection) => this.#take(connection),
      release: (id: string) => this.#release(id),
    };
    this.fleet.start(own, `http://${name}.test`);
    this.#type();
  }

  /** Those that it may send to now. */
  maySend(desktop: string): boolean {
    const open = this.#open.get(desktop);
    return this.machine.state !== "dead" && open?.link?.notHeld() === null;
  }

  get desktops(): readonly string[] {
    return [...this.#open.keys()];
  }

  has(desktop: string): boolean {
    return this.#open.get(desktop)?.link !== undefined && this.#open.get(desktop)?.link !== null;
  }

  async add(connection: Connection): Promise<void> {
    await this.fleet.add(connection, null).catch(ignoreRefusals);
  }

  async remove(desktop: string): Promise<void> {
    const open = this.#open.get(desktop);
    if (open === undefined) return;
    open.inner?.close();
    this.#open.delete(desktop);
    const rest = [...this.#open.values()].map(({ connection }) => connection);
    await this.fleet.save(rest).catch(ignoreRefusals);
  }

  #take(connection: Connection): void {
    const { world, targetOf, faults } = this.#scene;
    const { id } = connection;
    const open: Open = { connection, inner: null, link: null };
    this.#open.set(id, open);
    this.machine.after(world.between(1, 400), () => {
      if (this.#open.get(id) !== open) return;
      const fence = this.fleet.fenceOf(id);
      if (fence === null) return;
      const inner = targetOf(id).connect(`${this.fleet.name} ${[...this.leases].at(-1)}`, BigInt(fence));
      const link = this.fleet.fenced({ id }, inner);
      if (!(link instanceof FencedLink)) throw new Error("no fence");
      [open.inner, open.link] = [inner, link];
      if (faults.hasNoFence) open.link = Object.assign(link, { key: inner.key.bind(inner) });
    });
  }

  #release(id: string): void {
    const { inner } = this.#open.get(id) ?? {};
    this.#open.delete(id);
    if (inner === undefined || inner === null) return;
    inner.close();
    if (inner.down.size === 0) return;
    const isOwn = this.fleet.ownerOf(id)?.name === this.fleet.name;
    if (isOwn && this.fleet.state.leaseMs > 0)
      this.#scene.violate(`${id}: handed over with ${inner.down.size} keys down`);
  }

  /** A key goes down, and up in the next turn, wherever that is allowed. */
  #type(): void {
    const isDown = this.#key++ % 2 === 0;
    for (const { link, inner } of this.#open.values()) {
      if (link === null || inner?.isClosed !== false) continue;
      try {
        link.key(0x61, isDown, null);
      } catch (error) {
        ignoreRefusals(error);
      }
    }
    this.machine.after(INPUT_EVERY_MS, () => this.#type());
  }
}

/** A machine's place in the fleet: its name and line stay, the process is another one after each death. */
export class Place {
  readonly name: string;
  readonly line = new Line();
  server: Server;
  readonly #scene: Scene;

  constructor(scene: Scene, name: string) {
    this.#scene = scene;
    this.name = name;
    this.line.lateRate = scene.faults.lateRate ?? this.line.lateRate;
    this.server = this.start();
  }

  /** Another process under this name. */
  start(): Server {
    const server: Server = new Server(this.#scene, this.name, this.line, () => {
      this.end(server, { isSupervised: true, againMs: 2000 });
    });
    return server;
  }

  /** The process dies; the real code of its supervisor gives back its leases, unless that died as well. */
  end(server: Server, { isSupervised, againMs }: { isSupervised: boolean; againMs: number }): void {
    const { world } = this.#scene;
    if (server.machine.state === "dead") return;
    server.machine.die();
    if (isSupervised) world.at(world.between(1, 20), () => this.supervise(server));
    if (server !== this.server) return;
    world.at(againMs, () => {
      if (this.server === server) this.server = this.start();
    });
  }

  supervise({ leases }: Server): void {
    const { world, store, members, timing, faults } = this.#scene;
    const machine = new Machine(world, faults);
    const far = new FarStore(world, machine, this.line, store, members);
    void endDeadLeases({ store: far, clock: machine, prefix: FLEET, timing }, leases);
  }
}

function ignoreRefusals(error: unknown): void {
  if (!(error instanceof RefusedError || error instanceof StoreError)) throw error;
}
