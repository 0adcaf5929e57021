import { coverOf } from "../../framebuffer/cover.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import type { Effect } from "../control/action.ts";
import type { Display } from "../picture/display.ts";
import type { Snapshots } from "../picture/snapshots.ts";

/** Rectangles that are named at most. */
const MAX_RECTS = 32;

/** What an action changed of a picture. */
export interface SeenChange {
  /** null: not known. */
  readonly changed: boolean | null;
  readonly changedRects: readonly Rect[];
}

const NOTHING: SeenChange = { changed: null, changedRects: [] };

/**
 * What an effect is for recordings: it is made of what agents see, and would say where something happens under a mask that
 * only recordings have, and nothing of what only agents must not see.
 */
export function recordedChange(
  effect: Effect | null,
  display: Pick<Display, "shownTo">,
  snapshots: Pick<Snapshots, "changedSince">,
): SeenChange {
  if (effect === null) return NOTHING;
  const { changed, changedRects, periodicRects, generationBefore, generationAfter } = effect;
  if (display.shownTo("recording").name === display.shownTo("agent").name) return { changed, changedRects };
  const damage = snapshots.changedSince("recording", generationBefore, generationAfter);
  if (damage === null) return NOTHING;
  const rects = coverOf(damage.subtract(Region.from(periodicRects)).rects, MAX_RECTS);
  return { changed: rects.length > 0 ? true : changed === null ? null : false, changedRects: rects };
}
