import { NODES_A_MESSAGE, slimNodes, type TreeNode } from "../browser/wire/tree-nodes.ts";

/** A call of the DevTools protocol to the frame's session. */
type Call = (method: string, params: object) => Promise<unknown>;

/** Which part of a frame's tree is asked for. */
export interface TreePart {
  /**
   * Object id of an array: the document, and the elements that hold much, all of them nodes. Its property `first`: how many
   * of the subtrees in them are about enough.
   */
  readonly containers: string;
  /** Nodes after which no more are asked for. */
  readonly most: number;
  /** Subtrees that the server knows already, by their first node, and of how many nodes each is. */
  readonly plain: ReadonlyMap<string, number>;
}

/** What of a tree was not asked for. */
export interface Unasked {
  /** Subtrees after all that was loaded. */
  readonly left: number;
  /** Subtrees that the server knows, and that stand among what was loaded. */
  readonly plain: readonly string[];
}

/**
 * Subtrees that are asked for at a time. Chromium answers when it has drawn its next frame, all of them at once: one after
 * another they cost 17 ms each, and as few times as can be is what makes it quick.
 */
const MOST_AT_ONCE = 512;
const FIRST_AT_ONCE = 8;
/** So much more than is missing, for another frame costs more than a few subtrees. */
const MORE = 1.1;

/** null for what asks for no part. */
export function treePartOf(part: unknown): TreePart | null {
  const { containers, most, plain } = Object(part);
  if (typeof containers !== "string" || typeof most !== "number") return null;
  const known = (Array.isArray(plain) ? plain : []).filter(Array.isArray);
  return { containers, most, plain: new Map(known.map(([id, nodes]) => [String(id), Number(nodes)])) };
}

/**
 * Loads the beginning of an accessibility tree, in the order of the page: containers node by node, what is in them subtree by
 * subtree, and nothing after `most` nodes. Chromium writes a whole tree of 28,000 nodes as 11 MB, however little of it is
 * read. `post` is given the nodes as they come. null where this browser numbers its tree otherwise than its elements, so that
 * the tree has to be loaded whole. Rejects where the frame is gone.
 */
export async function loadTreePart(
  call: Call,
  { containers, most, plain }: TreePart,
  post: (nodes: readonly TreeNode[]) => void,
): Promise<Unasked | null> {
  const known = new Map<string, TreeNode>();
  const { objects, first } = await arrayOf(call, containers);
  const tops = await Promise.all(
    objects.map(async (objectId) => {
      const params = { objectId, fetchRelatives: false };
      return asInWhole(await unlessGone(call("Accessibility.getPartialAXTree", params)))[0];
    }),
  );
  const [root] = tops;
  if (root === undefined) return null;
  for (const top of tops) if (top !== undefined) known.set(top.nodeId, top);
  if ([...known.values()].some((node) => !isNumberedAsElement(node))) return null;
  // The last one is the next.
  const open = [root.nodeId];
  const passed: string[] = [];
  let loaded = 0;
  let asked = 0;
  let atOnce = Math.min(MOST_AT_ONCE, first);
  while (open.length > 0 && loaded < most) {
    const parts: (readonly TreeNode[] | Promise<readonly TreeNode[]>)[] = [];
    for (let waiting = 0; open.length > 0 && waiting < atOnce && loaded < most; ) {
      const id = open.pop() ?? "";
      const node = known.get(id);
      const ofPlain = plain.get(id);
      if (node === undefined && ofPlain !== undefined) {
        passed.push(id);
        loaded += ofPlain;
        continue;
      }
      if (node === undefined) {
        parts.push(subtreeOf(call, Number(id)));
        waiting++;
        asked++;
        continue;
      }
      // Each once, however the tree is knotted.
      known.delete(id);
      parts.push([node]);
      open.push(...[...(node.childIds ?? [])].reverse());
    }
    // What is not waited for yet may be refused meanwhile.
    Promise.all(parts).catch(() => undefined);
    let nodes: TreeNode[] = [];
    for (const [index, part] of parts.entries()) {
      nodes.push(...(await part));
      if (nodes.length < NODES_A_MESSAGE && index < parts.length - 1) continue;
      post(nodes);
      loaded += nodes.length;
      nodes = [];
    }
    const still = Math.ceil((MORE * (most - loaded)) / Math.max(1, loaded / Math.max(1, asked)));
    atOnce = Math.max(1, Math.min(MOST_AT_ONCE, still));
  }
  return { left: open.length, plain: passed };
}

/** The elements of an array, and its property `first`. */
async function arrayOf(
  call: Call,
  objectId: string,
): Promise<{ readonly objects: string[]; readonly first: number }> {
  const told: unknown = Object(await call("Runtime.getProperties", { objectId, ownProperties: true })).result;
  const properties = Array.isArray(told) ? told : [];
  const first: unknown = properties.find((property) => property?.name === "first")?.value?.value;
  const objects = properties.flatMap((property) => {
    const id: unknown = property?.value?.objectId;
    return /^\d+$/.test(property?.name) && typeof id === "string" ? [id] : [];
  });
  // Servers of before say nothing of it.
  return { objects, first: typeof first === "number" && first >= 1 ? Math.floor(first) : FIRST_AT_ONCE };
}

/** A node of the page and all of its children have the numbers that the page's own nodes have. */
function isNumberedAsElement({ nodeId, backendDOMNodeId, childIds = [] }: TreeNode): boolean {
  return nodeId === String(backendDOMNodeId) && childIds.every((id) => Number(id) > 0);
}

async function subtreeOf(call: Call, backendNodeId: number): Promise<readonly TreeNode[]> {
  return asInWhole(await unlessGone(call("Accessibility.queryAXTree", { backendNodeId })));
}

/** null where the element went away meanwhile. */
async function unlessGone(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (/could not find (node|object)|no node/i.test(String(Object(error).message))) return null;
    throw error;
  }
}

/** Of ignored nodes these calls tell a role and a name, which a whole tree does not. */
function asInWhole(answer: unknown): TreeNode[] {
  return slimNodes(answer).map(({ name, value, ...node }) => {
    if (node.ignored === true) return { ...node, role: "none" };
    return {
      ...node,
      ...(name === undefined ? {} : { name }),
      ...(value === undefined ? {} : { value }),
    };
  });
}
