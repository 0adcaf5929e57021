import { BrowserError } from "../error.ts";
import { objectIn, textIn } from "./answers.ts";
import { type Box, boxOf, checkHit, viewportOf } from "./element-box.ts";
import { IN_VIEW } from "./in-page.ts";
import type { Page } from "./page.ts";
import type { ElementPlace } from "./refs.ts";
import { takeSnapshot } from "./snapshot.ts";

/** What of a page can be acted on, or is a heading. Role and name are the page's own words. */
export interface PageElement {
  readonly ref: string;
  readonly place: ElementPlace;
  readonly role: string;
  readonly name: string;
  /** What of it is in view, CSS pixels of the tab's viewport; null: nothing. */
  readonly box: Box | null;
  /** What of the page a press there would hit instead, in words; null: it would hit the element. */
  readonly cover: string | null;
}

type Line = Pick<PageElement, "ref" | "place" | "role" | "name">;
type InView = Pick<PageElement, "box" | "cover">;

/** More of them are no overview. */
const MOST_ELEMENTS = 600;
/** Each in a frame takes several calls. */
const MOST_FRAMED = 60;
/** Calls that wait for the browser at a time: more than a few times so many are refused. */
const AT_ONCE = 48;
const GROUP = "overlay-companion-elements";
const MOST_OBJECTS = 2000;
const worlds = new WeakMap<Page, { readonly world: number; readonly objects: Map<number, string> }>();
const NOT_IN_VIEW: InView = { box: null, cover: null };

/** The elements of a page, in the order of the page; frames and shadow roots too. Rejects with BrowserError. */
export async function pageElements(page: Page): Promise<readonly PageElement[]> {
  const { lines } = await takeSnapshot(page);
  const known = lines
    .filter(({ isActedOn, role, ref }) => isActedOn && role !== "Iframe" && ref !== null)
    .slice(0, MOST_ELEMENTS)
    .map(({ ref, role, name, isFramed }) => {
      const told = ref ?? "";
      return { ref: told, place: page.refs.placeOf(told), role, name, isFramed };
    });
  const own = known.filter(({ isFramed }) => !isFramed);
  const framed = known.filter(({ isFramed }) => isFramed).slice(0, MOST_FRAMED);
  const [ownBoxes, framedBoxes] = [await inView(page, own), await framedInView(page, framed)];
  const boxes = new Map([
    ...own.map(({ ref }, index): [string, InView] => [ref, ownBoxes[index] ?? NOT_IN_VIEW]),
    ...framed.map(({ ref }, index): [string, InView] => [ref, framedBoxes[index] ?? NOT_IN_VIEW]),
  ]);
  return known.flatMap(({ isFramed: _isFramed, ...line }) => {
    const found = boxes.get(line.ref);
    return found === undefined ? [] : [{ ...line, ...found }];
  });
}

/** Of elements of the top frame, asked for together. */
async function inView(page: Page, lines: readonly Line[]): Promise<readonly InView[]> {
  if (lines.length === 0) return [];
  const executionContextId = await page.world(null, null);
  const known = await objectsOf(page, executionContextId);
  const ids = await inParts(lines, async ({ place: { node } }) => {
    const objectId = known.get(node) ?? (await objectOf(page, node, executionContextId));
    if (objectId !== null) known.set(node, objectId);
    return objectId;
  });
  const call = {
    ...{ functionDeclaration: IN_VIEW, executionContextId, returnByValue: true },
    arguments: ids.flatMap((objectId) => (objectId === null ? [] : [{ objectId }])),
  };
  const told = objectIn(await page.send("Runtime.callFunctionOn", call), "result")["value"];
  const answers: unknown[] = Array.isArray(told) ? told : [];
  return ids.map((id) => (id === null ? NOT_IN_VIEW : inViewOf(answers.shift())));
}

/** The elements that are known by their object in a world: asking for each again would be too many messages. */
async function objectsOf(page: Page, world: number): Promise<Map<number, string>> {
  const known = worlds.get(page);
  if (known?.world === world && known.objects.size < MOST_OBJECTS) return known.objects;
  // What is held for us keeps what the page removes.
  if (known?.world === world) await page.send("Runtime.releaseObjectGroup", { objectGroup: GROUP });
  const objects = new Map<number, string>();
  worlds.set(page, { world, objects });
  return objects;
}

/** null where the element is gone. */
async function objectOf(page: Page, node: number, executionContextId: number): Promise<string | null> {
  const which = { backendNodeId: node, executionContextId, objectGroup: GROUP };
  const found = await page.send("DOM.resolveNode", which).catch((error: unknown) => {
    if (error instanceof BrowserError && error.code === "browser_refused") return null;
    throw error;
  });
  return found === null ? null : textIn(found, "object", "objectId");
}

function inViewOf(told: unknown): InView {
  const [left, top, right, bottom, cover]: unknown[] = Array.isArray(told) ? told : [];
  const [x, y] = [Number(left), Number(top)];
  const [width, height] = [Number(right) - x, Number(bottom) - y];
  if (!(width > 0 && height > 0)) return NOT_IN_VIEW;
  return { box: { x, y, width, height }, cover: cover === null ? null : String(cover).slice(0, 120) };
}

/** Of elements in frames, each by itself. */
async function framedInView(page: Page, lines: readonly Line[]): Promise<readonly InView[]> {
  if (lines.length === 0) return [];
  const view = await viewportOf(page);
  return inParts(lines, ({ place }) => elementInView(page, place, view));
}

/** What of an element is in view, and what covers it there. Rejects with BrowserError. */
export async function elementInView(page: Page, place: ElementPlace, view: Box): Promise<InView> {
  let box: Box | null = null;
  try {
    box = clipped(await boxOf(page, place), view);
    if (box === null) return NOT_IN_VIEW;
    await checkHit(page, place, box.x + box.width / 2, box.y + box.height / 2);
    return { box, cover: null };
  } catch (error) {
    if (!(error instanceof BrowserError)) throw error;
    // Something lies over it, or its frame shows another part of what is in it.
    if (error.code === "covered") return { box, cover: error.message };
    if (NOT_SHOWN.has(error.code)) return NOT_IN_VIEW;
    throw error;
  }
}

const NOT_SHOWN: ReadonlySet<string> = new Set(["not_visible", "ref_unknown", "browser_refused"]);

function clipped({ x, y, width, height }: Box, view: Box): Box | null {
  const [left, top] = [Math.max(0, x), Math.max(0, y)];
  const [right, bottom] = [Math.min(view.width, x + width), Math.min(view.height, y + height)];
  return right - left < 1 || bottom - top < 1
    ? null
    : { x: left, y: top, width: right - left, height: bottom - top };
}

async function inParts<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(work))));
  }
  return results;
}
