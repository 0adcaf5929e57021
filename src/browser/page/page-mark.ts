import { randomInt } from "node:crypto";
import type { Colour, Marked } from "../../desktop/picture/mark-search.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { BrowserError } from "../error.ts";
import type { Box } from "./element-box.ts";
import type { Page, SeenPage } from "./page.ts";
import type { Session } from "./refs.ts";

/** Watcher of the heart is one. */
export interface SeenChanges {
  take(): unknown;
  close(): void;
}

/** A desktop that is looked through for a mark. */
export interface MarkedDesktop {
  readonly id: string;
  /** Where it has exactly this colour; null: nowhere. */
  find(colour: Colour): Promise<Marked | null>;
  /** Told of what changes there. Absent: it is looked at again and again. */
  watch?(onDamage: () => void): SeenChanges;
}

interface PageMark<Seen> {
  /** Of what it is painted in. */
  readonly session: Session;
  readonly withinMs: number;
  /** Paints it above the page by a call of `Overlay`. */
  paint(colour: Colour): Promise<unknown>;
  /** What it says where a desktop shows this of it; null: nothing. `isWhole`: no later picture says more. */
  judge(found: Marked, desktopId: string): (Seen & { readonly isWhole: boolean }) | null;
}

/** What is seen in part may be on its way to being seen whole. */
const WHOLE_WITHIN_MS = 400;
const LOOK_EVERY_MS = 40;
/** Of a pixel: what is off by less is so by the computer's arithmetic. */
const EXACT = 0.01;

/**
 * Paints a mark above a page for a moment, unseen by the page, in a colour that nobody can guess, and looks for it on
 * desktops. null where none shows it. Rejects with BrowserError.
 */
export async function seekPageMark<Seen>(
  page: Page,
  desktops: readonly MarkedDesktop[],
  { session, withinMs, paint, judge }: PageMark<Seen>,
): Promise<(Seen & { readonly isWhole: boolean }) | null> {
  const colour = { r: randomInt(40, 216), g: randomInt(40, 216), b: randomInt(40, 216) };
  const changes = watchAll(desktops);
  const startMs = page.clock.nowMs();
  let seen: (Seen & { readonly isWhole: boolean }) | null = null;
  try {
    await page.send("Overlay.enable", {}, session);
    await paint(colour);
    for (;;) {
      for (const desktop of desktops) {
        const found = await desktop.find(colour);
        seen = (found === null ? null : judge(found, desktop.id)) ?? seen;
        if (seen?.isWhole === true) return seen;
      }
      const mostMs = seen === null ? withinMs : WHOLE_WITHIN_MS;
      const leftMs = startMs + mostMs - page.clock.nowMs();
      if (leftMs <= 0) return seen;
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

/** Where a page is whose point is at the first whole pixel of a mark: edges between two pixels are blended. */
export function pageAt(
  desktopId: string,
  { x, y }: Rect,
  scale: number,
  at: { readonly x: number; readonly y: number },
): SeenPage {
  const left = Math.ceil(at.x - EXACT);
  const top = Math.ceil(at.y - EXACT);
  return { desktopId, scale, x: x - left, y: y - top };
}

/** What of a desktop shows a part of a page; the browser puts edges of boxes on whole pixels. */
export function rectOn({ x, y, scale }: SeenPage, box: Box): Rect {
  const left = Math.round(x + box.x * scale);
  const top = Math.round(y + box.y * scale);
  const right = Math.round(x + (box.x + box.width) * scale);
  const bottom = Math.round(y + (box.y + box.height) * scale);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Wakes when any of the desktops shows something else. */
function watchAll(desktops: readonly MarkedDesktop[]) {
  let isChanged = false;
  let wake = (): void => {};
  const onDamage = (): void => {
    isChanged = true;
    wake();
  };
  const watchers = desktops.flatMap((desktop) => desktop.watch?.(onDamage) ?? []);
  for (const watcher of watchers) watcher.take();
  const isAllTold = watchers.length === desktops.length;
  return {
    async next({ clock }: Page, mostMs: number): Promise<void> {
      if (!isChanged) {
        await new Promise<void>((resolve) => {
          const cancel = clock.after(isAllTold ? mostMs : Math.min(mostMs, LOOK_EVERY_MS), resolve);
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
