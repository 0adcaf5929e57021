import { BrowserError } from "../error.ts";
import { textIn } from "./answers.ts";
import { QUIET } from "./in-page.ts";
import type { Dialog, Page } from "./page.ts";
import { takeSnapshot } from "./snapshot.ts";

/** A page at rest has not changed for so long. */
const QUIET_MS = 100;
/** A page that is left for another is waited for so long. */
const LOADING_MS = 3000;

/** What an action did to a page. */
export interface PageEffect {
  /** Whether an agent would see another page now; null: not looked at, or a dialog is in the way. */
  readonly changed: boolean | null;
  readonly generationBefore: number;
  readonly generationAfter: number;
  readonly settleMs: number;
  /** Where the tab went, null where it stayed. */
  readonly url: string | null;
  readonly dialog: Dialog | null;
  /** Tabs that it opened, as the browser numbers them. */
  readonly openedTabs: readonly number[];
}

/** Does something to a page and tells what came of it. `mostMs`: how long the page may take to rest; 0 does not look. */
export async function withEffect(page: Page, mostMs: number, act: () => Promise<void>): Promise<PageEffect> {
  const before = mostMs === 0 ? page.generations.now : (await takeSnapshot(page)).generation;
  const { navigations } = page;
  page.openedTabs.length = 0;
  const startMs = page.clock.nowMs();
  await unlessDialog(act);
  if (mostMs > 0) await unlessDialog(() => settle(page, mostMs, navigations));
  const settleMs = Math.round(page.clock.nowMs() - startMs);
  const after = mostMs === 0 ? null : await unlessDialog(() => takeSnapshot(page));
  const hasLeft = page.navigations !== navigations;
  return {
    changed: after === null ? null : hasLeft || after.generation !== before,
    generationBefore: before,
    generationAfter: after?.generation ?? page.generations.now,
    settleMs,
    url: hasLeft ? (after?.url ?? null) : null,
    dialog: page.dialog,
    openedTabs: [...page.openedTabs],
  };
}

/** null where a dialog opened, which is told as such: what was done is done. */
async function unlessDialog<Result>(work: () => Promise<Result>): Promise<Result | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BrowserError && error.code === "dialog_open") return null;
    throw error;
  }
}

/** Waits until a page rests, and one that is left for another until that is there. */
async function settle(page: Page, mostMs: number, navigations: number): Promise<void> {
  const startMs = page.clock.nowMs();
  for (;;) {
    const hasLeft = page.isLoading || page.navigations !== navigations;
    const leftMs = startMs + (hasLeft ? Math.max(mostMs, LOADING_MS) : mostMs) - page.clock.nowMs();
    if (leftMs <= 0) return;
    if (page.isLoading) {
      await page.loadingChanged(leftMs);
      continue;
    }
    const { changes } = page;
    try {
      await quiet(page, leftMs);
      if (!page.isLoading && page.changes === changes) return;
    } catch (error) {
      // The page that was asked is gone: the one that came instead is asked.
      const isGone =
        error instanceof BrowserError && (error.code === "browser_refused" || error.code === "page_changed");
      if (!isGone) throw error;
    }
  }
}

async function quiet(page: Page, mostMs: number): Promise<void> {
  const contextId = await page.world(null, null);
  await page.send("Runtime.evaluate", {
    expression: `(${QUIET})(${QUIET_MS}, ${Math.ceil(mostMs)})`,
    contextId,
    awaitPromise: true,
    returnByValue: true,
  });
}

/** Waits until a tab that was just opened has left the blank page, and rests; `mostMs` at most. Never rejects for being late. */
export async function arrived(page: Page, mostMs: number): Promise<void> {
  const endMs = page.clock.nowMs() + mostMs;
  await page.attach();
  while (page.navigations === 0 && page.clock.nowMs() < endMs) {
    const url = textIn(await page.send("Page.getFrameTree"), "frameTree", "frame", "url");
    if (url !== "about:blank" && url !== "") break;
    if (page.navigations === 0) await page.loadingChanged(endMs - page.clock.nowMs());
  }
  await unlessDialog(() => settle(page, Math.max(0, endMs - page.clock.nowMs()), page.navigations));
}
