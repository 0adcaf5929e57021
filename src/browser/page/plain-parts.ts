import type { TreeNode } from "../wire/tree-nodes.ts";
import { numberIn, objectIn } from "./answers.ts";
import { PLAIN_ROLES } from "./in-page-plain.ts";

/** Numbers of elements that are asked for at a time: what is parsed at once stays short. */
const NUMBERS_AT_ONCE = 500;

/** The nodes of each subtree that needs not be asked for, by the number of its first. */
export type PlainParts = ReadonlyMap<string, readonly TreeNode[]>;

/** A call of the DevTools protocol to the frame's session. */
type Send = (method: "Runtime.callFunctionOn", params: object) => Promise<unknown>;

/** Reads what PLAIN left in `plain` of an object of our own world. Rejects as `send`. */
export async function loadPlainParts(send: Send, objectId: string): Promise<PlainParts> {
  const call = async (functionDeclaration: string, how: object): Promise<Record<string, unknown>> =>
    objectIn(await send("Runtime.callFunctionOn", { objectId, functionDeclaration, ...how }), "result");
  const numbered = async (declaration: string): Promise<readonly unknown[]> => {
    const { value } = objectIn((await call(declaration, NUMBERED))["deepSerializedValue"]);
    return Array.isArray(value) ? value : [];
  };
  // One text, which goes through the browser's processes as it is.
  const said = (await call("function(){ return JSON.stringify(this.plain) }", { returnByValue: true }))[
    "value"
  ];
  const told = objectIn(typeof said === "string" ? JSON.parse(said) : null);
  const tops = Array.isArray(told["tops"]) ? told["tops"] : [];
  // What is in a closed shadow root decides what is shown of the elements around which it is, and no script can see it.
  const isOpen = (one: unknown): boolean =>
    objectIn(one, "value")["shadowRoot"] === null || numberIn(one, "value", "nodeType") === 9;
  if (tops.length === 0) return new Map();
  const around = await numbered("function(){ return this.slice() }");
  if (around.length === 0 || !around.every(isOpen)) return new Map();
  const unknown = Array.isArray(told["unknown"]) ? told["unknown"].length : 0;
  const chunks = await Promise.all(
    Array.from({ length: Math.ceil(unknown / NUMBERS_AT_ONCE) }, async (_one, index) => {
      const from = index * NUMBERS_AT_ONCE;
      const some = `function(){ return this.plain.unknown.slice(${from}, ${from + NUMBERS_AT_ONCE}) }`;
      return (await numbered(some)).map((one) => numberIn(one, "value", "backendNodeId"));
    }),
  );
  const numbers = chunks.flat();
  // A browser that does not number them so has no plain parts.
  if (numbers.length !== unknown || numbers.some((number) => number < 1)) return new Map();
  if (unknown > 0) {
    const remember =
      "function(numbers){ numbers.forEach((number, index) => globalThis.ocNumbers.set(this.plain.unknown[index], number)) }";
    // Whoever looks next is told them by the page; where that fails they are asked for again.
    call(remember, { arguments: [{ value: numbers }] }).catch(() => undefined);
  }
  return partsOf(tops, numbers);
}

/** Of each node its number in the browser, and nothing that is in it. */
const NUMBERED = {
  serializationOptions: {
    serialization: "deep",
    maxDepth: 2,
    additionalParameters: { maxNodeDepth: 0, includeShadowTree: "none" },
  },
};

function partsOf(tops: readonly unknown[], numbers: readonly number[]): PlainParts {
  const parts = new Map<string, readonly TreeNode[]>();
  let fresh = 0;
  for (const top of tops) {
    const nodes: (TreeNode & { readonly childIds: string[] })[] = [];
    const open: { readonly childIds: string[]; left: number }[] = [];
    for (const one of Array.isArray(top) ? top : []) {
      const [role = 0, known = -1, children = 0, name = ""] = Array.isArray(one) ? one : [];
      const isText = typeof one === "string";
      const number = isText ? -1 : known === -1 ? numbers[fresh++] : known;
      const parent = open.at(-1);
      const nodeId = isText ? `text ${nodes[0]?.nodeId} ${nodes.length}` : String(number);
      parent?.childIds.push(nodeId);
      const node = isText
        ? { nodeId, role: "StaticText", name: one, childIds: [] }
        : {
            ...{ nodeId, role: PLAIN_ROLES[role] ?? "none", childIds: [], backendDOMNodeId: number },
            ...(name === "" ? {} : { name }),
          };
      nodes.push(node);
      if (parent !== undefined) parent.left--;
      if (!isText) open.push({ childIds: node.childIds, left: children });
      while (open.at(-1)?.left === 0) open.pop();
    }
    if (nodes[0] !== undefined) parts.set(nodes[0].nodeId, nodes);
  }
  return parts;
}

/** Of what Chromium makes a row a row, and an item one. */
const AROUND: Readonly<Record<string, string>> = { row: "table", listitem: "list" };
const BETWEEN: ReadonlySet<string> = new Set(["none", "generic", "rowgroup"]);

/**
 * Whether plain parts stand where Chromium gives them the role that they have: a table may be one that only lays out a page.
 * `nodes`: what stands around them.
 */
export function standWell(nodes: readonly TreeNode[], parts: PlainParts): boolean {
  const parents = new Map<string, TreeNode>();
  for (const node of nodes) for (const id of node.childIds ?? []) parents.set(id, node);
  const judged = new Map<string, boolean>();
  for (const [id, [top]] of parts) {
    const wanted = AROUND[top?.role ?? ""];
    const parent = parents.get(id);
    if (wanted === undefined || parent === undefined) continue;
    const key = `${wanted} ${parent.nodeId}`;
    let isWell = judged.get(key);
    if (isWell === undefined) {
      let above: TreeNode | undefined = parent;
      while (above !== undefined && above.role !== wanted && BETWEEN.has(above.role ?? "none"))
        above = parents.get(above.nodeId);
      isWell = above?.role === wanted;
      judged.set(key, isWell);
    }
    if (!isWell) return false;
  }
  return true;
}
