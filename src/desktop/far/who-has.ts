import { RefusedError } from "../error.ts";

/** What asks all nodes at once waits so long for each of them. */
export const ASKED_WITHIN_MS = 2000;

/**
 * The first of some nodes of which that is true; null: none. `onSilent`: one does not tell. Rejects with RefusedError node_unreachable where
 * one does not and it is true of no other.
 */
export async function whoHas<Node extends { readonly name: string }>(
  nodes: readonly Node[],
  has: (node: Node) => Promise<boolean>,
  onSilent: (node: Node, error: unknown) => void = () => {},
): Promise<Node | null> {
  const silent: string[] = [];
  const asked = nodes.map(async (node) => {
    const isThere = await has(node).catch((error: unknown) => {
      onSilent(node, error);
      silent.push(node.name);
      return false;
    });
    return isThere ? node : Promise.reject(new Error("it is not there"));
  });
  try {
    return await Promise.any(asked);
  } catch {
    if (silent.length === 0) return null;
    throw new RefusedError(
      "node_unreachable",
      `none of the nodes that answer has it, and ${silent.join(", ")} did not within ${ASKED_WITHIN_MS} ms: try again in a few seconds`,
      { retryAfterMs: 1000 },
    );
  }
}
