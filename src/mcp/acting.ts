import * as z from "zod";
import type { Action, ActionResult, Edit, Effect } from "../desktop/action.ts";
import { equalRects, intersectRects, isEmptyRect, type Rect, rectOfSize } from "../framebuffer/rect.ts";
import { Region } from "../framebuffer/region.ts";
import {
  describeScreenshot,
  imageOf,
  keepScreenshot,
  type ScreenshotOutput,
  screenshotOutput,
} from "./capture.ts";
import {
  confirmationField,
  connectionIdField,
  effectFields,
  effectOutput,
  effectText,
  effectTimeoutField,
  intentField,
  timestampField,
  timingField,
} from "./fields.ts";
import { performOptions } from "./perform-options.ts";
import type { McpDesktop } from "./ports.ts";
import type { ToolContext, ToolImage } from "./tool.ts";

export const RETURNED = ["none", "after_stable", "diff"] as const;
export type Returned = (typeof RETURNED)[number];

export const returnScreenshotField = z
  .enum(RETURNED)
  .optional()
  .describe(
    "none (default). after_stable: also an image of the whole screen once it came to rest. diff: only of what changed.",
  );

/** Fields of every tool that acts. */
export const actingFields = {
  require_user_confirmation: confirmationField,
  action_timing_hint: timingField,
  intent: intentField,
  effect_timeout_ms: effectTimeoutField,
  return_screenshot: returnScreenshotField,
  connection_id: connectionIdField,
};

const editedOutput = z.object({
  text: z.string().optional(),
  x: z.int().optional(),
  y: z.int().optional(),
});

/** What a person who was asked changed of it; the one thing an agent cannot see on the screen. */
export const editedField = editedOutput
  .nullable()
  .describe("What the human who approved it changed, and what was done instead; null where nothing.");

export function editedBy(edit: Edit | undefined): z.input<typeof editedOutput> | null {
  return edit === undefined ? null : { ...edit };
}

/** The same in words, with a space behind; empty where nothing was changed. */
export function editedText(edit: z.input<typeof editedOutput> | null | undefined): string {
  if (edit === null || edit === undefined) return "";
  const instead =
    edit.text === undefined ? `at ${edit.x},${edit.y}` : `with the text ${JSON.stringify(edit.text)}`;
  return `The human who approved it changed it: it was done ${instead} instead. `;
}

/** What every tool that acts answers. */
export const actedFields = {
  success: z.boolean(),
  was_confirmed: z.boolean().describe("A human approved it."),
  edited: editedField,
  timestamp: timestampField,
  ...effectFields,
  screenshot: screenshotOutput
    .nullable()
    .describe("The image of return_screenshot; null where none was asked for or nothing changed."),
};

export interface ActingArguments {
  readonly require_user_confirmation?: boolean | undefined;
  readonly action_timing_hint?: { readonly minDelayMs: number; readonly maxDelayMs: number } | undefined;
  readonly intent?: string | undefined;
  readonly effect_timeout_ms?: number | undefined;
  readonly return_screenshot?: Returned | undefined;
}

/** The screen must have been at rest for so long before an action's picture is taken. */
const STABLE_MS = 150;

/** What an action gave back, ready for an answer. */
export interface Acted {
  readonly result: ActionResult;
  readonly output: {
    success: boolean;
    was_confirmed: boolean;
    edited: z.input<typeof editedOutput> | null;
    timestamp: number;
    screenshot: ScreenshotOutput | null;
  } & ReturnType<typeof effectOutput>;
  /** The effect in words. */
  readonly text: string;
  /** To spread into the answer. */
  readonly images: { readonly image?: ToolImage };
}

/** Does one action as the caller asked: options, effect, and the picture of afterwards. */
export async function act(
  context: ToolContext,
  desktop: McpDesktop,
  action: Action,
  args: ActingArguments,
): Promise<Acted> {
  const result = await desktop.perform(action, context.actor, performOptions(args, context.signal));
  const shown = await show(context, desktop, result.effect, args.return_screenshot ?? "none");
  return {
    result,
    output: {
      success: true,
      was_confirmed: result.wasConfirmed,
      edited: editedBy(result.edit),
      timestamp: context.date().getTime(),
      ...effectOutput(result.effect),
      screenshot: shown.screenshot,
    },
    text: `${editedText(result.edit)}${effectText(result.effect)}`,
    images: shown.image === null ? {} : { image: shown.image },
  };
}

/** The picture after an action; nothing for `diff` where nothing changed. */
export async function show(
  context: ToolContext,
  desktop: McpDesktop,
  effect: Effect,
  returned: Returned,
): Promise<{ readonly screenshot: ScreenshotOutput | null; readonly image: ToolImage | null }> {
  if (returned === "none") return { screenshot: null, image: null };
  const view = desktop.view("agent");
  const whole = rectOfSize(desktop.size);
  const request = { stableMs: STABLE_MS, signal: context.signal };
  // First at rest, then looked at: what still moved meanwhile belongs to it.
  await view.snapshot({ ...request, region: { x: 0, y: 0, width: 1, height: 1 } });
  const region = returned === "diff" ? changedPart(effect, whole) : whole;
  if (isEmptyRect(region)) return { screenshot: null, image: null };
  context.count("screenshot", desktop, 1);
  const snapshot = await view.snapshot({ signal: context.signal, region });
  const role = equalRects(region, whole) ? "screen" : "detail";
  const kept = keepScreenshot(context, desktop, snapshot, role);
  return { screenshot: describeScreenshot(kept), image: imageOf(snapshot) };
}

function changedPart(effect: Effect, whole: Rect): Rect {
  return intersectRects(Region.from(effect.changedRects).bounds, whole);
}
