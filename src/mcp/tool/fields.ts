import * as z from "zod";
import type { Effect } from "../../desktop/control/action.ts";
import { coverOf } from "../../framebuffer/cover.ts";
import type { Rect } from "../../framebuffer/rect.ts";

/** Fields that several tools share, on the wire. */

/** A pixel; models and layouts have fractions, which mean the pixel next to them. */
export const coordinate = z.number().min(0).max(65_535);
const extent = z.number().min(1).max(65_535);

/**
 * In a field's meta: what `tools/list` leaves out of it. All of it is still taken, checked, and told in docs/tools.md.
 * outline: what is in it, where its text or another tool says it. bare: its text, where the name says it to who uses it.
 * never: the field.
 */
export const LISTED_AS = {
  outline: { listed: "outline" },
  bare: { listed: "bare" },
  never: { listed: "never" },
} as const;

export const connectionIdField = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe("Which desktop, of list_connections. Default: your active one.");

export const monitorIndexField = z
  .int()
  .min(0)
  .max(63)
  .optional()
  .describe("Coordinates begin at the corner of this monitor. Default: of the whole desktop.");

/** Clients of both SDKs give up on a call after 60 s: what takes all of that is never heard of. */
export const LONGEST_WAIT_MS = 55_000;

/** What add_anchor remembered. */
export const anchorIdField = z.string().min(1).max(200);

/** A rectangle that a caller gives. */
export const rectInput = z.strictObject({ x: coordinate, y: coordinate, width: extent, height: extent });

/** A rectangle in an answer: desktop pixels. */
export const rectOutput = z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() });

/** How far each channel of a colour may be off: whole numbers of 255, or, below 1, a share of it. */
export function toleranceField(most: number) {
  return z.number().min(0).max(most).optional();
}

/** The same of 255. */
export function toleranceOf(given: number | undefined): number | undefined {
  return given === undefined ? undefined : Math.round(given < 1 ? given * 255 : given);
}

export const displayScaleField = z
  .number()
  .nullable()
  .describe("null: a remote screen does not say how its own user scales it.");

export const timestampField = z.number().describe("Milliseconds since 1970.");

export const confirmationField = z
  .boolean()
  .optional()
  .describe("true asks a human first, whatever the mode: before anything that cannot be undone.");

export const timingField = z
  .strictObject({
    minDelayMs: z.number().min(0).max(10_000),
    maxDelayMs: z.number().min(0).max(10_000),
  })
  .refine((hint) => hint.minDelayMs <= hint.maxDelayMs, "expected minDelayMs <= maxDelayMs")
  .optional()
  .meta(LISTED_AS.outline)
  .describe("{minDelayMs, maxDelayMs}: a random pause before each click or key stroke.");

export const intentField = z
  .string()
  .max(500)
  .optional()
  .describe("Why, in a few words, without secrets: for the human who approves and for the log.");

export const effectTimeoutField = z
  .int()
  .min(0)
  .max(10_000)
  .optional()
  .describe(
    "How long to wait for an effect. Default: until it is known, at most 300, or 1700 where programs are late.",
  );

/** A long list of changes says no more than "much changed" and fills the caller's context. */
const MAX_CHANGED_RECTS = 32;

type WireRect = z.input<typeof rectOutput>;

export const effectFields = {
  changed: z
    .boolean()
    .nullable()
    .describe(
      "false: nothing but periodic_rects differs between the two generations. null: not waited for or not confirmed.",
    ),
  changed_rects: z
    .array(rectOutput)
    .max(MAX_CHANGED_RECTS)
    .describe("All else that differs between the two generations, desktop pixels."),
  periodic_rects: z
    .array(rectOutput)
    .max(MAX_CHANGED_RECTS)
    .optional()
    .describe("Small places known to change by themselves, as a caret, that did."),
  maybe_periodic: z
    .literal(true)
    .optional()
    .describe("All of changed_rects lies where the screen changed by itself before."),
  moves: z
    .array(z.object({ from: z.object({ x: z.int(), y: z.int() }), to: rectOutput }))
    .optional()
    .describe(
      "Of changed_rects what only scrolled: `to` shows what stood at `from`. Images of diff leave it out.",
    ),
  settle_ms: z.number(),
  generation_before: z.int(),
  generation_after: z
    .int()
    .describe("Pass it to take_screenshot as if_changed_since: what came later has a later one."),
};

export function effectOutput(effect: Effect): {
  changed: boolean | null;
  changed_rects: WireRect[];
  periodic_rects?: WireRect[];
  maybe_periodic?: true;
  moves?: { from: { x: number; y: number }; to: WireRect }[];
  settle_ms: number;
  generation_before: number;
  generation_after: number;
} {
  return {
    changed: effect.changed,
    changed_rects: rectsOutput(effect.changedRects),
    ...(effect.periodicRects.length === 0 ? {} : { periodic_rects: rectsOutput(effect.periodicRects) }),
    ...(effect.isMaybePeriodic ? { maybe_periodic: true } : {}),
    ...(effect.moves.length === 0 ? {} : { moves: movesOutput(effect) }),
    settle_ms: effect.settleMs,
    generation_before: effect.generationBefore,
    generation_after: effect.generationAfter,
  };
}

function movesOutput({ moves }: Effect): { from: { x: number; y: number }; to: WireRect }[] {
  return moves.map(({ fromX, fromY, to }) => ({ from: { x: fromX, y: fromY }, to: { ...to } }));
}

/** At most MAX_CHANGED_RECTS, that hold all of them. */
function rectsOutput(rects: readonly Rect[]): WireRect[] {
  const told = rects.length <= MAX_CHANGED_RECTS ? rects : coverOf(rects, MAX_CHANGED_RECTS);
  return told.map(({ x, y, width, height }) => ({ x, y, width, height }));
}

/** The effect in words, for models without structured output. */
export function effectText(effect: Effect): string {
  const generation = `generation ${effect.generationAfter}`;
  if (effect.changed === null) return `Whether the screen changed is not known (${generation}).`;
  if (!effect.changed) return `${unchangedText(effect)} (${generation}).`;
  const count = effect.changedRects.length;
  const own = effect.isMaybePeriodic ? ", where it had changed by itself before" : "";
  const moved = effect.moves.map((move) => `, ${moveText(move)}`).join("");
  return `The screen changed in ${count} ${count === 1 ? "place" : "places"}${own}${moved}, settled after ${Math.round(effect.settleMs)} ms (${generation}).`;
}

/** "what is now 800x480 at 0,40 moved up by 120" */
function moveText({ fromX, fromY, to }: Effect["moves"][number]): string {
  const [by, way] =
    fromY === to.y
      ? [to.x - fromX, to.x < fromX ? "left" : "right"]
      : [to.y - fromY, to.y < fromY ? "up" : "down"];
  return `what is now ${to.width}x${to.height} at ${to.x},${to.y} moved ${way} by ${Math.abs(by)}`;
}

function unchangedText({ periodicRects, generationBefore, generationAfter }: Effect): string {
  if (periodicRects.length > 0) return "Nothing changed but what changes by itself";
  return generationBefore === generationAfter
    ? "The screen did not change"
    : "The screen changed and is again as it was";
}
