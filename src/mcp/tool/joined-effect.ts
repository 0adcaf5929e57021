import { type Effect, unseenEffect } from "../../desktop/control/action.ts";
import { coverOf } from "../../framebuffer/cover.ts";
import { type Rect, rectOfSize } from "../../framebuffer/rect.ts";
import type { McpDesktop } from "./ports.ts";

/** Rectangles that an answer names: as many as for a single effect. */
const MAX_RECTS = 32;

/** All that changed since a generation, whatever changed it; nothing is said of what may still come. */
export function effectSince(generation: number, desktop: McpDesktop): Effect {
  const damage = desktop.changedSince(generation)?.rects ?? [rectOfSize(desktop.size)];
  const changedRects = coverOf(damage, MAX_RECTS);
  return {
    ...unseenEffect(generation),
    changed: changedRects.length > 0 ? true : null,
    changedRects,
    repaintedRects: changedRects,
    generationAfter: desktop.generation,
  };
}

/** Whether anything was painted that none of these effects, in their order, tells of. */
export function hasUntoldChange(
  generation: number,
  effects: readonly Pick<Effect, "generationBefore" | "generationAfter">[],
  desktop: McpDesktop,
): boolean {
  let told = generation;
  for (const { generationBefore, generationAfter } of [
    ...effects,
    { generationBefore: desktop.generation, generationAfter: desktop.generation },
  ]) {
    if (desktop.changedSince(told, generationBefore)?.isEmpty !== true) return true;
    told = Math.max(told, generationAfter);
  }
  return false;
}

/** Several effects as one: all that changed from the first to the last, also between them. */
export function joinEffects(effects: readonly Effect[], desktop: McpDesktop): Effect {
  const [first, ...more] = effects;
  if (first === undefined) return unseenEffect(desktop.generation);
  return more.reduce((joined, effect) => join(joined, effect, desktop), first);
}

function join(a: Effect, b: Effect, desktop: McpDesktop): Effect {
  const between = changedBetween(a, b, desktop);
  const changedRects = coverOf([...a.changedRects, ...between, ...b.changedRects], MAX_RECTS);
  const isKnown = a.changed !== null && b.changed !== null;
  const parts = [a, b].filter(({ changed }) => changed === true);
  return {
    changed: changedRects.length > 0 ? true : isKnown ? false : null,
    changedRects,
    periodicRects: coverOf([...a.periodicRects, ...b.periodicRects], MAX_RECTS),
    isMaybePeriodic:
      between.length === 0 && parts.length > 0 && parts.every(({ isMaybePeriodic }) => isMaybePeriodic),
    moves: [],
    repaintedRects: changedRects,
    restlessRects: [...a.restlessRects, ...b.restlessRects].slice(0, MAX_RECTS),
    settleMs: a.settleMs + b.settleMs,
    generationBefore: a.generationBefore,
    generationAfter: b.generationAfter,
  };
}

/** What was painted when the one was over and the other had not begun; it may be part of the other as well. */
function changedBetween(a: Effect, b: Effect, desktop: McpDesktop): readonly Rect[] {
  if (a.generationAfter === b.generationBefore) return [];
  return desktop.changedSince(a.generationAfter, b.generationBefore)?.rects ?? [rectOfSize(desktop.size)];
}
