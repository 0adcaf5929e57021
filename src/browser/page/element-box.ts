import { delay } from "../../platform/clock.ts";
import { BrowserError } from "../error.ts";
import { numberIn, objectIn } from "./answers.ts";
import { COVERED_BY } from "./in-page.ts";
import type { Page } from "./page.ts";
import type { ElementPlace, Session } from "./refs.ts";

/** CSS pixels of the tab's viewport. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Looks at an element until two in a row agree; this many at most. */
const MOST_LOOKS = 40;
/** Between two looks; scrolling out of a frame of another process arrives later. */
const LOOK_MS = 8;
const LOOK_ACROSS_MS = 32;

/** Scrolls an element into view, the frames that hold it first, and waits until it rests. Rejects with BrowserError. */
export async function boxAtRest(page: Page, place: ElementPlace): Promise<Box> {
  const owners = await scrollTo(page, place);
  let before = "";
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const box = await boxOf(page, place);
    const now = `${box.x},${box.y},${box.width},${box.height}`;
    if (now === before) return box;
    before = now;
    await delay(page.clock, owners.length > 0 ? LOOK_ACROSS_MS : LOOK_MS);
  }
  throw new BrowserError("moving", "the element keeps moving, and a press would land beside it");
}

/** Scrolls an element into view, and tells where it is right then. Rejects with BrowserError not_visible. */
export async function boxScrolledTo(page: Page, place: ElementPlace): Promise<Box> {
  await scrollTo(page, place);
  return boxOf(page, place);
}

/** Gives the iframe elements that hold it. */
async function scrollTo(page: Page, place: ElementPlace): Promise<readonly ElementPlace[]> {
  const owners = await ownersOf(page, place.session);
  for (const owner of [...owners].reverse()) {
    await page.send("DOM.scrollIntoViewIfNeeded", { backendNodeId: owner.node }, owner.session);
  }
  await page
    .send("DOM.scrollIntoViewIfNeeded", { backendNodeId: place.node }, place.session)
    .catch(refusedAs("not_visible", "the element is gone or has no place in the page"));
  return owners;
}

/** What of a tab is in view. */
export async function viewportOf(page: Page): Promise<Box> {
  const metrics = await page.send("Page.getLayoutMetrics");
  const { clientWidth, clientHeight } = objectIn(metrics, "cssLayoutViewport");
  return { x: 0, y: 0, width: Number(clientWidth ?? 0), height: Number(clientHeight ?? 0) };
}

/** Where an element is now. Rejects with BrowserError not_visible. */
export async function boxOf(page: Page, place: ElementPlace): Promise<Box> {
  const found = await page
    .send("DOM.getContentQuads", { backendNodeId: place.node }, place.session)
    .catch(refusedAs("not_visible", "the element is gone or is not shown"));
  const quads: unknown = objectIn(found)["quads"];
  const quad: unknown = Array.isArray(quads) ? quads[0] : undefined;
  const numbers = Array.isArray(quad) ? quad.filter((n): n is number => typeof n === "number") : [];
  const xs = numbers.filter((_n, index) => index % 2 === 0);
  const ys = numbers.filter((_n, index) => index % 2 === 1);
  if (xs.length !== 4 || ys.length !== 4) throw new BrowserError("not_visible", "the element is not shown");
  const { x, y } = await offsetOf(page, place.session);
  const left = Math.min(...xs);
  const top = Math.min(...ys);
  return { x: left + x, y: top + y, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
}

/**
 * Throws BrowserError covered where a press at a point of the tab would hit something else than the element: in its own
 * frame, or before one of the frames that hold it.
 */
export async function checkHit(page: Page, place: ElementPlace, x: number, y: number): Promise<void> {
  const chain = [place, ...(await ownersOf(page, place.session))];
  for (const level of chain) {
    const offset = await offsetOf(page, level.session);
    const cover = await coverAt(page, level, x - offset.x, y - offset.y);
    if (cover === null) continue;
    throw new BrowserError("covered", `the element is covered by ${JSON.stringify(cover)} of the page`);
  }
}

async function coverAt(page: Page, place: ElementPlace, x: number, y: number): Promise<string | null> {
  const metrics = await page.send("Page.getLayoutMetrics", {}, place.session);
  const { pageX, pageY } = objectIn(metrics, "cssLayoutViewport");
  const at = await page
    .send(
      "DOM.getNodeForLocation",
      {
        // It counts from the corner of the document, not of what is in view.
        x: Math.round(x + Number(pageX ?? 0)),
        y: Math.round(y + Number(pageY ?? 0)),
        includeUserAgentShadowDOM: false,
        ignorePointerEventsNone: true,
      },
      place.session,
    )
    .catch(refusedAs("not_visible", "nothing of the page is where the element should be"));
  const hit = numberIn(at, "backendNodeId");
  if (hit === place.node) return null;
  const cover = await page.callOn(place.session, place.node, COVERED_BY, [hit]);
  return cover === null || cover === undefined ? null : String(cover).slice(0, 120);
}

/** The iframe elements that hold a session, the innermost first. */
export async function ownersOf(page: Page, session: Session): Promise<readonly ElementPlace[]> {
  const owners: ElementPlace[] = [];
  for (let at = await page.ownerOf(session); at !== null; at = await page.ownerOf(at.session))
    owners.push(at);
  return owners;
}

/** Where a session's viewport begins in the tab's. */
export async function offsetOf(
  page: Page,
  session: Session,
): Promise<{ readonly x: number; readonly y: number }> {
  let x = 0;
  let y = 0;
  for (const owner of await ownersOf(page, session)) {
    const found = await page.send("DOM.getBoxModel", { backendNodeId: owner.node }, owner.session);
    const content: unknown = objectIn(found, "model")["content"];
    const [left, top]: unknown[] = Array.isArray(content) ? content : [];
    x += Number(left ?? 0);
    y += Number(top ?? 0);
  }
  return { x, y };
}

/** What the browser refuses says that the element is not as it was; all else stays what it is. */
function refusedAs(code: "not_visible", message: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof BrowserError && error.code === "browser_refused")
      throw new BrowserError(code, message, { cause: error });
    throw error;
  };
}
