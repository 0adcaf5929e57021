import { randomInt } from "node:crypto";
import { type Colour, findColour, type Marked } from "../../desktop/picture/mark-search.ts";
import type { View } from "../../desktop/view.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { BrowserError } from "../error.ts";
import { numberIn, objectIn } from "./answers.ts";
import { type Box, boxAtRest } from "./element-box.ts";
import type { Page, SeenPage } from "./page.ts";
import type { ElementPlace } from "./refs.ts";

/** Watcher of the heart is one. */
interface SeenChanges {
  take(): unknown;
  close(): void;
}

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
/** What is seen in part may be on its way to being seen whole. */
const WHOLE_WITHIN_MS = 400;
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
  const colour: Colour = { r: randomInt(40, 216), g: randomInt(40, 216), b: randomInt(40, 216) };
  const isWhole = ({ rect, pixels }: Marked): boolean =>
    Math.abs(rect.width - size.width) <= OFF_BY &&
    Math.abs(rect.height - size.height) <= OFF_BY &&
    pixels >= (rect.width - OFF_BY) * (rect.height - OFF_BY);
  const changes = watchAll(desktops);
  const startMs = page.clock.nowMs();
  let seen: OnDesktop | null = null;
  try {
    await page.send("Overlay.enable", {}, session);
    const color = { ...colour, a: 1 };
    const highlightConfig = { contentColor: color, paddingColor: color, borderColor: color };
    await page.send("Overlay.highlightNode", { backendNodeId: node, highlightConfig }, session);
    for (;;) {
      const found = await lookFor(desktops, colour);
      if (found !== null) seen = { desktopId: found.desktopId, rect: found.rect, isWhole: isWhole(found) };
      const mostMs = seen === null ? seenWithinMs : WHOLE_WITHIN_MS;
      const leftMs = startMs + mostMs - page.clock.nowMs();
      if (seen?.isWhole === true) page.seen = pageOn(seen, box, scale);
      if (seen?.isWhole === true || leftMs <= 0) return seen;
      await changes.next(page, leftMs);
    }
  } finally {
    changes.close();
    // A tab that is gone shows nothing more.
    await page.send("Overlay.hideHighlight", {}, session).catch((error: unknown) => {
      if (!(error instanceof BrowserError)) throw error;
    });
  }
}

/** Edges between two pixels are blended: the first whole one has the colour. */
function pageOn({ desktopId, rect }: OnDesktop, { x, y }: Box, scale: number): SeenPage {
  return { desktopId, scale, x: rect.x - Math.ceil(x * scale), y: rect.y - Math.ceil(y * scale) };
}

/** Pixels of the browser's window a CSS pixel, zoom included; 0 for a tab in the background. */
export async function pixelRatio(page: Page): Promise<number> {
  const contextId = await page.world(null, null);
  const expression = "document.hidden ? 0 : devicePixelRatio";
  const told = await page.send("Runtime.evaluate", { expression, contextId });
  return numberIn(objectIn(told, "result"), "value");
}

async function lookFor(
  desktops: readonly SeenDesktop[],
  colour: Colour,
): Promise<(Marked & { readonly desktopId: string }) | null> {
  for (const { id, view } of desktops) {
    const found = await findColour(view().picture(false), colour);
    if (found !== null) return { ...found, desktopId: id };
  }
  return null;
}

/** Wakes when any of the desktops shows something else. */
function watchAll(desktops: readonly SeenDesktop[]) {
  let isChanged = false;
  let wake = (): void => {};
  const watchers = desktops.map(({ view }) => {
    const watcher = view().watch(() => {
      isChanged = true;
      wake();
    });
    watcher.take();
    return watcher;
  });
  return {
    async next({ clock }: Page, mostMs: number): Promise<void> {
      if (!isChanged) {
        await new Promise<void>((resolve) => {
          const cancel = clock.after(mostMs, resolve);
          wake = () => {
            cancel();
            resolve();
          };
        });
      }
      isChanged = false;
      for (const watcher of watchers) watcher.take();
    },
    close(): void {
      for (const watcher of watchers) watcher.close();
    },
  };
}
