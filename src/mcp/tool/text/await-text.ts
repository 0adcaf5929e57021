import { RefusedError } from "../../../desktop/error.ts";
import { coverOf } from "../../../framebuffer/cover.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import { Region } from "../../../framebuffer/region.ts";
import type { TextFound, TextMatch, TextQuery } from "../../../vision/text/text-line.ts";
import type { McpState } from "../mcp-state.ts";
import type { Waited, Watched } from "../wait-condition.ts";

/** Rectangles that what changed is told in. */
const MAX_RECTS = 32;

export interface WantedText {
  readonly query: TextQuery;
  /** Where, null: anywhere. */
  readonly area: Rect | null;
  /** True: that it is not there. */
  readonly isGone: boolean;
}

export interface WaitedForText extends Waited {
  readonly matches: readonly TextMatch[];
  /** False where the time was over before the screen was read once: nothing is known of the text. */
  readonly isRead: boolean;
}

/**
 * Waits until a text is, or is not, to be read: looked for at once, and whenever something changed. What is being looked
 * for when the time is over is given up; with a time of 0 it is looked for once, however long that takes. Throws as
 * `awaitOn` does, and VisionError.
 */
export async function awaitText(
  watched: Watched,
  texts: McpState["texts"],
  { query, area, isGone }: WantedText,
): Promise<WaitedForText> {
  const { desktop, clock, signal, region, timeoutMs } = watched;
  const startMs = clock.nowMs();
  const before = desktop.generation;
  let wake: () => void = () => {};
  const watcher = desktop.view("agent").watch(() => wake());
  const off = desktop.on(({ type }) => {
    if (type === "state") wake();
  });
  const timeUp = new AbortController();
  const cancelTime = timeoutMs === 0 ? () => {} : clock.after(timeoutMs, () => timeUp.abort());
  const over = AbortSignal.any([signal, timeUp.signal]);
  const wakes = (): void => wake();
  over.addEventListener("abort", wakes);
  let seen: TextFound | null = null;
  try {
    for (;;) {
      const { kind } = desktop.state;
      if (kind === "closed") throw new RefusedError("not_found", "the desktop was removed while this waited");
      const isStale = kind !== "live";
      watcher.take();
      if (!over.aborted) seen = (await unlessOver(texts.find(desktop, query, area, over), over)) ?? seen;
      if (signal.aborted) throw new RefusedError("cancelled", "the call was cancelled");
      const isMet = !over.aborted && !isStale && (seen?.matches.length === 0) === isGone;
      const waitedMs = Math.round(clock.nowMs() - startMs);
      if (isMet || over.aborted || timeoutMs === 0) {
        const { generation = before, matches = [] } = seen ?? {};
        const all = desktop.changedSince(before, generation)?.clip(region) ?? Region.of(region);
        const changed = Region.from(coverOf(all.rects, MAX_RECTS));
        return { isMet, isStale, waitedMs, changed, generation, matches, isRead: seen !== null };
      }
      await new Promise<void>((resolve) => {
        wake = () => {
          wake = () => {};
          resolve();
        };
        // What came while the text was looked for.
        if (!watcher.pending.isEmpty || over.aborted) wake();
      });
    }
  } finally {
    cancelTime();
    over.removeEventListener("abort", wakes);
    off();
    watcher.close();
  }
}

/** What a question comes to; null as soon as it is given up, whatever becomes of it then. */
export async function unlessOver<Answer>(asked: Promise<Answer>, over: AbortSignal): Promise<Answer | null> {
  let giveUp = (): void => {};
  const end = new Promise<null>((resolve) => {
    giveUp = () => resolve(null);
  });
  over.addEventListener("abort", giveUp, { once: true });
  if (over.aborted) giveUp();
  // Who gave up does not hear of it.
  const answer = asked.catch((cause: unknown) => {
    if (over.aborted) return null;
    throw cause;
  });
  try {
    return await Promise.race([answer, end]);
  } finally {
    over.removeEventListener("abort", giveUp);
  }
}
