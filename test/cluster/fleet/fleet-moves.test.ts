import t from "tap";
import { FleetMoves } from "../../../src/cluster/fleet/fleet-moves.ts";

type View = Parameters<FleetMoves["look"]>[0];

const AT = new Date("2026-11-27T12:00:00Z");

/** Nodes by name, those that are drained with a "-"; desktops by `id: node`. */
function viewOf(names: string, owners: Readonly<Record<string, string | null>>): View {
  const nodes = names
    .split(" ")
    .map((word) => ({ name: word.replace("-", ""), isDrained: word.endsWith("-") }));
  return {
    nodes: nodes as unknown as View["nodes"],
    desktops: Object.entries(owners).map(([id, node]) => ({ id, node, name: id, zone: "z" })),
  };
}

function told({ list }: FleetMoves): readonly string[] {
  return list.map(({ desktop, from, to, why }) => `${desktop} ${from} ${to} ${why}`);
}

t.test("what moves is told with why, newest first", async (t) => {
  const moves = new FleetMoves();
  moves.look(viewOf("a b c", { x: "a", y: "b", z: null }), AT);
  moves.look(viewOf("a b c", { x: "a", y: "b", z: "c" }), AT);
  t.same(told(moves), [], "one that is placed for the first time has not moved");
  moves.look(viewOf("a b- c", { x: "a", y: "c", z: "c" }), AT);
  moves.look(viewOf("a b c", { x: "b", y: "c", z: "c" }), AT);
  t.same(told(moves), ["x a b let_go", "y b c drained"]);
  t.equal(moves.list[0]?.at, AT);
});

t.test("a node that is gone is why also where it is back before its desktop is elsewhere", async (t) => {
  const moves = new FleetMoves();
  moves.look(viewOf("a b", { x: "a", y: "a" }), AT);
  moves.look(viewOf("b", { x: null, y: null }), AT);
  moves.look(viewOf("a b", { x: null, y: null }), AT);
  moves.look(viewOf("a b", { x: "b", y: "a" }), AT);
  t.same(told(moves), ["x a b gone"], "and what its next run has did not move");
  moves.look(viewOf("a- b", { x: "b", y: "b" }), AT);
  t.same(told(moves), ["y a b drained", "x a b gone"], "why is that of this time");
});

t.test("a hundred are kept, and nothing of desktops that are gone", async (t) => {
  const moves = new FleetMoves();
  for (let nth = 0; nth < 203; nth++) moves.look(viewOf("a b", { x: nth % 2 === 0 ? "a" : "b" }), AT);
  t.equal(moves.list.length, 100);
  moves.look(viewOf("a b", {}), AT);
  moves.look(viewOf("a b", { x: "b" }), AT);
  t.equal(told(moves)[0], "x b a let_go", "another one by that name has not moved");
});
