import type { HoverProof } from "../../desktop/control/action.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { BrowserError } from "../error.ts";
import { endWatch, nullWhereGone, type Point, type PressWatch, watchPress } from "./act.ts";
import { boxAtRest, boxScrolledTo } from "./element-box.ts";
import { elementOnDesktop, pixelRatio, type SeenDesktop } from "./element-on-desktop.ts";
import { AWAIT_PRESS, HELD, HOVERED } from "./in-page.ts";
import type { Page, SeenPage } from "./page.ts";
import { rectOn } from "./page-mark.ts";
import type { ElementPlace } from "./refs.ts";

/** A desktop on which a click is made by its own pointer. */
export interface ClickedDesktop extends SeenDesktop {
  /** Rejects as the gate does, and with what the proof rejects with. `isApproved`: a human said yes to it. */
  click(at: Point, proof: HoverProof, isApproved: boolean): Promise<void>;
}

export interface DesktopClick {
  readonly clicks: number;
  /** A human said yes to it already. */
  readonly isApproved: boolean;
  /** Told before the press that its pointer is over the element: a press that opens a dialog ends only with that. */
  isOver(desktopId: string): void;
}

/** Which way a click went. */
export type ClickWay =
  | { readonly via: "desktop"; readonly desktopId: string }
  | { readonly via: "page"; readonly why: string };

/** A click waits so long at most for its element to be seen: a browser elsewhere is seen on no desktop. */
const SEEN_WITHIN_MS = 1000;
/** Where it was not seen it is not looked for again for so long, and then twice as long, to the most. */
const LEAST_PAUSE_MS = 15_000;
const MOST_PAUSE_MS = 10 * 60_000;
/** A place that was wrong is found anew, so often in all. */
const MOST_TRIES = 3;

const NOT_SEEN = "the element is not seen on a desktop of yours";

/** Tabs that were looked for and not seen. */
const unseen = new WeakMap<Page, { readonly untilMs: number; readonly pauseMs: number }>();

/** Places where the page saw nothing of a wheel that went down: nothing is waited for there again. */
const unheld = new WeakSet<SeenPage>();

/** Where to press, and what of the desktop shows the element. */
interface Spot extends Point {
  readonly desktop: ClickedDesktop;
  readonly rect: Rect;
}

/**
 * Clicks an element by the pointer of the desktop that shows it, once the page has said that this is over the element;
 * why not, where no desktop shows it or the pointer did not get there. Nothing was pressed then. Rejects as `click` of the
 * desktop, and with BrowserError moving where a press was sent that did not hit the element.
 */
export async function clickOnDesktop(
  page: Page,
  place: ElementPlace,
  desktops: readonly ClickedDesktop[],
  how: DesktopClick,
): Promise<ClickWay> {
  if (desktops.length === 0) return { via: "page", why: "no desktop of yours is connected" };
  let { isApproved } = how;
  let why = "";
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const spot = await spotOf(page, place, desktops, tries > 1);
    if (typeof spot === "string") return { via: "page", why: tries > 1 ? why : spot };
    let watch: PressWatch = { levels: [], mayHold: false };
    const { seen } = page;
    const proof: HoverProof = {
      rect: spot.rect,
      ready: async () => {
        // Who had to say yes has: the same click is not asked about again.
        isApproved = true;
        watch = await watchPress(page, place, how.clicks);
      },
      isUnder: async () => {
        throwIfOver(await page.callOn(place.session, place.node, HOVERED));
        how.isOver(spot.desktop.id);
      },
      mayHold: () => watch.mayHold && (seen === null || !unheld.has(seen)),
      isHeld: async () => {
        const over = await page.callOn(place.session, place.node, HELD);
        if (over !== false) throwIfOver(over);
        else if (seen !== null) unheld.add(seen);
        return over === null;
      },
    };
    try {
      await spot.desktop.click(spot, proof, isApproved);
    } catch (error) {
      await endWatch(page, watch.levels).catch(nullWhereGone);
      if (!(error instanceof BrowserError) || error.code !== "covered") throw error;
      page.seen = null;
      why = error.message;
      continue;
    }
    await checkPressed(page, place, watch.levels);
    return { via: "desktop", desktopId: spot.desktop.id };
  }
  return { via: "page", why };
}

function throwIfOver(instead: unknown): void {
  if (instead === null) return;
  throw new BrowserError(
    "covered",
    `under the desktop's pointer was ${JSON.stringify(String(instead).slice(0, 120))}`,
  );
}

async function checkPressed(
  page: Page,
  { session, node }: ElementPlace,
  levels: readonly ElementPlace[],
): Promise<void> {
  await page.callOn(session, node, AWAIT_PRESS).catch(nullWhereGone);
  if ((await endWatch(page, levels)) !== false) return;
  page.seen = null;
  throw new BrowserError(
    "moving",
    "the desktop's pointer was pressed and the page saw nothing of it: something came between; look at the desktop",
  );
}

/** Why not, where it is not seen at all. `isAnew`: where the page was seen does not hold any more. */
async function spotOf(
  page: Page,
  place: ElementPlace,
  desktops: readonly ClickedDesktop[],
  isAnew: boolean,
): Promise<Spot | string> {
  const { seen } = page;
  const known = desktops.find(({ id }) => id === seen?.desktopId);
  if (seen !== null && known !== undefined) {
    const rect = rectOn(seen, isAnew ? await boxAtRest(page, place) : await boxScrolledTo(page, place));
    const spot = { desktop: known, rect, ...middleOf(rect) };
    if (isOn(spot)) return spot;
  }
  if ((await pixelRatio(page)) <= 0) return "the tab is in the background";
  const nowMs = page.clock.nowMs();
  const before = unseen.get(page);
  if (before !== undefined && nowMs < before.untilMs) return NOT_SEEN;
  const found = await elementOnDesktop(page, place, desktops, SEEN_WITHIN_MS);
  const desktop = desktops.find(({ id }) => id === found?.desktopId);
  if (found !== null && desktop !== undefined) {
    unseen.delete(page);
    return { desktop, rect: found.rect, ...middleOf(found.rect) };
  }
  // One that was seen a moment ago is covered, and may be seen again by the next click.
  if (isAnew || seen !== null) return NOT_SEEN;
  const pauseMs = Math.min(MOST_PAUSE_MS, before === undefined ? LEAST_PAUSE_MS : 2 * before.pauseMs);
  unseen.set(page, { untilMs: nowMs + pauseMs, pauseMs });
  return NOT_SEEN;
}

function middleOf({ x, y, width, height }: Rect): Point {
  return { x: x + (width >> 1), y: y + (height >> 1) };
}

function isOn({ desktop, x, y }: Spot): boolean {
  const { width, height } = desktop.view().picture(false);
  return x >= 0 && y >= 0 && x < width && y < height;
}
