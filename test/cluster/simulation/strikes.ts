import { FLEET } from "../../../src/cluster/fleet/fleet.ts";
import type { Connection } from "../../../src/desktop/connections/connection.ts";
import type { Line } from "./far-store.ts";
import type { Place, Scene } from "./place.ts";

export interface Strike {
  readonly scene: Scene;
  readonly place: Place;
  readonly places: readonly Place[];
  readonly durationMs: number;
  connection(): Connection;
}

/** What happens to a fleet, by its name. Each ends by itself, before the calm does. */
export const STRIKES: readonly (readonly [string, (strike: Strike) => void])[] = [
  ["partition", (strike) => bend(strike, [strike.place], { isCut: true }, { isCut: false })],
  ["store gone", (strike) => bend(strike, strike.places, { isCut: true }, { isCut: false })],
  ["answers lost", (strike) => bend(strike, [strike.place], { isDeaf: true }, { isDeaf: false })],
  ["lossy line", (strike) => bend(strike, strike.places, { lossRate: 0.3 }, { lossRate: 0 })],
  ["blind watch", (strike) => bend(strike, [strike.place], { isBlind: true }, { isBlind: false })],
  [
    "slow line",
    (strike) =>
      bend(strike, [strike.place], { slownessMs: strike.scene.world.between(5, 1500) }, { slownessMs: 5 }),
  ],
  [
    "leader lost",
    ({ scene: { world, members } }) => {
      members.hasLeader = false;
      world.at(world.between(1000, 2000), () => members.elect());
    },
  ],
  ["compaction", ({ scene: { store } }) => store.compact()],
  [
    "pause",
    ({ place, durationMs, scene: { faults, world } }) => {
      const { server } = place;
      server.machine.stand("paused", durationMs);
      if (faults.endsTheLiving) world.at(20, () => place.supervise(server));
    },
  ],
  ["sleep", ({ place, durationMs }) => place.server.machine.stand("asleep", durationMs)],
  ["wall clock", ({ place, scene: { world } }) => place.server.machine.jumpWall(world.between(-1e9, 1e9))],
  [
    "clock back",
    ({ place: { server }, scene: { world } }) => {
      const { machine, fleet } = server;
      if (machine.state !== "running") return;
      machine.jumpBack(world.between(1, 20_000));
      // What nobody looks at while it is back nobody can find: a process that stands still then.
      void fleet.state;
    },
  ],
  [
    "process killed",
    ({ place, scene: { world } }) =>
      place.end(place.server, { isSupervised: true, againMs: world.between(50, 3000) }),
  ],
  [
    "host lost",
    ({ place, durationMs }) => place.end(place.server, { isSupervised: false, againMs: durationMs }),
  ],
  [
    "twin",
    ({ place, durationMs, scene: { world } }) => {
      const twin = place.start();
      world.at(durationMs, () => place.end(twin, { isSupervised: true, againMs: 0 }));
    },
  ],
  [
    "drain",
    ({ place, durationMs, scene: { world, store } }) => {
      const drain = (isDrained: boolean): void =>
        void place.server.fleet.drain(place.name, isDrained).catch(() => undefined);
      drain(true);
      const end = (): void => {
        void store.get(`${FLEET}drains/${place.name}`).then((entry) => {
          if (entry?.value.includes('"isDrained":true') !== true) return;
          drain(false);
          world.at(1500, end);
        });
      };
      world.at(durationMs, end);
    },
  ],
  ["added", ({ place, connection }) => void place.server.add(connection())],
  [
    "removed",
    ({ place, scene: { world } }) => {
      const { desktops } = place.server;
      const desktop = desktops[Math.floor(world.random() * desktops.length)];
      if (desktop !== undefined && place.server.machine.state === "running")
        void place.server.remove(desktop);
    },
  ],
];

function bend(
  { scene: { world }, durationMs }: Strike,
  places: readonly Place[],
  now: Partial<Line>,
  then: Partial<Line>,
): void {
  for (const { line } of places) {
    Object.assign(line, now);
    world.at(durationMs, () => Object.assign(line, then));
  }
}
