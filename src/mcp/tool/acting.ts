import * as z from "zod";
import type { Action, ActionResult, Edit, Effect, Found } from "../../desktop/control/action.ts";
import type { Fit } from "../../desktop/view.ts";
import { boundRects, equalRects, rectOfSize } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import { describePicture, keepScreenshot, type ScreenshotOutput, screenshotOutput } from "./capture.ts";
import { explain, type ToolError, toolErrorSchema } from "./error.ts";
import {
  confirmationField,
  connectionIdField,
  effectFields,
  effectOutput,
  effectText,
  effectTimeoutField,
  intentField,
  LISTED_AS,
  timestampField,
  timingField,
} from "./fields.ts";
import { performOptions } from "./perform-options.ts";
import type { McpDesktop } from "./ports.ts";
import type { ToolContext, ToolImage } from "./tool.ts";
import { awaitOn } from "./wait-condition.ts";

/** The screen must have been at rest for so long before an action's picture is taken … */
const STABLE_MS = 150;
/** … and is waited for so long: what moves by then may do so for ever. */
const MAX_REST_MS = 2000;

const RETURNED = ["none", "after_stable", "diff"] as const;
export type Returned = (typeof RETURNED)[number];

export const returnScreenshotField = z
  .enum(RETURNED)
  .optional()
  .describe(
    `after_stable: also an image of the whole screen at rest, after ${MAX_REST_MS / 1000} s at most. diff: images of what changed, without moves. Default none.`,
  );

/** No doubt by itself: dialogs close when they are answered, and menus. */
const OTHERWISE =
  " What was clicked is not on the screen as it was any more: where a click does not do that, it changed before.";

/** What a press shows is painted no sooner than what was laid out before it: where it shows nothing, neither is known. */
const UNPROVEN =
  " That is no proof that it was clicked: a program may have moved it before and not painted that yet.";

/** Fields of every tool that acts. */
export const actingFields = {
  require_user_confirmation: confirmationField,
  // Listed where the specification names it and models use it: of click_at and type_text.
  action_timing_hint: timingField.meta(LISTED_AS.never),
  intent: intentField,
  // Told in the instructions: few need it, and many tools have it.
  effect_timeout_ms: effectTimeoutField.meta(LISTED_AS.never),
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
  if (edit.text === undefined && edit.x === undefined)
    return "The human who approved it changed it: how is not told, for that place is hidden from you. ";
  const instead =
    edit.text === undefined ? `at ${edit.x},${edit.y}` : `with the text ${JSON.stringify(edit.text)}`;
  return `The human who approved it changed it: it was done ${instead} instead. `;
}

/** One shape in every answer for what was sent and may not have been taken. */
export const unverifiedFields = {
  unverified: z.literal(true).optional().describe("The desktop may not have taken all of it."),
  unverified_reason: z.string().optional(),
};

export interface Unverified {
  readonly unverified?: true;
  readonly unverified_reason?: string;
}

/** To spread into an answer; empty where nothing speaks against it. */
export function unverifiedOutput(reason: string | null): Unverified {
  return reason === null ? {} : { unverified: true, unverified_reason: reason };
}

/** The same in words, with a space before. */
export function unverifiedText(reason: string | null): string {
  return reason === null ? "" : ` Unverified: ${reason}.`;
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
  ...unverifiedFields,
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
  /** See PerformOptions. */
  readonly found?: Found | undefined;
}

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
  } & Unverified &
    ReturnType<typeof effectOutput>;
  /** The effect in words. */
  readonly text: string;
  /** To spread into the answer. */
  readonly images: { readonly images?: readonly ToolImage[] };
}

/** Does one action as the caller asked: options, effect, and the picture of afterwards. */
export async function act(
  context: ToolContext,
  desktop: McpDesktop,
  action: Action,
  args: ActingArguments,
): Promise<Acted> {
  const result = await desktop.perform(action, context.actor, performOptions(args, context.signal));
  const effect = tellEffect(context, desktop, result.effect);
  const shown = await show(context, desktop, result.effect, args.return_screenshot ?? "none");
  return {
    result,
    output: {
      success: result.wasNeeded,
      was_confirmed: result.wasConfirmed,
      edited: editedBy(result.edit),
      timestamp: context.date().getTime(),
      ...effect,
      ...unverifiedOutput(result.unverified),
      screenshot: shown.screenshot,
      ...shown.failure,
    },
    text: [
      editedText(result.edit),
      effectText(result.effect),
      unverifiedText(result.unverified),
      result.looksOtherwise === true ? OTHERWISE : "",
      args.found !== undefined && result.effect.changed === false ? UNPROVEN : "",
      shown.text,
    ].join(""),
    images: shown.images.length === 0 ? {} : { images: shown.images },
  };
}

/** An effect for an answer; from here on its caller knows of it. */
export function tellEffect(
  { mcpState, principal }: ToolContext,
  desktop: McpDesktop,
  effect: Effect,
): ReturnType<typeof effectOutput> {
  mcpState.reported.compared(principal.id, desktop, effect.generationBefore, effect.generationAfter);
  return effectOutput(effect);
}

/** The picture after an action. */
export interface Shown {
  readonly screenshot: ScreenshotOutput | null;
  /** Several where the difference lies in several places. */
  readonly images: readonly ToolImage[];
  /** To spread into the output: why a picture that was asked for is missing. */
  readonly failure: { readonly screenshot_error?: ToolError };
  /** Which picture it is, or why there is none, with a space before; empty where none was asked for. */
  readonly text: string;
}

/** Whose picture of the whole screen it is, and how it is shrunk. */
export interface Whole {
  readonly role: "screen" | "computer";
  readonly fit: Fit;
}

const NOTHING_SHOWN: Shown = { screenshot: null, images: [], failure: {}, text: "" };

/**
 * The picture after an action; nothing for `diff` where nothing changed. A refusal is told and not thrown, for who gets
 * an error does again what was done.
 */
export async function show(
  context: ToolContext,
  desktop: McpDesktop,
  effect: Effect,
  returned: Returned,
  by: Whole = { role: "screen", fit: "none" },
): Promise<Shown> {
  if (returned === "none" || (returned === "diff" && effect.changed === false)) return NOTHING_SHOWN;
  try {
    return await shoot(context, desktop, effect, returned === "diff", by);
  } catch (cause) {
    const error = explain(cause, context.signal);
    if (error === null) throw cause;
    const text = ` The image is missing: ${error.code}: ${error.message}. ${error.hint}.`;
    return { ...NOTHING_SHOWN, failure: { screenshot_error: error }, text };
  }
}

/** `isDiff`: only what the effect changed, and what still changed until the picture is taken. */
async function shoot(
  context: ToolContext,
  desktop: McpDesktop,
  effect: Effect,
  isDiff: boolean,
  { role: wholeRole, fit }: Whole,
): Promise<Shown> {
  const rects = isDiff ? [...effect.changedRects, ...effect.periodicRects] : [];
  const { clock, signal } = context;
  context.count("screenshot", desktop, 1);
  const area = rects.length === 0 ? rectOfSize(desktop.size) : rects.reduce(boundRects);
  const rest = { desktop, clock, signal, region: area, timeoutMs: MAX_REST_MS };
  const { isMet } = await awaitOn(
    { ...rest, except: Region.from(effect.restlessRects) },
    { quietMs: STABLE_MS },
  );
  const changes = {
    rects: [...effect.repaintedRects, ...effect.periodicRects],
    generation: effect.generationAfter,
  };
  const snapshot = await desktop.view("agent").snapshot({
    signal,
    ownerId: context.principal.id,
    urgency: "act",
    fit,
    ...(rects.length === 0 ? {} : { changes }),
  });
  // By now the desktop may have another size than when the action began.
  const isWhole = snapshot.parts === undefined && equalRects(snapshot.region, rectOfSize(desktop.size));
  const role = isWhole ? wholeRole : "detail";
  if (rects.length > 0) {
    // It shows all that was painted since the effect, too.
    const { mcpState, principal } = context;
    mcpState.reported.compared(principal.id, desktop, effect.generationAfter, snapshot.generation);
  }
  const kept = keepScreenshot(context, desktop, snapshot, role);
  const { screenshot, images } = describePicture(kept, snapshot);
  const { x, y, width, height } = snapshot.region;
  const shows = images.length === 1 ? "image shows" : `${images.length} images are parts of`;
  const moving = isMet ? "" : " It still changes.";
  const text = ` The ${shows} ${width}x${height} at ${x},${y}, screenshot_id ${screenshot.screenshot_id}.${moving}`;
  return { screenshot, images, failure: {}, text };
}
