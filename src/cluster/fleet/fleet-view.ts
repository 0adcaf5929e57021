import { RefusedError } from "../../desktop/error.ts";
import type { FleetNode } from "../nodes/fleet-node.ts";
import type { NodeRecord } from "../nodes/records.ts";

/** Desktops that are told at once, where nobody asks for fewer or more: all of most fleets. */
const MOST_TOLD = 200;

/** What is asked for of a fleet. */
export interface FleetQuery {
  /** The name of the one node that is told of, with what it has; absent: all are. */
  readonly node?: string;
  /** `next` of the part before. */
  readonly after?: string;
  /** Desktops at most. */
  readonly limit?: number;
}

/** What is told of a fleet. */
export interface FleetView {
  readonly self: string;
  /** For so long this node's lease is surely held; 0: it sends no input. */
  readonly leaseMs: number;
  readonly nodes: readonly (NodeRecord & { readonly desktops: number; readonly isDrained: boolean })[];
  /** A part of them: first those that nobody has, then by their ids. */
  readonly desktops: readonly {
    readonly id: string;
    /** null where this node cannot read its connection. */
    readonly name: string | null;
    readonly zone: string;
    /** null: nobody has it. */
    readonly node: string | null;
  }[];
  /** `after` of the next part; null: there is none. */
  readonly next: string | null;
  /** Of any desktop, as above. */
  nameOf(desktopId: string): string | null;
}

/** `nameOf`: of a desktop, where it can be read. Throws RefusedError not_found for a node that the fleet does not know. */
export function fleetView(
  self: string,
  node: Pick<FleetNode, "assignment" | "isDrained" | "nodes" | "placed" | "remainingMs">,
  nameOf: (desktopId: string) => string | null,
  { node: only, after = "", limit = MOST_TOLD }: FleetQuery = {},
): FleetView {
  const nodes = only === undefined ? node.nodes : node.nodes.filter(({ name }) => name === only);
  if (only !== undefined && nodes.length === 0) throw noSuchNode();
  const names = new Map(node.nodes.map(({ id, name }) => [id, name]));
  const loads = new Map<string, number>();
  const part = new FirstPart(limit + 1);
  for (const { assignment } of node.placed.values()) {
    const { desktop, owner } = assignment;
    if (owner !== null) loads.set(owner, (loads.get(owner) ?? 0) + 1);
    const has = owner === null ? undefined : names.get(owner);
    const place = `${has === undefined ? "nobody" : "node"} ${desktop}`;
    if ((only === undefined || has === only) && place > after) part.add(place);
  }
  const places = part.places;
  return {
    self,
    leaseMs: node.remainingMs,
    nodes: nodes.map((record) => ({
      ...record,
      desktops: loads.get(record.id) ?? 0,
      isDrained: node.isDrained(record.name),
    })),
    desktops: places.slice(0, limit).flatMap((place) => {
      const id = place.slice(place.indexOf(" ") + 1);
      const assignment = node.assignment(id);
      if (assignment === null) return [];
      const { zone, owner } = assignment;
      return { id, name: nameOf(id), zone, node: owner === null ? null : (names.get(owner) ?? null) };
    }),
    next: places.length > limit ? (places[limit - 1] ?? null) : null,
    nameOf,
  };
}

/** The first so many of some thousands in their order: to sort all of them is no work for one turn. */
class FirstPart {
  readonly #most: number;
  #places: string[] = [];
  /** With as many as are wanted, the last of them. */
  #last: string | null = null;

  constructor(most: number) {
    this.#most = most;
  }

  add(place: string): void {
    if (this.#last !== null && place > this.#last) return;
    this.#places.push(place);
    if (this.#places.length >= 2 * this.#most) this.#cut();
  }

  get places(): readonly string[] {
    this.#cut();
    return this.#places;
  }

  #cut(): void {
    this.#places = this.#places.sort().slice(0, this.#most);
    this.#last = this.#places[this.#most - 1] ?? null;
  }
}

export function noSuchNode(): RefusedError {
  return new RefusedError("not_found", "no such node: GET /api/v1/fleet lists them by name");
}

/** Who has what, without names: to open the connections of thousands is no work for one turn. */
export function heldBy(node: FleetNode) {
  const names = new Map(node.nodes.map(({ id, name }) => [id, name]));
  return {
    nodes: [...names.values()].map((name) => ({ name, isDrained: node.isDrained(name) })),
    desktops: [...node.placed.values()].map(({ assignment: { desktop, owner } }) => ({
      id: desktop,
      node: owner === null ? null : (names.get(owner) ?? null),
    })),
  };
}

/** How it is, in numbers, but for what its node has open. */
export function fleetState({ placed, nodes, remainingMs }: FleetNode) {
  const alive = new Set(nodes.map(({ id }) => id));
  let nobodys = 0;
  for (const { assignment } of placed.values()) {
    if (assignment.owner === null || !alive.has(assignment.owner)) nobodys++;
  }
  return { leaseMs: remainingMs, nodes: nodes.length, desktops: placed.size, nobodys };
}
