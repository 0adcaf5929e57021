import { RefusedError } from "../../desktop/error.ts";
import { coverOf } from "../../framebuffer/cover.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import type { TextMatch, TextQuery } from "../../vision/text/text-line.ts";
import type { Desk } from "./mcp-state.ts";
import type { Waited, Watched } from "./wait-condition.ts";

/** Rectangles that what changed is told in. */
const MAX_RECTS = 32;

interface Wanted {
  readonly query: TextQuery;
  /** Where, null: anywhere. */
  readonly area: Rect | null;
  /** True: that it is not there. */
  readonly isGone: boolean;
}

/**
 * Waits until a text is, or is not, to be read: looked for at once, and whenever something changed. A look that was begun is
 * ended, also beyond the time. Throws as `awaitOn` does, and VisionError.
 */
export async function awaitText(
  watched: Watched,
  texts: Desk["texts"],
  { query, area, isGone }: Wanted,
): Promise<Waited & { readonly matches: readonly TextMatch[] }> {
  const { desktop, clock, signal, region, timeoutMs } = watched;
  const startMs = clock.nowMs();
  const before = desktop.generation;
  let wake: () => void = () => {};
  const watcher = desktop.view("agent").watch(() => wake());
  const wakes = (): void => wake();
  signal.addEventListener("abort", wakes);
  const off = desktop.on(({ type }) => {
    if (type === "state") wake();
  });
  try {
    for (;;) {
      if (signal.aborted) throw new RefusedError("cancelled", "the call was cancelled");
      const { kind } = desktop.state;
      if (kind === "closed") throw new RefusedError("not_found", "the desktop was removed while this waited");
      const isStale = kind !== "live";
      watcher.take();
      const { matches, generation } = await texts.find(desktop, query, area, signal);
      const isMet = !isStale && (matches.length === 0) === isGone;
      const nowMs = clock.nowMs();
      const left = startMs + timeoutMs - nowMs;
      if (isMet || left <= 0) {
        const all = desktop.changedSince(before, generation)?.clip(region) ?? Region.of(region);
        const changed = Region.from(coverOf(all.rects, MAX_RECTS));
        return { isMet, isStale, waitedMs: Math.round(nowMs - startMs), changed, generation, matches };
      }
      await new Promise<void>((resolve) => {
        const cancel = clock.after(left, () => wake());
        wake = () => {
          wake = () => {};
          cancel();
          resolve();
        };
        // What came while the text was looked for.
        if (!watcher.pending.isEmpty || signal.aborted) wake();
      });
    }
  } finally {
    signal.removeEventListener("abort", wakes);
    off();
    watcher.close();
  }
}
