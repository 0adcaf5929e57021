// `npm run test:fleet:scale [-- DESKTOPS [NODES [LOST]]]`: the real nodes of a large fleet on a simulated network: what they ask of their
// store, how large their table is, and how long the desktops of nodes that die are nobody's. Time is simulated, so what the
// nodes compute costs none of it; what that is in CPU is told beside.
import { randomBytes } from "node:crypto";
import { SecretBox } from "../../src/auth/secret-box.ts";
import { FLEET } from "../../src/cluster/fleet/fleet.ts";
import { FleetConnections } from "../../src/cluster/fleet/fleet-connections.ts";
import { fleetView } from "../../src/cluster/fleet/fleet-view.ts";
import { LEASE_TIMING } from "../../src/cluster/lease/lease.ts";
import { endDeadLeases } from "../../src/cluster/nodes/dead-leases.ts";
import { FleetNode } from "../../src/cluster/nodes/fleet-node.ts";
import { place } from "../../src/cluster/nodes/place.ts";
import { type Assignment, assignmentOf } from "../../src/cluster/nodes/records.ts";
import { MemoryStore } from "../../src/cluster/store/memory-store.ts";
import type { Change } from "../../src/cluster/store/store.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { CountedStore, Counts } from "./simulation/counted-store.ts";
import { FarStore, Line, Members } from "./simulation/far-store.ts";
import { Machine, World } from "./simulation/world.ts";

const [DESKTOPS = 10_000, NODES = 100, LOST = 10] = process.argv.slice(2).map(Number);
const CONNECTIONS = "/overlay-companion/connections/";
/** Ten in a hundred nodes may be lost. */
const LINKS = Math.ceil((DESKTOPS / (NODES - LOST)) * 1.2);
const AT_ONCE = 50;
const STEADY_MS = 10_000;
const GIVE_UP_MS = 60_000;
const LOOK_EVERY_MS = 10;

interface Member {
  readonly name: string;
  readonly machine: Machine;
  readonly line: Line;
  readonly node: FleetNode;
  readonly leases: string[];
}

const world = new World(1);
const members = new Members();
const memory = await MemoryStore.open(systemClock, null);
const counted = new CountedStore(memory);
let ids = 0;

function start(name: string): Member {
  const machine = new Machine(world, {});
  const line = new Line();
  // Messages take 1 to 6 ms, and none is lost.
  line.lateRate = 0;
  const leases: string[] = [];
  const node = new FleetNode({
    ...{ store: new FarStore(world, machine, line, counted, members), clock: machine, leaseClock: machine },
    ...{ timing: LEASE_TIMING, prefix: FLEET, name, address: () => `https://${name}.example:3000` },
    calls: () => `${name}.example:3443`,
    newId: () => `${name}-${++ids}-${randomBytes(12).toString("hex")}`,
    onLease: (id) => leases.push(id),
    offer: () => ({ cores: 32, memoryMib: 131_072, links: LINKS, zones: ["office"], isDraining: false }),
    handOver: async () => undefined,
    onFailed(error) {
      throw error;
    },
  });
  node.start();
  return { name, machine, line, node, leases };
}

/** Runs until it holds, and gives the simulated time that took. */
async function until(what: string, holds: () => boolean): Promise<number> {
  const beganMs = world.nowMs;
  while (!holds()) {
    if (world.nowMs - beganMs > GIVE_UP_MS) throw new Error(`${what}: not within ${GIVE_UP_MS} ms`);
    await world.run(world.nowMs + LOOK_EVERY_MS, () => undefined);
  }
  return Math.round(world.nowMs - beganMs);
}

/** Whether every desktop is held by just one node that lives, which may send input to it. */
function areAllHeld(alive: readonly Member[]): boolean {
  return alive.reduce((sum, { node }) => sum + node.held.length, 0) === DESKTOPS && alive.every(maySendToAll);
}

function maySendToAll({ node }: Member): boolean {
  return node.remainingMs > 0 && node.held.every((desktop) => node.inputFence(desktop) !== null);
}

function since(counts: Counts, beganMs: number): string {
  const perSecond = (count: number): string => ((count * 1000) / (world.nowMs - beganMs)).toFixed(0);
  return `${perSecond(counts.done)} writes and ${perSecond(counts.refused)} refused a second, ${perSecond(counts.reads)} reads, ${perSecond(counts.deliveries)} deliveries of ${(counts.deliveredBytes / Math.max(1, counts.deliveries)).toFixed(0)} bytes`;
}

async function sizeOf(prefix: string): Promise<string> {
  const { entries } = await memory.list(prefix);
  const bytes = entries.reduce((sum, { key, value }) => sum + key.length + Buffer.byteLength(value), 0);
  return `${entries.length} keys, ${(bytes / 1e6).toFixed(2)} MB`;
}

function say(words: string): void {
  process.stdout.write(`${words}\n`);
}

/** All of these die at once; with a supervisor each, or without. */
async function lose(
  what: string,
  lost: readonly Member[],
  alive: readonly Member[],
  hasSupervisors: boolean,
): Promise<void> {
  const held = lost.reduce((sum, { node }) => sum + node.held.length, 0);
  counted.counts = new Counts();
  const beganMs = world.nowMs;
  for (const { machine, leases, line } of lost) {
    machine.die();
    if (!hasSupervisors) continue;
    const supervisor = new Machine(world, {});
    const store = new FarStore(world, supervisor, line, counted, members);
    void endDeadLeases({ store, clock: supervisor, prefix: FLEET, timing: LEASE_TIMING }, leases);
  }
  const tookMs = await until("all are held again", () => areAllHeld(alive));
  say(
    `${what}: ${lost.length} nodes with ${held} desktops, all held by others after ${tookMs} ms; ${since(counted.counts, beganMs)}`,
  );
}

let all = Array.from({ length: NODES }, (_, nth) => start(`node-${nth}`));
say(
  `${NODES} nodes have leases after ${await until("leases", () => all.every(({ node }) => node.remainingMs > 0))} ms`,
);

const connections = new FleetConnections({
  ...{
    store: memory,
    clock: systemClock,
    prefix: CONNECTIONS,
    sealer: SecretBox.by(randomBytes(32).toString("base64url")),
  },
  onChange: () => undefined,
  onFailed: () => undefined,
});
for (let nth = 0; nth < DESKTOPS; nth += AT_ONCE) {
  const changes = Array.from({ length: Math.min(AT_ONCE, DESKTOPS - nth) }, (_, of): Change[] => {
    const id = randomBytes(9).toString("base64url").replaceAll("-", "a");
    const wish: Assignment = { desktop: id, zone: "office", cores: 0, memoryMib: 0, owner: null, by: id };
    const connection = connections.created({
      ...{
        id,
        name: `Desktop of department ${nth + of}`,
        protocol: "vnc",
        host: `host-${nth + of}.example`,
        port: 5900,
      },
      ...{
        username: null,
        password: randomBytes(12).toString("base64"),
        createdAt: new Date().toISOString(),
      },
    });
    return [connection, { kind: "create", key: `${FLEET}desktops/${id}`, value: JSON.stringify(wish) }];
  }).flat();
  await memory.commit(changes);
}
say(`${DESKTOPS} desktops added at once are held after ${await until("all held", () => areAllHeld(all))} ms`);
for (const part of ["nodes/", "names/", "desktops/"]) say(`table: ${part} ${await sizeOf(FLEET + part)}`);
say(`table: connections, sealed, ${await sizeOf(CONNECTIONS)}`);

counted.counts = new Counts();
const [steadyMs, cpu] = [world.nowMs, process.cpuUsage()];
await world.run(world.nowMs + STEADY_MS, () => undefined);
const { user, system } = process.cpuUsage(cpu);
say(`steady: ${since(counted.counts, steadyMs)}`);
say(
  `steady: at most ${((user + system) / 10 / NODES / STEADY_MS).toFixed(2)} % of a core a node, the simulation's own work in it`,
);

const [first] = all;
if (first === undefined) throw new Error("no node");
const assignments = (await memory.list(`${FLEET}desktops/`)).entries.flatMap(
  (entry) => assignmentOf(entry) ?? [],
);
const rounds = Array.from({ length: 21 }, () => {
  const beganMs = performance.now();
  place(first.node.nodes, assignments);
  return performance.now() - beganMs;
}).sort((a, b) => a - b);
say(
  `who should have what, of all desktops: ${rounds[10]?.toFixed(1)} ms (median), ${rounds[20]?.toFixed(1)} ms at most`,
);

const tellings = Array.from({ length: 21 }, () => {
  const beganMs = performance.now();
  const text = JSON.stringify(fleetView("node-0", first.node, (id) => id).desktops);
  return { ms: performance.now() - beganMs, bytes: text.length };
}).sort((a, b) => a.ms - b.ms);
say(
  `what is told of the fleet at once: ${tellings[10]?.ms.toFixed(1)} ms (median), ${tellings[20]?.ms.toFixed(1)} ms at most, ${tellings[0]?.bytes} bytes`,
);

// Who places what others had is among them.
all.sort((a, b) => ((a.node.id ?? "") < (b.node.id ?? "") ? -1 : 1));
const processes = all.slice(0, LOST);
all = all.slice(LOST);
await lose("processes killed", processes, all, true);
for (const { name } of processes) all.push(start(name));
await until("leases", () => all.every(({ node }) => node.remainingMs > 0));
await world.run(world.nowMs + STEADY_MS, () => undefined);
all.sort((a, b) => ((a.node.id ?? "") < (b.node.id ?? "") ? -1 : 1));
// Those that came back have nothing yet.
const withDesktops = all.filter(({ node }) => node.held.length > 0);
const hosts = withDesktops.slice(0, LOST);
all = all.filter((member) => !hosts.includes(member));
await lose("hosts lost", hosts, all, false);
process.exit(0);
