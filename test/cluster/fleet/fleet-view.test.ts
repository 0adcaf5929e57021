import t from "tap";
import { type FleetQuery, fleetView } from "../../../src/cluster/fleet/fleet-view.ts";
import type { Placed } from "../../../src/cluster/nodes/known.ts";
import type { NodeRecord } from "../../../src/cluster/nodes/records.ts";

const DESKTOPS = 10_000;
const NODES = 100;
/** The first of them are nobody's, the next of a node that is gone. */
const NOBODYS = 3;
const LEFT = 2;

function record(nth: number): NodeRecord {
  return {
    ...{ id: `run-${nth}`, nth: 1, name: `node-${nth}`, address: `https://${nth}.test`, calls: null },
    ...{ leaseMs: 3500, offer: { cores: 1, memoryMib: 1, links: 200, zones: ["z"], isDraining: false } },
  };
}

/** A large fleet, whose desktops came in another order than that of their ids. */
function largeFleet() {
  const placed = new Map<string, Placed>();
  for (let nth = 0; nth < DESKTOPS; nth++) {
    const at = (nth * 7919) % DESKTOPS;
    const desktop = `d${String(at).padStart(5, "0")}`;
    const owner = at < NOBODYS ? null : at < NOBODYS + LEFT ? "run-gone" : `run-${at % NODES}`;
    const assignment = { desktop, zone: "z", cores: 0, memoryMib: 0, owner, by: "x" };
    placed.set(desktop, { key: desktop, assignment, revision: 1n });
  }
  const node = {
    ...{ placed, nodes: Array.from({ length: NODES }, (_, nth) => record(nth)), remainingMs: 3000 },
    isDrained: (name: string) => name === "node-7",
    assignment: (desktop: string) => placed.get(desktop)?.assignment ?? null,
  };
  const nameOf = (id: string) => (id === "d00000" ? null : `the ${id}`);
  return { placed, view: (query?: FleetQuery) => fleetView("node-0", node, nameOf, query) };
}

t.test("of a large fleet a part is told, first what nobody has", async (t) => {
  const { view } = largeFleet();
  const { self, leaseMs, nodes, desktops, next } = view();
  t.same({ self, leaseMs, nodes: nodes.length }, { self: "node-0", leaseMs: 3000, nodes: NODES });
  t.equal(desktops.length, 200);
  t.same(
    desktops.slice(0, 6).map(({ id, name, node }) => [id, name, node]),
    [
      ["d00000", null, null],
      ["d00001", "the d00001", null],
      ["d00002", "the d00002", null],
      ["d00003", "the d00003", null],
      ["d00004", "the d00004", null],
      ["d00005", "the d00005", "node-5"],
    ],
  );
  t.not(next, null);
  t.equal(nodes.find(({ name }) => name === "node-3")?.desktops, 99, "all of them count, told or not");
  t.equal(nodes.find(({ name }) => name === "node-9")?.desktops, 100);
  t.same(
    nodes.filter(({ isDrained }) => isDrained).map(({ name }) => name),
    ["node-7"],
  );
});

t.test("the parts are all of it, each once and in order", async (t) => {
  const { placed, view } = largeFleet();
  for (const limit of [1000, 333, 9999, 10_000]) {
    const told: string[] = [];
    let after: string | null = "";
    while (after !== null) {
      const part = view({ after, limit });
      told.push(...part.desktops.map(({ id }) => id));
      after = part.next;
    }
    t.same(told, [...placed.keys()].sort(), `in parts of ${limit}`);
  }
});

t.test("who asks about a node is told of that one and what it has", async (t) => {
  const { view } = largeFleet();
  const one = view({ node: "node-42" });
  t.same(
    one.nodes.map(({ name, desktops }) => [name, desktops]),
    [["node-42", 100]],
  );
  t.equal(one.desktops.length, 100);
  t.ok(one.desktops.every(({ node }) => node === "node-42"));
  t.equal(one.next, null);
  const half = view({ node: "node-42", limit: 60 });
  const rest = view({ node: "node-42", limit: 60, after: half.next ?? "" });
  t.same([...half.desktops, ...rest.desktops], one.desktops);
  t.throws(() => view({ node: "gone" }), { name: "RefusedError", code: "not_found" });
});

t.test("what moves to another node between two parts is told in neither twice", async (t) => {
  const { placed, view } = largeFleet();
  const first = view({ limit: 100 });
  const taken = placed.get("d00050");
  if (taken === undefined) throw new Error("it is there");
  placed.set("d00050", { ...taken, assignment: { ...taken.assignment, owner: "run-1" } });
  const second = view({ limit: 100, after: first.next ?? "" });
  const told = [...first.desktops, ...second.desktops].map(({ id }) => id);
  t.equal(new Set(told).size, told.length);
});
