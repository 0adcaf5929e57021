import * as z from "zod";
import type { Action, ActionResult, Edit, Effect } from "../desktop/action.ts";
import type { Fit } from "../desktop/view.ts";
import { equalRects, intersectRects, isEmptyRect, type Rect, rectOfSize } from "../framebuffer/rect.ts";
import { Region } from "../framebuffer/region.ts";
import {
  describeScreenshot,
  imageOf,
  keepScreenshot,
  type ScreenshotOutput,
  screenshotOutput,
} from "./capture.ts";
import { explain, type ToolError, toolErrorSchema } from "./error.ts";
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

export const screenshotErrorField = toolErrorSchema
  .optional()
  .describe("Why the image of return_screenshot is missing. What was done is done: do not do it again.");

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
  screenshot_error: screenshotErrorField,
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
    screenshot_error?: ToolError;
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
      ...shown.failure,
    },
    text: `${editedText(result.edit)}${effectText(result.effect)}${shown.text}`,
    images: shown.image === null ? {} : { image: shown.image },
  };
}

/** The picture after an action. */
export interface Shown {
  readonly screenshot: ScreenshotOutput | null;
  readonly image: ToolImage | null;
  /** To spread into the output: why a picture that was asked for is missing. */
  readonly failure: { readonly screenshot_error?: ToolError };
  /** Which picture it is, or why there is none, with a space before; empty where none was asked for. */
  readonly text: string;
}

const NOTHING_SHOWN: Shown = { screenshot: null, image: null, failure: {}, text: "" };

/**
 * The picture after an action; nothing for `diff` where nothing changed. A refusal is told and not thrown, for who gets
 * an error does again what was done.
 */
export async function show(
  context: ToolContext,
  desktop: McpDesktop,
  effect: Effect,
  returned: Returned,
  fit: Fit = "none",
): Promise<Shown> {
  if (returned === "none" || (returned === "diff" && effect.changed === false)) return NOTHING_SHOWN;
  try {
    return await shoot(context, desktop, returned === "diff" ? effect : null, fit);
  } catch (cause) {
    const error = explain(cause, context.signal);
    if (error === null) throw cause;
    const text = ` The image is missing: ${error.code}: ${error.message}. ${error.hint}.`;
    return { ...NOTHING_SHOWN, failure: { screenshot_error: error }, text };
  }
}

/** `part`: only what this effect changed; null for the whole screen. */
async function shoot(
  context: ToolContext,
  desktop: McpDesktop,
  part: Effect | null,
  fit: Fit,
): Promise<Shown> {
  const view = desktop.view("agent");
  const request = { stableMs: STABLE_MS, signal: context.signal };
  // First at rest, then looked at: what still moved meanwhile belongs to it.
  await view.snapshot({ ...request, region: { x: 0, y: 0, width: 1, height: 1 } });
  // By now it may have another size than when the action began.
  const whole = rectOfSize(desktop.size);
  const region = part === null ? whole : changedPart(part, whole);
  context.count("screenshot", desktop, 1);
  const snapshot = await view.snapshot({ signal: context.signal, region, fit });
  const role = equalRects(region, whole) ? "screen" : "detail";
  const screenshot = describeScreenshot(keepScreenshot(context, desktop, snapshot, role));
  const { x, y, width, height } = region;
  const text = ` The image shows ${width}x${height} at ${x},${y}, screenshot_id ${screenshot.screenshot_id}.`;
  return { screenshot, image: imageOf(snapshot), failure: {}, text };
}

/** All of it where it is not known what changed. */
function changedPart(effect: Effect, whole: Rect): Rect {
  const part = intersectRects(Region.from(effect.changedRects).bounds, whole);
  return isEmptyRect(part) ? whole : part;
}
