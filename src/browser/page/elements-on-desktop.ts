import { decodePicture, type RgbaPixels } from "../../compositor/picture-file.ts";
import type { Picture } from "../../framebuffer/picture.ts";
import { intersectRects, isEmptyRect, type Rect, rectOfSize } from "../../framebuffer/rect.ts";
import { delay } from "../../platform/clock.ts";
import { objectIn, textIn } from "./answers.ts";
import { type Box, viewportOf } from "./element-box.ts";
import { elementOnDesktop, pixelRatio, type SeenDesktop } from "./element-on-desktop.ts";
import type { Page, SeenPage } from "./page.ts";
import { elementInView, type PageElement, pageElements } from "./page-elements.ts";
import { rectOn } from "./page-mark.ts";
import type { ElementPlace } from "./refs.ts";

/** Why an element is not seen on the desktop that shows its page. */
export type Unseen = "out of view" | "covered in the page" | "covered or masked on the desktop";

/** An element of a page as a desktop shows it. */
export interface ElementSeen extends PageElement {
  /** What of it is seen, desktop pixels; null where `unseen` says why not. */
  readonly rect: Rect | null;
  readonly unseen: Unseen | null;
}

/** Why no desktop shows a page. */
export type PageUnseen = "in the background, minimized or covered" | "not seen on a desktop of yours";

/** The elements of a page, and where that is. */
export interface PageOnDesktop {
  readonly page: Page;
  readonly desktopId: string;
  /** What of the desktop shows the page. */
  readonly area: Rect;
  /** In the order of the page. */
  readonly elements: readonly ElementSeen[];
}

/** A tab that no desktop shows is not looked for again for so long, and then twice as long, to the most. */
const LEAST_PAUSE_MS = 15_000;
const MOST_PAUSE_MS = 10 * 60_000;
/** Elements that are marked one after the other until one is seen: some may be covered. */
const MOST_MARKED = 3;
const MARKED_WITHIN_MS = 500;
/** A picture that is behind the page is looked at again after so long. */
const LOOK_AGAIN_MS = 150;
/** Pixels of one element that are compared, in each direction. */
const SAMPLES = 16;
/** How far a channel may be off: lossy targets. */
const TOLERANCE = 40;
/** Of the samples of an element so many are as the page has them where nothing lies over it. */
const ALIKE = 0.7;

const HIDDEN: PageUnseen = "in the background, minimized or covered";
const NOT_SEEN: PageUnseen = "not seen on a desktop of yours";

/** Tabs that were looked for and not seen. */
const unseenTabs = new WeakMap<Page, { readonly untilMs: number; readonly pauseMs: number }>();

/**
 * The elements of a page and where a desktop shows them, judged by its pixels: they are compared with what the browser
 * says that it paints. Where it is not known where the page is, elements flash until one is seen. Rejects with BrowserError.
 */
export async function elementsOnDesktop(
  page: Page,
  desktops: readonly SeenDesktop[],
): Promise<PageOnDesktop | PageUnseen> {
  const scale = await pixelRatio(page);
  if (scale <= 0) return HIDDEN;
  return judged(page, await pageElements(page), desktops, scale, true);
}

/** Where one element is seen, and why not where it is not. */
export interface ElementPlaceSeen {
  /** The desktop that shows its page, as far as that is known. */
  readonly desktopId: string | null;
  readonly rect: Rect | null;
  readonly why: string | null;
}

/** The same of one element. `mayMark`: it may flash where it is not known where the page is. Rejects with BrowserError. */
export async function elementSeen(
  page: Page,
  place: ElementPlace,
  desktops: readonly SeenDesktop[],
  mayMark: boolean,
): Promise<ElementPlaceSeen> {
  const desktopId = page.seen?.desktopId ?? null;
  const scale = await pixelRatio(page);
  if (scale <= 0) return { desktopId, rect: null, why: HIDDEN };
  const inView = await elementInView(page, place, await viewportOf(page));
  const element = { ref: "", role: "", name: "", place, ...inView };
  const unseen = unseenInPage(element);
  if (unseen !== null) return { desktopId, rect: null, why: unseen };
  const told = await judged(page, [element], desktops, scale, mayMark);
  if (typeof told === "string") return { desktopId, rect: null, why: told };
  const [seen] = told.elements;
  return { desktopId: told.desktopId, rect: seen?.rect ?? null, why: seen?.unseen ?? null };
}

/** Where one that was seen is now by the page's word alone: its window is where it was. Rejects with BrowserError. */
export async function placeNow(
  page: Page,
  place: ElementPlace,
  before: ElementPlaceSeen,
): Promise<ElementPlaceSeen> {
  const { seen } = page;
  if (seen === null || before.rect === null) return before;
  const { desktopId } = seen;
  if ((await pixelRatio(page)) !== seen.scale) return before;
  const { box, cover } = await elementInView(page, place, await viewportOf(page));
  const unseen = unseenInPage({ box, cover });
  if (box === null || unseen !== null) return { desktopId, rect: null, why: unseen };
  return { desktopId, rect: rectOn(seen, box), why: null };
}

/** What is another where the window of a page was moved, sized, zoomed, hidden or shown. */
export async function windowOf(page: Page): Promise<string> {
  const contextId = await page.world(null, null);
  const facts =
    "screenX,screenY,outerWidth,outerHeight,innerWidth,innerHeight,devicePixelRatio,document.hidden";
  const told = await page.send("Runtime.evaluate", { expression: `[${facts}].join()`, contextId });
  return String(objectIn(told, "result")["value"]);
}

/** Where a page is, and which of its elements are seen there. */
async function judged(
  page: Page,
  elements: readonly PageElement[],
  desktops: readonly SeenDesktop[],
  scale: number,
  mayMark: boolean,
): Promise<PageOnDesktop | PageUnseen> {
  const pressable = elements.filter(({ box, cover }) => box !== null && cover === null);
  const remembered = page.seen?.scale === scale ? page.seen : null;
  let seen = remembered ?? (mayMark ? await find(page, pressable, desktops) : null);
  if (seen === null) return NOT_SEEN;
  let told = await compare(page, elements, seen, desktops);
  if (told !== null && isDoubtful(told, pressable.length)) {
    // The page or its window has moved, something lies over it, or the picture is behind.
    await delay(page.clock, LOOK_AGAIN_MS);
    told = await compare(page, elements, seen, desktops);
    if (mayMark && remembered !== null && (told === null || isDoubtful(told, pressable.length))) {
      page.seen = null;
      seen = await find(page, pressable, desktops);
      const found = seen === null ? null : await compare(page, elements, seen, desktops);
      // Where it was is the better guess where less is seen elsewhere: it may be covered for a moment.
      const isBetter = told === null || (found !== null && seenCount(found) > seenCount(told));
      if (!isBetter) page.seen = remembered;
      told = isBetter ? found : told;
    }
  }
  return told ?? NOT_SEEN;
}

/** Fewer than half of what a press would hit are seen. */
function isDoubtful(told: PageOnDesktop, pressable: number): boolean {
  return 2 * seenCount(told) < pressable;
}

function seenCount({ elements }: PageOnDesktop): number {
  return elements.filter(({ rect }) => rect !== null).length;
}

/** Where the page is, by elements that are marked. */
async function find(
  page: Page,
  pressable: readonly PageElement[],
  desktops: readonly SeenDesktop[],
): Promise<SeenPage | null> {
  const before = unseenTabs.get(page);
  const nowMs = page.clock.nowMs();
  if (before !== undefined && nowMs < before.untilMs) return null;
  // Frames of other processes lie at parts of a pixel of the page: what is found by theirs may be off by one.
  const own = pressable.filter(({ place }) => place.session === null);
  const [first, last] = [own[0], own.at(-1)];
  const tried = new Set([first, last, own[own.length >> 1]].slice(0, MOST_MARKED));
  for (const element of tried) {
    if (element === undefined) continue;
    await page.inTurn(() => elementOnDesktop(page, element.place, desktops, MARKED_WITHIN_MS));
    if (page.seen !== null) {
      unseenTabs.delete(page);
      return page.seen;
    }
  }
  const pauseMs = before === undefined ? LEAST_PAUSE_MS : Math.min(MOST_PAUSE_MS, 2 * before.pauseMs);
  unseenTabs.set(page, { untilMs: page.clock.nowMs() + pauseMs, pauseMs });
  return null;
}

/** null where the desktop is not among these any more. */
async function compare(
  page: Page,
  elements: readonly PageElement[],
  seen: SeenPage,
  desktops: readonly SeenDesktop[],
): Promise<PageOnDesktop | null> {
  const desktop = desktops.find(({ id }) => id === seen.desktopId);
  if (desktop === undefined) return null;
  // Whole: a part of it is captured by painting the page anew, which people see.
  const answer = await page.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: false });
  const painted = await decodePicture(Buffer.from(textIn(answer, "data"), "base64"));
  const picture = desktop.view().picture(false);
  const area = intersectRects(
    { x: seen.x, y: seen.y, width: painted.width, height: painted.height },
    rectOfSize(picture),
  );
  const rectSeen = (box: Box): Rect | null => {
    const rect = intersectRects(rectOn(seen, box), area);
    return isEmptyRect(rect) || !isAlike(picture, painted, rect, seen) ? null : rect;
  };
  return {
    ...{ page, desktopId: desktop.id, area },
    elements: elements.map((element): ElementSeen => {
      const { box } = element;
      const unseen = unseenInPage(element);
      if (box === null || unseen !== null) return { ...element, rect: null, unseen };
      const rect = rectSeen(box);
      return { ...element, rect, unseen: rect === null ? "covered or masked on the desktop" : null };
    }),
  };
}

function unseenInPage({ box, cover }: Pick<PageElement, "box" | "cover">): Unseen | null {
  if (cover !== null) return "covered in the page";
  return box === null ? "out of view" : null;
}

/** Whether a desktop shows in a rectangle what the browser painted there. */
function isAlike(picture: Picture, painted: RgbaPixels, rect: Rect, corner: SeenPage): boolean {
  const { bytes, offset, strideBytes } = picture.pixels(rect);
  const [stepX, stepY] = [Math.max(1, rect.width / SAMPLES), Math.max(1, rect.height / SAMPLES)];
  let [alike, all] = [0, 0];
  for (let y = stepY / 2; y < rect.height; y += stepY) {
    for (let x = stepX / 2; x < rect.width; x += stepX) {
      const at = offset + Math.floor(y) * strideBytes + Math.floor(x) * 4;
      const row = rect.y + Math.floor(y) - corner.y;
      const from = (row * painted.width + rect.x + Math.floor(x) - corner.x) * 4;
      all++;
      if ([0, 1, 2].every((c) => Math.abs((bytes[at + c] ?? 0) - (painted.rgba[from + c] ?? 0)) <= TOLERANCE))
        alike++;
    }
  }
  return all > 0 && alike >= ALIKE * all;
}
