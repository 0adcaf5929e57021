import t from "tap";
import { PLATFORM } from "../../../src/appliance/open-links.ts";
import { SecretBox } from "../../../src/auth/secret-box.ts";
import { StoreError } from "../../../src/cluster/error.ts";
import { Fleet } from "../../../src/cluster/fleet/fleet.ts";
import { LEASE_TIMING } from "../../../src/cluster/lease/lease.ts";
import { MemoryStore } from "../../../src/cluster/store/memory-store.ts";
import type { ClusterStore } from "../../../src/cluster/store/store.ts";
import type { Actor } from "../../../src/desktop/control/action.ts";
import { Desktops } from "../../../src/desktop/desktops.ts";
import { RefusedError } from "../../../src/desktop/error.ts";
import { FakeLink } from "../../desktop/fake-link.ts";
import { FakeClock } from "../../fake-clock.ts";

const ANN: Actor = { kind: "human", id: "h", name: "Ann" };
const KEY = "k".repeat(32);

/** A store that a node can be cut off from. */
class Line {
  isCut = false;
  readonly #store: ClusterStore;

  constructor(store: ClusterStore) {
    this.#store = store;
  }

  get store(): ClusterStore {
    const reach = (): ClusterStore => {
      if (this.isCut) throw new StoreError("unavailable", "cut");
      return this.#store;
    };
    return {
      commit: async (changes) => reach().commit(changes),
      get: async (key) => reach().get(key),
      list: async (prefix) => reach().list(prefix),
      watch: (...args) => this.#store.watch(...args),
      close: async () => undefined,
    };
  }
}

async function house(key = KEY) {
  const clock = new FakeClock();
  const store = await MemoryStore.open(clock, null);
  const node = (name: string, sealedBy = key) => {
    const line = new Line(store);
    const links: FakeLink[] = [];
    let ids = 0;
    const moves: string[] = [];
    const fleet = new Fleet({
      ...{ store: line.store, clock, timing: LEASE_TIMING, name, zones: ["z"], capacity: 10 },
      ...{ cores: 4, memoryMib: 4000, newId: () => `${name}-${++ids}` },
      leaseClock: { monotonicMs: () => clock.nowMs(), bootMs: () => clock.nowMs() },
      sealer: SecretBox.by(sealedBy),
      onAdded: (id, by) => moves.push(`${by?.name} added ${id}`),
      onMoved: (id, change) => moves.push(`${change} ${id}`),
      onFailed: (error) => t.error(error),
    });
    const desktops: Desktops = new Desktops(
      { mode: "assist", approvalExpiryMs: 45_000, approvalArmingMs: 0 },
      {
        ...PLATFORM,
        ...{ clock, random: () => 0.5, store: fleet, fleet, ownListeners: () => [] },
        onBug: (error) => t.error(error),
        openLink: (connection) => {
          const link = new FakeLink();
          links.push(link);
          return fleet.fenced(connection, link);
        },
      },
    );
    fleet.start(desktops, `http://${name}.test`);
    return { line, links, fleet, desktops, moves };
  };
  return { clock, store, node };
}

/** What was sent, and not said again: what is up already may come up once more. */
function inputOf({ said }: FakeLink): readonly string[] {
  return said.filter((word, nth) => /^(down|up|pointer)/.test(word) && word !== said[nth - 1]);
}

/** What a call came to once time passed. */
async function outcome(clock: FakeClock, call: Promise<unknown>, ms = 3000): Promise<unknown> {
  const settled = call.then(
    () => "done",
    (error: unknown) => error,
  );
  await clock.live(ms, 20);
  return await settled;
}

const input = (nth: number) =>
  ({ protocol: "vnc", host: "127.0.0.1", port: 5900 + nth, name: `desk ${nth}` }) as const;
const down = { kind: "key", keysym: 0x61, isDown: true, scancode: null } as const;

t.test("desktops are shared, placed evenly, and held by one node each", async (t) => {
  const { clock, store, node } = await house();
  const [a, b] = [node("a"), node("b")];
  await clock.live(2000, 20);
  const came = [
    await outcome(clock, a.desktops.add(input(1), ANN)),
    await outcome(clock, a.desktops.add(input(2), ANN)),
  ];
  t.equal(came.filter((one) => one === "done").length, 1, "one is here");
  const elsewhere = came.find((one) => one instanceof RefusedError);
  t.match(elsewhere, { code: "held_elsewhere", heldBy: { node: "b", address: "http://b.test" } });
  t.equal(a.desktops.all.length, 1);
  t.equal(b.desktops.all.length, 1);
  const [far] = b.desktops.all;
  t.throws(() => a.desktops.get(far?.id ?? ""), { code: "held_elsewhere", heldBy: { node: "b" } });
  t.throws(() => a.desktops.get("none"), { code: "not_found" });
  t.equal(far?.connection.name.startsWith("desk"), true, "as it was added on the other node");
  const { entries } = await store.list("/overlay-companion/connections/");
  t.notMatch(JSON.stringify(entries.map(({ value }) => value)), "desk", "sealed");
  t.match(a.fleet.view(), {
    self: "a",
    nodes: [{ desktops: 1 }, { desktops: 1 }],
    desktops: [{ zone: "z" }, { zone: "z" }],
  });
  t.equal(a.moves.filter((move) => move.startsWith("Ann added")).length, 2, "who added it is told there");

  const edited = b.desktops.edit(far?.id ?? "", { ...input(2), name: "other" }, ANN);
  t.equal(await outcome(clock, edited), "done");
  t.match(
    a.fleet
      .view()
      .desktops.map(({ name }) => name)
      .sort(),
    [/^desk/, "other"],
  );
  t.equal(await outcome(clock, b.desktops.remove(far?.id ?? "", ANN)), "done");
  t.equal(
    (await store.list("/overlay-companion/")).entries.filter(({ key }) => key.includes(far?.id ?? "?"))
      .length,
    0,
  );
  t.throws(() => a.desktops.get(far?.id ?? ""), { code: "not_found" });

  const stranger = node("c", "x".repeat(32));
  await clock.live(1000, 20);
  t.equal(stranger.fleet.state.unreadable, 1, "a node with another key opens none");
});

t.test("who is cut off lets go, sends nothing in time, and goes on when it is back", async (t) => {
  const { clock, node } = await house();
  const [a, b] = [node("a"), node("b")];
  await clock.live(2000, 20);
  await outcome(clock, a.desktops.add(input(1), ANN));
  await outcome(clock, a.desktops.add(input(2), ANN));
  const [desktop, link] = [a.desktops.all[0], a.links[0]];
  if (desktop === undefined || link === undefined) throw new Error("one of two is here");
  link.goLive();
  await desktop.perform(down, ANN);
  const sent = () => inputOf(link);
  t.same(sent(), ["down 61"]);
  // All of the store is gone.
  a.line.isCut = true;
  b.line.isCut = true;
  await clock.live(2700, 20);
  t.same(sent(), ["down 61", "up 61"], "it comes up while the desktop is surely ours");
  await clock.live(500, 20);
  await t.rejects(desktop.perform(down, ANN), { code: "not_held", message: /etcd of its fleet/ });
  t.equal(await desktop.perform({ ...down, isDown: false }, ANN).catch(({ code }) => code), "not_held");
  await clock.live(10_000, 20);
  t.equal(link.isClosed, false, "people look on");
  a.line.isCut = false;
  b.line.isCut = false;
  await clock.live(6000, 20);
  await desktop.perform(down, ANN);
  t.same(sent(), ["down 61", "up 61", "down 61"]);
  t.equal(a.desktops.all[0], desktop, "nothing moved");

  // This node alone is cut off: the other one takes what it had.
  a.line.isCut = true;
  await clock.live(6000, 20);
  t.equal(b.desktops.all.length, 2);
  await t.rejects(desktop.perform(down, ANN));
  a.line.isCut = false;
  await clock.live(2000, 20);
  t.equal(link.isClosed, true, "it is let go of");
  t.throws(() => a.desktops.get(desktop.id), { code: "held_elsewhere", heldBy: { node: "b" } });
  t.same(sent(), ["down 61", "up 61", "down 61", "up 61"], "nothing under an old fence");
});

t.test(
  "a node that drains hands over with no key left down, and takes nothing until it is told to",
  async (t) => {
    const { clock, node } = await house();
    const [a, b] = [node("a"), node("b")];
    await clock.live(2000, 20);
    await outcome(clock, a.desktops.add(input(1), ANN));
    await outcome(clock, a.desktops.add(input(2), ANN));
    const [desktop, link] = [b.desktops.all[0], b.links[0]];
    if (desktop === undefined || link === undefined) throw new Error("one of two is there");
    link.goLive();
    const fence = b.fleet.fenceOf(desktop.id);
    await desktop.perform(down, ANN);
    await outcome(clock, a.fleet.drain("b", true));
    t.same(inputOf(link), ["down 61", "up 61"]);
    t.equal(link.isClosed, true);
    t.equal(b.desktops.all.length, 0);
    t.equal(a.desktops.get(desktop.id).id, desktop.id);
    t.ok(Number(a.fleet.fenceOf(desktop.id)) > Number(fence), "under a newer fence");
    t.match(
      a.fleet.view().nodes.find(({ name }) => name === "b"),
      { isDrained: true, desktops: 0 },
    );
    await outcome(clock, a.desktops.add(input(3), ANN));
    t.equal(a.desktops.all.length, 3);
    await outcome(clock, a.fleet.drain("b", false));
    await outcome(clock, a.desktops.add(input(4), ANN));
    t.equal(b.desktops.all.length, 1);
    t.match(await outcome(clock, a.fleet.drain("none", true)), { code: "not_found" });

    // Its process ends: the other one has what it had at once, not after a lease.
    await outcome(clock, a.fleet.close(), 1200);
    t.equal(b.desktops.all.length, 4);
  },
);
