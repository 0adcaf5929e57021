import { FLEET } from "../../../src/cluster/fleet/fleet.ts";
import { LEASE_TIMING } from "../../../src/cluster/lease/lease.ts";
import { MemoryStore } from "../../../src/cluster/store/memory-store.ts";
import type { Connection } from "../../../src/desktop/connections/connection.ts";
import type { Clock } from "../../../src/platform/clock.ts";
import { Members } from "./far-store.ts";
import { type FleetFaults, Place, type Scene } from "./place.ts";
import { STRIKES } from "./strikes.ts";
import { Target } from "./target.ts";
import { World } from "./world.ts";

const NODES = 3;
const DESKTOPS = 4;
const FAULTS_MS = 40_000;
/** Longer than anybody waits for a lease to be taken. */
const LONGEST_FAULT_MS = 15_000;
/** The last faults end, then a lease, and a desktop after the other. */
const CALM_MS = 30_000;
const CONNECTIONS = "/overlay-companion/connections/";

export interface FleetResult {
  /** What must never be, in words; none: all held. */
  readonly violations: readonly string[];
  readonly inputs: number;
  /** How often a desktop got another holder. */
  readonly moves: number;
  readonly faults: Readonly<Record<string, number>>;
}

/** What no timer of the store's own needs: it stands on a machine that is always there. */
const STILL: Clock = { nowMs: () => 0, date: () => new Date(0), after: () => () => undefined };

/** One fleet of real nodes and the real store, through 40 s of what `seed` has happen to it, and 30 s in which that ends. */
export async function simulateFleet(seed: number, faults: FleetFaults = {}): Promise<FleetResult> {
  const world = new World(seed);
  const violations: string[] = [];
  const targets = new Map<string, Target>();
  const violate = (words: string): void => void violations.push(words);
  const scene: Scene = {
    ...{ world, faults, members: new Members(), timing: { ...LEASE_TIMING, ...faults.timing }, violate },
    store: await MemoryStore.open(STILL, null),
    targetOf: (desktop) => {
      const found = targets.get(desktop) ?? new Target(desktop, world, violate);
      targets.set(desktop, found);
      return found;
    },
  };
  const { store } = scene;
  const places = Array.from({ length: NODES }, (_, nth) => new Place(scene, `n${nth}`));
  let desktops = 0;
  const connection = (): Connection => ({
    ...{ id: `d${++desktops}`, name: "d", protocol: "vnc", host: "h", port: 1, createdAt: "" },
    ...{ username: null, password: null },
  });
  for (let nth = 0; nth < DESKTOPS; nth++) {
    world.at(500, () => void places[nth % NODES]?.server.add(connection()));
  }

  const holdersOf = (desktop: string): readonly Place[] =>
    places.filter(({ server }) => server.maySend(desktop));
  const look = (): void => {
    for (const desktop of targets.keys()) {
      // Who has it not open cannot send: mostly that is all but one.
      if (places.filter(({ server }) => server.has(desktop)).length < 2) continue;
      const holders = holdersOf(desktop);
      if (holders.length < 2) continue;
      violate(`${desktop} at ${Math.round(world.nowMs)} ms: held by ${holders.map(({ name }) => name)}`);
    }
  };
  const counts: Record<string, number> = {};
  const strike = (): void => {
    const place = places[Math.floor(world.random() * NODES)];
    const named = STRIKES[Math.floor(world.random() * STRIKES.length)];
    if (place === undefined || named === undefined) throw new Error("no place, or no fault");
    const [name, call] = named;
    counts[name] = (counts[name] ?? 0) + 1;
    call({ scene, place, places, durationMs: world.between(100, LONGEST_FAULT_MS), connection });
    if (world.nowMs < FAULTS_MS) world.at(world.between(200, 3000), strike);
  };
  world.at(world.between(2000, 6000), strike);
  // Three renewals in a row that are late cost a lease, at the very end too.
  world.at(FAULTS_MS + LONGEST_FAULT_MS, () => {
    for (const { line } of places) line.lateRate = 0;
  });
  await world.run(FAULTS_MS + CALM_MS, look);

  const keys = async (prefix: string): Promise<readonly string[]> =>
    (await store.list(prefix)).entries.map(({ key }) => key.slice(prefix.length));
  const assigned = await keys(`${FLEET}desktops/`);
  const known = await keys(CONNECTIONS);
  if (assigned.join() !== known.join()) violate(`assigned are ${assigned}, known are ${known}`);
  for (const desktop of assigned) {
    const { length } = holdersOf(desktop);
    if (length !== 1) violate(`${desktop} has ${length} holders after all faults`);
  }
  for (const { name, server } of places) {
    if (server.fleet.state.leaseMs <= 0) violate(`${name} has no lease after all faults`);
  }
  for (const part of ["nodes/", "names/"]) {
    const { length } = await keys(`${FLEET}${part}`);
    if (length !== NODES) violate(`${length} ${part} after all faults`);
  }
  const all = [...targets.values()];
  return {
    violations,
    inputs: all.reduce((sum, target) => sum + target.inputs, 0),
    moves: all.reduce((sum, target) => sum + target.moves, 0),
    faults: counts,
  };
}
