import * as z from "zod";
import type { Effect } from "../desktop/action.ts";

/** Fields that several tools share, on the wire. */

export const coordinate = z.int().min(0).max(65_535);
const extent = z.int().min(1).max(65_535);

export const connectionIdField = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe("Which desktop, an id from list_connections. Default: your active connection.");

export const monitorIndexField = z
  .int()
  .min(0)
  .max(63)
  .optional()
  .describe(
    "Makes coordinates relative to the top-left corner of this monitor (see get_display_info). Default: pixels of the whole desktop.",
  );

/** Clients of both SDKs give up on a call after 60 s: what takes all of that is never heard of. */
export const LONGEST_WAIT_MS = 55_000;

/** What add_anchor remembered. */
export const anchorIdField = z.string().min(1).max(200);

/** A rectangle that a caller gives. */
export const rectInput = z.strictObject({ x: coordinate, y: coordinate, width: extent, height: extent });

/** A rectangle in an answer: desktop pixels. */
export const rectOutput = z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() });

export const displayScaleField = z
  .number()
  .nullable()
  .describe("null: a remote screen does not say how its own user scales it.");

export const timestampField = z.number().describe("Milliseconds since 1970.");

export const confirmationField = z
  .boolean()
  .optional()
  .describe("true asks the human first, whatever the mode. Use it before anything that cannot be undone.");

export const timingField = z
  .strictObject({
    minDelayMs: z.number().min(0).max(10_000),
    maxDelayMs: z.number().min(0).max(10_000),
  })
  .refine((hint) => hint.minDelayMs <= hint.maxDelayMs, "expected minDelayMs <= maxDelayMs")
  .optional()
  .describe("A random pause in this range before each click or key stroke.");

export const intentField = z
  .string()
  .max(500)
  .optional()
  .describe("Why, in a few words and without secrets: shown to the human who approves, and kept in the log.");

export const effectTimeoutField = z
  .int()
  .min(0)
  .max(10_000)
  .optional()
  .describe("How long to wait for the screen to answer, default 300. 0 returns as soon as it is sent.");

/** A long list of changes says no more than "much changed" and fills the caller's context. */
const MAX_CHANGED_RECTS = 32;

export const effectFields = {
  changed: z
    .boolean()
    .nullable()
    .describe("Whether the screen changed; null when that was not waited for or not confirmed."),
  changed_rects: z.array(rectOutput).max(MAX_CHANGED_RECTS).describe("What changed, desktop pixels."),
  settle_ms: z.number(),
  generation_before: z.int(),
  generation_after: z.int().describe("Pass it to take_screenshot as if_changed_since."),
};

export function effectOutput(effect: Effect): {
  changed: boolean | null;
  changed_rects: { x: number; y: number; width: number; height: number }[];
  settle_ms: number;
  generation_before: number;
  generation_after: number;
} {
  return {
    changed: effect.changed,
    changed_rects: effect.changedRects
      .slice(0, MAX_CHANGED_RECTS)
      .map(({ x, y, width, height }) => ({ x, y, width, height })),
    settle_ms: effect.settleMs,
    generation_before: effect.generationBefore,
    generation_after: effect.generationAfter,
  };
}

/** The effect in words, for models without structured output. */
export function effectText(effect: Effect): string {
  const generation = `generation ${effect.generationAfter}`;
  if (effect.changed === null) return `Whether the screen changed is not known (${generation}).`;
  if (!effect.changed) return `The screen did not change (${generation}).`;
  const count = effect.changedRects.length;
  return `The screen changed in ${count} ${count === 1 ? "place" : "places"}, settled after ${Math.round(effect.settleMs)} ms (${generation}).`;
}
