import { type NodePlace, RefusedError } from "../../desktop/error.ts";
import type { NodeRecord } from "../nodes/records.ts";

/** Why nothing is done with a desktop that nobody has now. */
export function notYet(id: string): RefusedError {
  return new RefusedError("not_held", `no node has the desktop ${id} at this moment: try again in a second`, {
    retryAfterMs: 1000,
  });
}

/** Where a node is asked; null where there is none. */
export function placeOf(node: NodeRecord | null): NodePlace | null {
  return node === null ? null : { node: node.name, address: node.address };
}
