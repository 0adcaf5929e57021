import { randomUUID } from "node:crypto";
import type { LoadedTree } from "../peer.ts";
import { textIn } from "./answers.ts";
import { PLAIN } from "./in-page-plain.ts";
import type { Page } from "./page.ts";
import { loadPlainParts, standWell } from "./plain-parts.ts";
import type { ElementPlace, Session } from "./refs.ts";

/** What holds more elements is loaded by itself, and what is in it part by part. */
const LARGE = 150;
/** Such elements of one frame, in its order; what is in those after them is loaded as one part. */
const MOST_CONTAINERS = 200;
/** Elements that are counted. */
const MOST_COUNTED = 200_000;
/** An element is about so many nodes of the tree, texts with it: a frame of so few that all may fit is loaded whole. */
const NODES_AN_ELEMENT = 2;

/**
 * The document, or `root`, and the elements in it that hold more than `large` others, in its order; null where it has at most `most`. Runs
 * in our own isolated world. Open shadow roots are looked into; what is in closed ones is not counted. Its property `first`:
 * how many subtrees in them, by their elements and texts, are about `nodes` nodes; and of a document `plain`: see PLAIN.
 */
export const containersBeyond = (large: number): string => `((most, nodes, root) => {
  const elements = [], parents = [];
  const open = [[root ?? document.documentElement, -1]];
  while (open.length > 0 && elements.length < ${MOST_COUNTED}) {
    const [element, parent] = open.pop();
    if (element === null) continue;
    const index = elements.push(element) - 1;
    parents.push(parent);
    for (const root of [element, element.shadowRoot])
      for (let child = root?.lastElementChild; child; child = child.previousElementSibling) open.push([child, index]);
  }
  if (elements.length <= most) return null;
  const sizes = new Uint32Array(elements.length).fill(1);
  for (let index = elements.length - 1; index > 0; index--) sizes[parents[index]] += sizes[index];
  const isLarge = (index) => index === 0 || sizes[index] > ${large};
  const containers = [root ?? document], small = [];
  for (let index = root === undefined ? 0 : 1; index < elements.length; index++)
    if (isLarge(index) && containers.length <= ${MOST_CONTAINERS}) containers.push(elements[index]);
    else if (!isLarge(index) && isLarge(parents[index])) small.push(index);
  let first = 0;
  for (let found = containers.length; first < small.length && found < nodes; first++) {
    const index = small[first], texts = document.createTreeWalker(elements[index], NodeFilter.SHOW_TEXT);
    found += sizes[index];
    while (texts.nextNode()) if (texts.currentNode.data.trim() !== "") found++;
  }
  const plain = root === undefined ? ${PLAIN}(small.map((index) => elements[index]), nodes) : null;
  return Object.assign(containers, { first, plain });
})`;

const CONTAINERS = containersBeyond(LARGE);

type FrameNodes = Pick<LoadedTree, "nodes" | "left">;

/** The accessibility tree of a frame; `most`: only so many nodes of its beginning, about. Rejects with BrowserError. */
export async function loadFrameTree(
  page: Page,
  session: Session,
  frameId: string,
  most: number | null,
): Promise<FrameNodes> {
  if (most === null) return page.tree(session, { frameId });
  const objectGroup = `overlay-companion-tree-${randomUUID()}`;
  const contextId = await page.world(session, frameId);
  const expression = `${CONTAINERS}(${Math.floor(most / NODES_AN_ELEMENT)}, ${most})`;
  const found = await page.send("Runtime.evaluate", { expression, contextId, objectGroup }, session);
  const containers = textIn(found, "result", "objectId");
  if (containers === "") return page.tree(session, { frameId });
  try {
    const parts = await loadPlainParts((method, params) => page.send(method, params, session), containers);
    const plain = [...parts].map(([id, nodes]) => [id, nodes.length] as const);
    const tree = await page.tree(session, { frameId, part: { containers, most, plain } });
    if (!standWell(tree.nodes, parts))
      return await page.tree(session, { frameId, part: { containers, most } });
    return { left: tree.left, nodes: [...tree.nodes, ...tree.plain.flatMap((id) => parts.get(id) ?? [])] };
  } finally {
    release(page, session, objectGroup);
  }
}

/**
 * The accessibility tree of what is in an element, which is its first node, without the frames in it; of the beginning, as
 * of a frame. null where the browser gives no such part, or the element is not in the page. Rejects with BrowserError.
 */
export async function loadElementTree(
  page: Page,
  { session, node }: ElementPlace,
  most: number,
): Promise<FrameNodes | null> {
  const objectGroup = `overlay-companion-tree-${randomUUID()}`;
  const frameId = (await page.frameOf(session, node)) ?? (await page.framesOf(session))[0] ?? "";
  const executionContextId = await page.world(session, frameId);
  const resolved = { backendNodeId: node, executionContextId, objectGroup };
  try {
    const objectId = textIn(await page.send("DOM.resolveNode", resolved, session), "object", "objectId");
    const functionDeclaration = `function () { return this.isConnected ? ${CONTAINERS}(0, ${most}, this) : null }`;
    const call = { objectId, functionDeclaration, objectGroup };
    const found = await page.send("Runtime.callFunctionOn", call, session);
    const containers = textIn(found, "result", "objectId");
    if (containers === "") return null;
    const tree = await page.tree(session, { frameId, part: { containers, most } });
    // A browser that gives no parts gives the whole frame.
    return tree.nodes[0]?.backendDOMNodeId === node ? tree : null;
  } finally {
    release(page, session, objectGroup);
  }
}

/** What is held for us keeps what the page removes. A frame that is gone holds nothing. */
function release(page: Page, session: Session, objectGroup: string): void {
  page.send("Runtime.releaseObjectGroup", { objectGroup }, session).catch(() => undefined);
}
