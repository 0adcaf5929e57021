import { BrowserError } from "../error.ts";
import { hiddenContent } from "../masked/look.ts";
import { numberIn, textIn } from "./answers.ts";
import { loadElementTree, loadFrameTree } from "./frame-tree.ts";
import type { Page } from "./page.ts";
import type { ElementPlace, Session } from "./refs.ts";
import { charsOf, type FrameTree, linesOf, subtreeOf, type TreeLine } from "./tree-lines.ts";

/** The elements of a page at one moment. */
export interface Snapshot {
  readonly lines: readonly TreeLine[];
  /** Elements after the lines that were not loaded, each with what is in it. */
  readonly left: number;
  /** Grows when the elements are others than they were. */
  readonly generation: number;
  /** The generation since which the lines are these. */
  readonly since: number;
  readonly title: string;
  readonly url: string;
}

type Look = Omit<Snapshot, "generation" | "since">;

/** How much of a page is looked at. */
export interface SnapshotBounds {
  /** What comes after so many characters need not be there. */
  readonly chars: number;
  /** Which lines count; default all. */
  readonly isShown?: (line: TreeLine) => boolean;
  /** Only the element of this ref and what is in it. */
  readonly root?: string | undefined;
}

/** Looks at a page that is replaced meanwhile; each time at the one that came instead. */
const MOST_LOOKS = 8;
/** Of one node, as pages have it: less is told of those that only hold others. */
const CHARS_A_NODE = 15;
/** A look that did not give enough is followed by one at as many more nodes as that one's characters ask for, within limits. */
const LEAST_MORE = 1.3;
const MOST_MORE = 3;
/** Beyond it the whole page is looked at. */
const MOST_NODES = 20_000;

/**
 * Looks at a page: all its frames, also those of other processes, and shadow roots; within `bounds` at its beginning alone,
 * where it is large. Rejects with BrowserError.
 */
export async function takeSnapshot(page: Page, bounds?: SnapshotBounds): Promise<Snapshot> {
  await page.attach();
  const look = await lookWithin(page, bounds);
  const { generations } = page;
  const since =
    bounds === undefined
      ? generations.count(null, look.lines)
      : generations.show(bounds.root ?? (look.left === 0 ? null : bounds.chars), look.lines);
  return { ...look, generation: generations.now, since };
}

async function lookWithin(page: Page, bounds: SnapshotBounds | undefined): Promise<Look> {
  if (bounds === undefined) return await untilOneStays(page, null);
  const { chars, isShown = () => true, root } = bounds;
  for (let most = Math.ceil(chars / CHARS_A_NODE); most <= MOST_NODES; ) {
    const look = await untilOneStays(page, most, root);
    const told = charsOf(look.lines.filter(isShown));
    if (look.left === 0 || told > chars) return look;
    most = Math.ceil(most * Math.min(MOST_MORE, Math.max(LEAST_MORE, (1.1 * chars) / (told + 1))));
  }
  return await untilOneStays(page, null, root);
}

async function untilOneStays(page: Page, most: number | null, root?: string): Promise<Look> {
  for (let looks = 1; ; looks++) {
    const { changes } = page;
    try {
      const look = root === undefined ? await lookOnce(page, most) : await lookIn(page, root, most);
      // What is loaded by many calls may be of two documents.
      if (look.left === 0 || page.changes === changes || looks === MOST_LOOKS) return look;
    } catch (error) {
      if (!isOfAnother(error) || page.changes === changes || looks === MOST_LOOKS) throw error;
    }
  }
}

/** What a call says that was made to a document which has been replaced. */
function isOfAnother(error: unknown): boolean {
  return error instanceof BrowserError && (error.code === "page_changed" || error.code === "browser_refused");
}

/** An element and what is in it. Throws BrowserError ref_unknown where it is not there. */
async function lookIn(page: Page, root: string, most: number | null): Promise<Look> {
  const place = page.refs.placeOf(root);
  const look =
    (most === null ? null : await lookAtElement(page, place, most)) ?? (await lookOnce(page, null));
  const lines = subtreeOf(look.lines, root);
  if (lines !== null) return { ...look, lines };
  throw new BrowserError("ref_unknown", `got root_ref ${JSON.stringify(root)}, which is not in this page`);
}

/** null where the page has to be looked at as a whole. */
async function lookAtElement(page: Page, place: ElementPlace, most: number): Promise<Look | null> {
  const top = await page.send("Page.getFrameTree");
  const contextId = await page.world(null, null);
  const how = { expression: "document.title", contextId, returnByValue: true };
  const title = textIn(await page.send("Runtime.evaluate", how), "result", "value");
  const tree = await loadElementTree(page, place, most).catch(unlessOfAnother);
  if (tree === null || tree.nodes.some(({ role }) => role === "Iframe")) return null;
  const hidden = await hiddenContent(page, page.hiddenSelectors());
  // INVARIANT: what is hidden around the element hides it too, and stands in the whole alone.
  if (hidden.nodes.size > 0 || hidden.words.length > 0) return null;
  const lines = await linesOf(
    { ...tree, session: place.session },
    { refOf: (one) => page.refs.refOf(one), frameIn: () => undefined },
  );
  return { lines, left: tree.left, title: title.slice(0, 300), url: urlOf(top) };
}

function unlessOfAnother(error: unknown): null {
  if (isOfAnother(error)) return null;
  throw error;
}

const urlOf = (top: unknown): string => textIn(top, "frameTree", "frame", "url").slice(0, 2000);

async function lookOnce(page: Page, most: number | null): Promise<Look> {
  const top = await page.send("Page.getFrameTree");
  const trees = new Map<string, FrameTree>();
  const owners = new Map<string, string>();
  await Promise.all(
    [null, ...page.frameSessions].map((session) =>
      lookAtFrames(page, session, most, trees, owners).catch((error) => {
        // A frame that went away meanwhile is no longer a part of the page; without its top there is none.
        if (session === null) throw error;
      }),
    ),
  );
  const [first] = await page.framesOf(null);
  const hidden = await hiddenContent(page, page.hiddenSelectors());
  const scrub = (text: string): string =>
    hidden.words.reduce((left, word) => left.split(word).join("[hidden]"), text);
  const tree = trees.get(first ?? "") ?? { session: null, nodes: [] };
  let left = 0;
  const lines = await linesOf(tree, {
    refOf: (place) => page.refs.refOf(place),
    isHidden: ({ session, node }) => hidden.nodes.has(`${session ?? ""}:${node}`),
    scrub,
    frameIn: ({ session, node }) => trees.get(owners.get(`${session ?? ""}:${node}`) ?? ""),
    leftOut: (count) => {
      left += count;
    },
  });
  return {
    ...{ lines, left },
    title: scrub(tree.nodes[0]?.name ?? "").slice(0, 300),
    url: urlOf(top),
  };
}

async function lookAtFrames(
  page: Page,
  session: Session,
  most: number | null,
  trees: Map<string, FrameTree>,
  owners: Map<string, string>,
): Promise<void> {
  const ids = await page.framesOf(session);
  if (session !== null) {
    const owner = await page.ownerOf(session);
    const frameId = page.frameIdOf(session);
    if (owner !== null && frameId !== null) owners.set(`${owner.session ?? ""}:${owner.node}`, frameId);
  }
  await Promise.all(
    ids.map(async (frameId, index) => {
      trees.set(frameId, { session, ...(await loadFrameTree(page, session, frameId, most)) });
      if (index === 0) return;
      const owner = await page.send("DOM.getFrameOwner", { frameId }, session);
      owners.set(`${session ?? ""}:${numberIn(owner, "backendNodeId")}`, frameId);
    }),
  );
}
