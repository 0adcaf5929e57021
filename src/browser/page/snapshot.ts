import { createHash } from "node:crypto";
import { BrowserError } from "../error.ts";
import { hiddenContent } from "../masked/look.ts";
import { numberIn, textIn } from "./answers.ts";
import type { Page } from "./page.ts";
import type { Session } from "./refs.ts";
import { type FrameTree, linesOf, type TreeLine } from "./tree-lines.ts";

/** The elements of a page at one moment. */
export interface Snapshot {
  readonly lines: readonly TreeLine[];
  /** Grows when the elements are others than they were. */
  readonly generation: number;
  readonly title: string;
  readonly url: string;
}

/** Looks at a page that is replaced meanwhile; each time at the one that came instead. */
const MOST_LOOKS = 8;

/** Looks at a page: all its frames, also those of other processes, and shadow roots. Rejects with BrowserError. */
export async function takeSnapshot(page: Page): Promise<Snapshot> {
  await page.attach();
  for (let looks = 1; ; looks++) {
    const { changes } = page;
    try {
      return await lookOnce(page);
    } catch (error) {
      if (!isOfAnother(error) || page.changes === changes || looks === MOST_LOOKS) throw error;
    }
  }
}

/** What a call says that was made to a document which has been replaced. */
function isOfAnother(error: unknown): boolean {
  return error instanceof BrowserError && (error.code === "page_changed" || error.code === "browser_refused");
}

async function lookOnce(page: Page): Promise<Snapshot> {
  const top = await page.send("Page.getFrameTree");
  const trees = new Map<string, FrameTree>();
  const owners = new Map<string, string>();
  await Promise.all(
    [null, ...page.frameSessions].map((session) =>
      lookAtFrames(page, session, trees, owners).catch((error) => {
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
  const lines = await linesOf(tree, {
    refOf: (place) => page.refs.refOf(place),
    isHidden: ({ session, node }) => hidden.nodes.has(`${session ?? ""}:${node}`),
    scrub,
    frameIn: ({ session, node }) => trees.get(owners.get(`${session ?? ""}:${node}`) ?? ""),
  });
  return {
    lines,
    generation: count(page, lines),
    title: scrub(tree.nodes[0]?.name ?? "").slice(0, 300),
    url: textIn(top, "frameTree", "frame", "url").slice(0, 2000),
  };
}

async function lookAtFrames(
  page: Page,
  session: Session,
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
      trees.set(frameId, { session, nodes: await page.tree(session, frameId) });
      if (index === 0) return;
      const owner = await page.send("DOM.getFrameOwner", { frameId }, session);
      owners.set(`${session ?? ""}:${numberIn(owner, "backendNodeId")}`, frameId);
    }),
  );
}

function count({ counted }: Page, lines: readonly TreeLine[]): number {
  const hash = createHash("sha256");
  for (const { depth, text } of lines) hash.update(`${depth} ${text}\n`);
  const now = hash.digest("base64");
  if (counted.hash !== now) {
    counted.generation++;
    counted.hash = now;
  }
  return counted.generation;
}
