import { findColour, type Marked } from "../../desktop/picture/mark-search.ts";
import type { View } from "../../desktop/view.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { numberIn, objectIn } from "./answers.ts";
import { boxAtRest } from "./element-box.ts";
import type { Page } from "./page.ts";
import { type MarkedDesktop, pageAt, rectOn, type SeenChanges, seekPageMark } from "./page-mark.ts";
import type { ElementPlace } from "./refs.ts";

/** A desktop that a browser may be seen on. */
export interface SeenDesktop {
  readonly id: string;
  /** Throws where there is no picture, or none for who asks. */
  view(): Pick<View, "picture"> & { watch(onDamage: () => void): SeenChanges };
}

/** An element as it is seen on a desktop. */
export interface OnDesktop {
  readonly desktopId: string;
  /** What of it is seen, desktop pixels. */
  readonly rect: Rect;
  /** false: something lies over a part of it, or that part is masked. */
  readonly isWhole: boolean;
}

/** An element that is painted is seen on its desktop within so long. */
const SEEN_WITHIN_MS = 1500;
/** Of its sides: edges between two pixels are blended, and not counted. */
const OFF_BY = 2;

/**
 * Where an element is on one of these desktops: it is painted over for a moment, above the page and unseen by it, in a
 * colour that nobody can guess, and that is looked for. null where it is not seen: the browser is elsewhere, the tab
 * in the background, or the element covered. Remembers where the page is. Rejects with BrowserError.
 */
export async function elementOnDesktop(
  page: Page,
  { session, node }: ElementPlace,
  desktops: readonly SeenDesktop[],
  seenWithinMs = SEEN_WITHIN_MS,
): Promise<OnDesktop | null> {
  if (desktops.length === 0) return null;
  const scale = await pixelRatio(page);
  // What is in the background is painted nowhere.
  if (scale <= 0) return null;
  const box = await boxAtRest(page, { session, node });
  const size = { width: box.width * scale, height: box.height * scale };
  const isAll = ({ rect, pixels }: Marked): boolean =>
    Math.abs(rect.width - size.width) <= OFF_BY &&
    Math.abs(rect.height - size.height) <= OFF_BY &&
    pixels >= (rect.width - OFF_BY) * (rect.height - OFF_BY);
  const marked = desktops.map(
    ({ id, view }): MarkedDesktop => ({
      id,
      find: (colour) => findColour(view().picture(false), colour),
      watch: (onDamage) => view().watch(onDamage),
    }),
  );
  return seekPageMark<OnDesktop>(page, marked, {
    ...{ session, withinMs: seenWithinMs },
    paint(colour) {
      const color = { ...colour, a: 1 };
      const highlightConfig = { contentColor: color, paddingColor: color, borderColor: color };
      return page.send("Overlay.highlightNode", { backendNodeId: node, highlightConfig }, session);
    },
    judge(found, desktopId) {
      if (!isAll(found)) return { desktopId, rect: found.rect, isWhole: false };
      const at = {
        x: firstOf(box.x * scale, size.width, found.rect.width),
        y: firstOf(box.y * scale, size.height, found.rect.height),
      };
      page.seen = pageAt(desktopId, found.rect, scale, at);
      return { desktopId, rect: rectOn(page.seen, box), isWhole: true };
    },
  });
}

/** Where the mark of an element begins: Chromium puts its edges on whole pixels, and blends them where it is transformed. */
function firstOf(from: number, size: number, marked: number): number {
  const isOnPixels = marked === Math.round(from + size) - Math.round(from);
  return isOnPixels ? Math.round(from) : from;
}

/** Pixels of the browser's window a CSS pixel, zoom included; 0 for a tab in the background. */
export async function pixelRatio(page: Page): Promise<number> {
  const contextId = await page.world(null, null);
  const expression = "document.hidden ? 0 : devicePixelRatio";
  const told = await page.send("Runtime.evaluate", { expression, contextId });
  return numberIn(objectIn(told, "result"), "value");
}
