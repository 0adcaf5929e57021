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
