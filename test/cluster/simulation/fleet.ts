import { LEASE_TIMING, type LeaseTiming } from "../../../src/cluster/lease/lease.ts";
import { FleetNode } from "../../../src/cluster/nodes/fleet-node.ts";
import type { Assignment, NodeOffer } from "../../../src/cluster/nodes/records.ts";
import { MemoryStore } from "../../../src/cluster/store/memory-store.ts";
import type { Clock } from "../../../src/platform/clock.ts";
import { FarStore, Line } from "./far-store.ts";
import { type ClockFaults, Machine, World } from "./world.ts";

const NODES = 3;
const DESKTOPS = 4;
const FAULTS_MS = 40_000;
/** Longer than anybody waits for a lease to be taken. */
const LONGEST_FAULT_MS = 15_000;
/** The last faults end, then a lease, and a desktop after the other. */
const CALM_MS = 30_000;
const INPUT_EVERY_MS = 60;
const PREFIX = "/oc/";

export interface FleetFaults extends ClockFaults {
  readonly timing?: Partial<LeaseTiming>;
}

export interface FleetResult {
  /** What must never be, in words; none: all held. */
  readonly violations: readonly string[];
  readonly inputs: number;
  /** How often a desktop got another holder. */
  readonly moves: number;
  readonly faults: Readonly<Record<string, number>>;
}

interface Site {
  readonly line: Line;
  isDraining: boolean;
}

interface Place {
  readonly site: Site;
  /** Of now: after a death another one is started. */
  started: { readonly machine: Machine; readonly node: FleetNode };
}

/** A target that remembers the newest fence it was given input under. */
interface Target {
  newest: bigint;
  holder: string;
}

/** What no timer of the store's own needs: it stands on a machine that is always there. */
const STILL: Clock = { nowMs: () => 0, date: () => new Date(0), after: () => () => undefined };

/** One fleet of real nodes and the real store, through 40 s of what `seed` has happen to it, and 30 s in which that ends. */
export async function simulateFleet(seed: number, faults: FleetFaults = {}): Promise<FleetResult> {
  const world = new World(seed);
  const store = await MemoryStore.open(STILL, null);
  const violations: string[] = [];
  const counts: Record<string, number> = {};
  const targets = new Map<string, Target>();
  let [inputs, moves, ids, names] = [0, 0, 0, 0];
  const timing = { ...LEASE_TIMING, ...faults.timing };

  for (let nth = 0; nth < DESKTOPS; nth++) {
    const desktop = `d${nth}`;
    targets.set(desktop, { newest: 0n, holder: "" });
    const wish: Assignment = { desktop, zone: "z", cores: 1, memoryMib: 100, owner: null, by: "test" };
    await store.commit([
      { kind: "create", key: `${PREFIX}desktops/${desktop}`, value: JSON.stringify(wish) },
    ]);
  }

  const start = (site: Site): Place["started"] => {
    const machine = new Machine(world, faults);
    const offer = (): NodeOffer => ({
      ...{ cores: 8, memoryMib: 8000, links: 8, zones: ["z"], isDraining: site.isDraining },
    });
    const node = new FleetNode({
      ...{ store: new FarStore(world, machine, site.line, store), clock: machine, leaseClock: machine },
      ...{ timing, prefix: PREFIX, offer, name: `n${++names}`, address: () => "" },
      newId: () => `n${Math.floor(world.random() * 10)}-${++ids}`,
      handOver: () => new Promise((resolve) => machine.after(world.between(1, 300), resolve)),
      onFailed: (error) => violations.push(`failed: ${error.message}`),
    });
    node.start();
    const type = (): void => {
      for (const [desktop, target] of targets) {
        const fence = node.inputFence(desktop);
        if (fence === null) continue;
        inputs++;
        if (fence < target.newest) violations.push(`${desktop}: input under ${fence} after ${target.newest}`);
        if (fence > target.newest && target.holder !== node.id) moves++;
        [target.newest, target.holder] = [fence, node.id ?? ""];
      }
      machine.after(INPUT_EVERY_MS, type);
    };
    type();
    return { machine, node };
  };
  const places = Array.from({ length: NODES }, (): Place => {
    const site = { line: new Line(), isDraining: false };
    return { site, started: start(site) };
  });
  const holdersOf = (desktop: string): readonly FleetNode[] =>
    places.flatMap(({ started: { machine, node } }) =>
      machine.state !== "dead" && node.inputFence(desktop) !== null ? [node] : [],
    );

  const look = (): void => {
    for (const desktop of targets.keys()) {
      const holders = holdersOf(desktop);
      if (holders.length > 1) {
        violations.push(
          `${desktop} at ${Math.round(world.nowMs)} ms: held by ${holders.map(({ id }) => id)}`,
        );
      }
    }
  };
  const strike = (): void => {
    const place = places[Math.floor(world.random() * NODES)];
    const named = FAULTS[Math.floor(world.random() * FAULTS.length)];
    if (place === undefined || named === undefined) throw new Error("no place, or no fault");
    const [name, fault] = named;
    counts[name] = (counts[name] ?? 0) + 1;
    const restart = (): void => {
      place.started = start(place.site);
    };
    fault({ world, place, places, durationMs: world.between(100, LONGEST_FAULT_MS), store, restart });
    if (world.nowMs < FAULTS_MS) world.at(world.between(200, 4000), strike);
  };
  world.at(world.between(500, 5000), strike);
  await world.run(FAULTS_MS, look);
  for (const { site } of places) site.line.isCut = false;
  await world.run(FAULTS_MS + CALM_MS, look);
  for (const desktop of targets.keys()) {
    const holders = holdersOf(desktop);
    if (holders.length !== 1) violations.push(`${desktop} has ${holders.length} holders after all faults`);
  }
  const { entries } = await store.list(`${PREFIX}nodes/`);
  if (entries.length !== NODES) violations.push(`${entries.length} nodes have leases after all faults`);
  return { violations, inputs, moves, faults: counts };
}

interface Strike {
  readonly world: World;
  readonly place: Place;
  readonly places: readonly Place[];
  readonly durationMs: number;
  readonly store: MemoryStore;
  restart(): void;
}

/** Each ends by itself, before the calm does. */
const FAULTS: readonly (readonly [string, (strike: Strike) => void])[] = [
  ["partition", ({ world, place, durationMs }) => cut(world, [place], durationMs)],
  ["store gone", ({ world, places, durationMs }) => cut(world, places, durationMs)],
  ["pause", ({ place, durationMs }) => place.started.machine.stand("paused", durationMs)],
  ["sleep", ({ place, durationMs }) => place.started.machine.stand("asleep", durationMs)],
  [
    "kill",
    ({ world, place, durationMs, restart }) => {
      const { machine } = place.started;
      if (machine.state === "dead") return;
      machine.die();
      world.at(durationMs, restart);
    },
  ],
  [
    "slow line",
    ({
      world,
      place: {
        site: { line },
      },
      durationMs,
    }) => {
      line.slownessMs = world.between(5, 1500);
      world.at(durationMs, () => {
        line.slownessMs = 5;
      });
    },
  ],
  ["wall clock", ({ world, place }) => place.started.machine.jumpWall(world.between(-1e9, 1e9))],
  ["compaction", ({ store }) => store.compact()],
  [
    "drain",
    ({ world, place: { site }, durationMs }) => {
      site.isDraining = true;
      world.at(durationMs, () => {
        site.isDraining = false;
      });
    },
  ],
];

function cut(world: World, places: readonly Place[], durationMs: number): void {
  for (const {
    site: { line },
  } of places) {
    line.isCut = true;
    world.at(durationMs, () => {
      line.isCut = false;
    });
  }
}
