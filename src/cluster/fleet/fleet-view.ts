import type { FleetNode } from "../nodes/fleet-node.ts";
import type { NodeRecord } from "../nodes/records.ts";

/** What is told of a fleet. */
export interface FleetView {
  readonly self: string;
  /** For so long this node's lease is surely held; 0: it sends no input. */
  readonly leaseMs: number;
  readonly nodes: readonly (NodeRecord & { readonly desktops: number; readonly isDrained: boolean })[];
  readonly desktops: readonly {
    readonly id: string;
    /** null where this node cannot read its connection. */
    readonly name: string | null;
    readonly zone: string;
    /** null: nobody has it. */
    readonly node: string | null;
  }[];
}

/** `nameOf`: of a desktop, where it can be read. */
export function fleetView(
  self: string,
  node: FleetNode,
  nameOf: (desktopId: string) => string | null,
): FleetView {
  const { assignments, nodes, remainingMs } = node;
  const names = new Map(nodes.map(({ id, name }) => [id, name]));
  const loads = new Map<string, number>();
  for (const { owner } of assignments) if (owner !== null) loads.set(owner, (loads.get(owner) ?? 0) + 1);
  return {
    self,
    leaseMs: remainingMs,
    nodes: nodes.map((record) => ({
      ...record,
      desktops: loads.get(record.id) ?? 0,
      isDrained: node.isDrained(record.name),
    })),
    desktops: assignments.map(({ desktop, zone, owner }) => ({
      ...{ id: desktop, name: nameOf(desktop), zone },
      node: owner === null ? null : (names.get(owner) ?? null),
    })),
  };
}

/** Who has what, without names: to open the connections of thousands is no work for one turn. */
export function heldBy(node: FleetNode) {
  const names = new Map(node.nodes.map(({ id, name }) => [id, name]));
  return {
    nodes: [...names.values()].map((name) => ({ name, isDrained: node.isDrained(name) })),
    desktops: node.assignments.map(({ desktop, owner }) => ({
      id: desktop,
      node: owner === null ? null : (names.get(owner) ?? null),
    })),
  };
}

/** How it is, in numbers, but for what its node has open. */
export function fleetState({ assignments, nodes, remainingMs }: FleetNode) {
  const alive = new Set(nodes.map(({ id }) => id));
  return {
    leaseMs: remainingMs,
    nodes: nodes.length,
    desktops: assignments.length,
    nobodys: assignments.filter(({ owner }) => owner === null || !alive.has(owner)).length,
  };
}
