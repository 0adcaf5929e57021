import * as fc from "fast-check";
import t from "tap";
import { type Move, place } from "../../src/cluster/nodes/place.ts";

const ZONES = ["a", "b", "c"];

const offer = fc.record({
  cores: fc.integer({ min: 0, max: 32 }),
  memoryMib: fc.integer({ min: 0, max: 64_000 }),
  links: fc.integer({ min: 0, max: 20 }),
  zones: fc.subarray(ZONES),
  isDraining: fc.boolean(),
});
const nodes = fc
  .array(offer, { maxLength: 6 })
  .map((offers) => offers.map((offer, nth) => ({ id: `n${nth}`, offer })));
const desktops = fc
  .array(
    fc.record({
      zone: fc.constantFrom(...ZONES),
      cores: fc.integer({ min: 0, max: 8 }),
      memoryMib: fc.integer({ min: 0, max: 8000 }),
      // Some have owners that are gone.
      owner: fc.option(fc.integer({ min: 0, max: 8 }).map((nth) => `n${nth}`)),
    }),
    { maxLength: 30 },
  )
  .map((all) => all.map((wish, nth) => ({ ...wish, desktop: `d${nth}` })));

type Nodes = Parameters<typeof place>[0];
type Desktops = Parameters<typeof place>[1];

function after(all: Desktops, moves: readonly Move[]): Desktops {
  const to = new Map(moves.map((move) => [move.desktop, move.to]));
  return all.map((wish) => (to.has(wish.desktop) ? { ...wish, owner: to.get(wish.desktop) ?? null } : wish));
}

/** What of the scarcest of a node is in use. */
function loadOf(node: Nodes[number], all: Desktops): number {
  const own = all.filter(({ owner }) => owner === node.id);
  const sum = (of: "cores" | "memoryMib"): number => own.reduce((total, wish) => total + wish[of], 0);
  const part = (used: number, most: number): number => (used === 0 ? 0 : used / most);
  const { cores, memoryMib, links } = node.offer;
  return Math.max(part(sum("cores"), cores), part(sum("memoryMib"), memoryMib), part(own.length, links));
}

function mayHave({ offer }: Nodes[number], zone: string): boolean {
  return !offer.isDraining && offer.zones.includes(zone);
}

t.test("only what must move moves, to where it may be and there is room", async () => {
  await fc.assert(
    fc.property(nodes, desktops, (nodes, desktops) => {
      const moves = place(nodes, desktops);
      const then = after(desktops, moves);
      for (const { desktop, from, to } of moves) {
        const wish = desktops.find((wish) => wish.desktop === desktop);
        const owner = nodes.find(({ id }) => id === wish?.owner);
        if (wish === undefined || (owner !== undefined && mayHave(owner, wish.zone))) return false;
        if (from !== (owner?.id ?? null) || (to !== null && to === from)) return false;
        const taker = nodes.find(({ id }) => id === to);
        if (to !== null && (taker === undefined || !mayHave(taker, wish.zone))) return false;
        // What it had before may be too much for it by itself: nothing is added to that.
        if (taker !== undefined && loadOf(taker, then) > 1) return false;
      }
      return true;
    }),
  );
});

t.test("what stays without a node has none that could take it", async () => {
  await fc.assert(
    fc.property(nodes, desktops, (nodes, desktops) => {
      const then = after(desktops, place(nodes, desktops));
      return then
        .filter(({ owner }) => !nodes.some(({ id }) => id === owner))
        .every((wish) =>
          nodes.every(
            (node) =>
              !mayHave(node, wish.zone) ||
              loadOf(node, [
                ...then,
                { ...wish, desktop: "more", owner: node.id },
                ...leaving(nodes, desktops, node),
              ]) > 1,
          ),
        );
    }),
  );
});

/** What was to leave a node counts there until it is handed over. */
function leaving(nodes: Nodes, desktops: Desktops, node: Nodes[number]): Desktops {
  const left = place(nodes, desktops).filter(({ from }) => from === node.id);
  return desktops.filter(({ desktop }) => left.some((move) => move.desktop === desktop));
}

t.test("the same in whatever order it is told, and nothing more once it is done", async () => {
  await fc.assert(
    fc.property(nodes, desktops, (nodes, desktops) => {
      const moves = place(nodes, desktops);
      const turned = place([...nodes].reverse(), [...desktops].reverse());
      const settled = place(nodes, after(desktops, moves)).filter(({ to }) => to !== null);
      const wasFull = moves.some(({ from }) => from !== null);
      return JSON.stringify(moves) === JSON.stringify(turned) && (wasFull || settled.length === 0);
    }),
  );
});

t.test(
  "equal desktops on equal nodes are spread evenly, and stay where they are when a node comes",
  async (t) => {
    await fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 0, max: 60 }), (count, many) => {
        const offer = { cores: 64, memoryMib: 64_000, links: 60, zones: ["a"], isDraining: false };
        const nodes = Array.from({ length: count }, (_, nth) => ({ id: `n${nth}`, offer }));
        const desktops = Array.from({ length: many }, (_, nth) => ({
          ...{ desktop: `d${nth}`, zone: "a", cores: 1, memoryMib: 1000, owner: null },
        }));
        const then = after(desktops, place(nodes, desktops));
        const loads = nodes.map(({ id }) => then.filter(({ owner }) => owner === id).length);
        return (
          Math.max(...loads) - Math.min(...loads) <= 1 &&
          place([...nodes, { id: "new", offer }], then).length === 0
        );
      }),
    );
    const offer = { cores: 8, memoryMib: 8000, links: 8, zones: ["a"], isDraining: false };
    const wish = { desktop: "d", zone: "a", cores: 1, memoryMib: 1, owner: "old" };
    const draining = { id: "old", offer: { ...offer, isDraining: true } };
    t.same(place([draining], [wish]), [], "who drains keeps what nobody else can take");
    t.same(place([draining, { id: "new", offer }], [wish]), [{ desktop: "d", from: "old", to: "new" }]);
    t.same(place([{ id: "new", offer }], [wish]), [{ desktop: "d", from: null, to: "new" }]);
    t.same(place([], [wish]), [{ desktop: "d", from: null, to: null }]);
  },
);
