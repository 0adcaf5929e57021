import * as z from "zod";
import type { Edit, Effect } from "../../desktop/control/action.ts";
import { AFTER_PART, RefusedError, refusedMidway } from "../../desktop/error.ts";
import { FITS } from "../../desktop/view.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { doStep, letGo, type StepPorts } from "../computer/do-step.ts";
import { type Step, VENDORS, type VendorAction } from "../computer/step.ts";
import { readVendorActions } from "../computer/vendor-actions.ts";
import {
  editedBy,
  editedField,
  editedText,
  returnScreenshotField,
  screenshotErrorField,
  show,
  tellEffect,
  unverifiedFields,
  unverifiedOutput,
  unverifiedText,
} from "../tool/acting.ts";
import {
  describeScreenshot,
  imageOf,
  keepScreenshot,
  type ScreenshotOutput,
  STALE_TEXT,
  screenshotOutput,
} from "../tool/capture.ts";
import {
  lenientMapperFor,
  mapperFor,
  placeText,
  positionOutput,
  spaceFields,
} from "../tool/coordinate-mapper.ts";
import { explain, type ToolError, toolErrorSchema } from "../tool/error.ts";
import {
  confirmationField,
  connectionIdField,
  effectFields,
  effectTimeoutField,
  intentField,
  LISTED_AS,
  timestampField,
} from "../tool/fields.ts";
import { joinEffects } from "../tool/joined-effect.ts";
import { performOptions } from "../tool/perform-options.ts";
import type { McpDesktop } from "../tool/ports.ts";
import { defineTool, type ToolContext, type ToolImage } from "../tool/tool.ts";

/** A member of a vendor's object: checked by that vendor's own schema, which says what is wrong with it. */
const verbatim = (description: string) => z.unknown().optional().describe(description);
/** As `verbatim`, of what the vendor's model was taught by this name. */
const taught = (description: string) => verbatim(description).meta({ ...LISTED_AS.bare, description });
/** As `verbatim`, of what comes with a vendor's object and says nothing here. */
const unused = (description: string) => verbatim(description).meta({ ...LISTED_AS.never, description });

const doneOutput = z.object({
  action: z.string().describe("As the vendor calls it."),
  position: positionOutput.nullable().describe("Where it was, where it has a place."),
  was_confirmed: z.boolean(),
  edited: editedField,
  ...unverifiedFields,
  not_typed: z.array(z.string()).describe("Characters that no key can make."),
  effect: z.object(effectFields).nullable().describe("null for what touches nothing."),
});

const stepOutput = z.object({ step: z.string(), position: positionOutput.nullable() });

const failedOutput = toolErrorSchema.extend({
  index: z.int(),
  action: z.string(),
  steps: z.array(stepOutput).describe("Done of that action before the step that failed, in order."),
});

export const computer = defineTool({
  name: "computer",
  title: "Computer",
  description:
    'Takes the action object of a computer-use model as it is. Anthropic: {action: "left_click", coordinate: [x, y]} or a ' +
    'tool_use block {name, input}. OpenAI: {type: "click", x, y, button} or {actions: [...]}. Gemini: {name: "click", ' +
    "args: {x, y, intent}} with 0 to 999. Coordinates are of screenshot_id, else of the last whole screen that computer " +
    "returned (before any: your latest), else desktop pixels. A list stops at its first failure.",
  effect: "input",
  input: z.strictObject({
    action: verbatim("Anthropic's name of the action; in an OpenAI computer_call its object."),
    coordinate: taught("Anthropic: [x, y]."),
    start_coordinate: taught("Anthropic: [x, y]."),
    text: verbatim("Text to type; Anthropic: keys too."),
    repeat: taught("Anthropic."),
    duration: taught("Anthropic: seconds."),
    scroll_direction: taught("Anthropic."),
    scroll_amount: taught("Anthropic: notches."),
    region: taught("Anthropic: [x0, y0, x1, y1]."),
    type: verbatim("OpenAI's kind of action; or tool_use, function_call, computer_call around one."),
    x: taught("OpenAI: pixels."),
    y: taught("OpenAI: pixels."),
    button: taught("OpenAI."),
    keys: taught("OpenAI."),
    path: taught("OpenAI: points."),
    scroll_x: taught("OpenAI: pixels."),
    scroll_y: taught("OpenAI: pixels."),
    actions: verbatim("Action objects in order."),
    name: verbatim("Gemini's and Anthropic's name of the call."),
    args: taught("Gemini's arguments."),
    arguments: taught("Gemini's, of the Interactions API."),
    input: taught("Anthropic's arguments."),
    id: unused("The vendor's id of the call; not used."),
    call_id: unused("The vendor's id of the call; not used."),
    status: unused("OpenAI's state of the call; not used."),
    toolset_name: unused("Anthropic's name of the toolset; not used."),
    caller: unused("Anthropic's caller of the tool; not used."),
    pending_safety_checks: verbatim("OpenAI: a human is asked first."),
    require_user_confirmation: confirmationField,
    intent: intentField,
    effect_timeout_ms: effectTimeoutField,
    return_screenshot: returnScreenshotField,
    fit: z
      .enum(FITS)
      .optional()
      .describe(
        "Shrinks images to what that model sees unshrunk. Default claude for Anthropic's actions, else none.",
      ),
    screenshot_id: spaceFields.screenshot_id,
    connection_id: connectionIdField,
  }),
  output: z.object({
    success: z.boolean().describe("Every action was done, and in full."),
    vendor: z.enum(VENDORS),
    timestamp: timestampField,
    done: z.array(doneOutput),
    failed: failedOutput
      .nullable()
      .describe("The action at which a list stopped, or that was done in part, and why."),
    screenshots: z.array(screenshotOutput).describe("Of the image blocks, in their order."),
    screenshot_error: screenshotErrorField,
  }),
  async handle(args, context) {
    const {
      require_user_confirmation,
      intent,
      effect_timeout_ms,
      return_screenshot,
      fit: wantedFit,
      screenshot_id,
      connection_id,
      ...given
    } = args;
    const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const actions = readVendorActions(present);
    const [first] = actions;
    const fit = wantedFit ?? (first?.vendor === "anthropic" ? "claude" : "none");
    const desktop = await context.readyDesktop(connection_id);
    context.count("input", desktop, actions.length - 1);
    const run = new Run(desktop, context);
    for (const [index, action] of actions.entries()) {
      const options = performOptions(
        {
          effect_timeout_ms,
          require_user_confirmation: (require_user_confirmation ?? false) || action.mustConfirm,
          intent: action.intent ?? intent,
        },
        context.signal,
      );
      run.begin();
      try {
        context.signal.throwIfAborted();
        const mapperOf = action.steps.some(hasPlace) ? mapperFor : lenientMapperFor;
        const mapper = mapperOf({ space: action.space, screenshot_id }, desktop, context, "computer");
        await run.do(action, {
          desktop,
          mapper,
          context,
          fit,
          perform: (step) => desktop.perform(step, context.actor, options),
        });
      } catch (error) {
        const told = run.explain(error, action);
        // A list tells where it stopped, and so does an action that was done in part; else it is refused as every tool is.
        if (told === null || (actions.length === 1 && !run.isHalfway)) throw error;
        run.failed = { index, action: action.name, ...told, steps: run.steps };
        break;
      }
    }
    const isShown = return_screenshot === "after_stable" || (return_screenshot === "diff" && run.hasActed);
    const shown =
      isShown && run.images.length === 0
        ? await show(context, desktop, run.effect, return_screenshot, { role: "computer", fit })
        : null;
    if (shown?.screenshot != null) run.screenshots.push(shown.screenshot);
    if (shown !== null) run.images.push(...shown.images);
    return {
      output: {
        success: run.failed === null && run.isWhole,
        vendor: first?.vendor ?? "anthropic",
        timestamp: context.date().getTime(),
        done: run.done,
        failed: run.failed,
        screenshots: run.screenshots,
        ...shown?.failure,
      },
      text: `${run.text}${shown?.text ?? ""}`,
      images: run.images,
      ...(run.area === undefined ? {} : { area: run.area }),
    };
  },
});

/** What a call of several actions has come to so far. */
class Run {
  readonly done: z.input<typeof doneOutput>[] = [];
  readonly screenshots: ScreenshotOutput[] = [];
  readonly images: ToolImage[] = [];
  /** What the last image shows, where it is a part. */
  area: Rect | undefined;
  failed: (z.input<typeof failedOutput> & ToolError) | null = null;
  /** What is done already of the action that is done now, or failed. */
  steps: z.input<typeof stepOutput>[] = [];
  /** One of `steps` did something to the desktop. */
  isHalfway = false;
  /** All that was done was done in full. */
  isWhole = true;
  readonly #effects: Effect[] = [];
  #isStale = false;
  readonly #desktop: McpDesktop;
  readonly #context: ToolContext;

  constructor(desktop: McpDesktop, context: ToolContext) {
    this.#desktop = desktop;
    this.#context = context;
  }

  get hasActed(): boolean {
    return this.#effects.length > 0;
  }

  /** Of all actions together; null for what was not waited for. */
  get effect(): Effect {
    return joinEffects(this.#effects, this.#desktop);
  }

  /** Another action is done from here on. */
  begin(): void {
    this.steps = [];
    this.isHalfway = false;
  }

  /** As `explain`, with the steps that the action did before one of them failed. */
  explain(error: unknown, action: VendorAction): ToolError | null {
    const { signal } = this.#context;
    if (!this.isHalfway) return explain(error, signal);
    const before = { steps: this.steps.length, of: action.steps.length };
    const isWholeStep = error instanceof RefusedError && error.done === null;
    const told = explain(isWholeStep ? refusedMidway(error, before) : error, signal);
    if (told === null || isWholeStep) return told;
    const { done = null } = told;
    // `of` is of the step that was begun, where one was.
    const all = done === null ? before : { ...done, steps: before.steps, of_steps: before.of };
    return { ...told, hint: AFTER_PART, done: all };
  }

  /** Does one action; what it pressed by itself is let go where it ends before it let go. */
  async do(action: VendorAction, ports: StepPorts): Promise<void> {
    try {
      await this.#steps(action, ports);
    } catch (error) {
      if (this.isHalfway && isPressAndRelease(action.steps)) await letGo(ports);
      throw error;
    }
  }

  async #steps(action: VendorAction, ports: StepPorts): Promise<void> {
    let effect: Effect | null = null;
    let position: z.input<typeof positionOutput> | null = null;
    let wasConfirmed = false;
    const notTyped: string[] = [];
    let unverified: string | null = null;
    let edit: Edit | undefined;
    for (const step of action.steps) {
      const stepped = await doStep(step, ports);
      if (stepped.result !== null) {
        const { effect: own } = stepped.result;
        effect = effect === null ? own : joinEffects([effect, own], this.#desktop);
        this.#effects.push(own);
        this.isHalfway = true;
        wasConfirmed ||= stepped.result.wasConfirmed;
        notTyped.push(...stepped.result.notTyped);
        this.isWhole &&= stepped.result.wasNeeded && stepped.result.notTyped.length === 0;
        unverified = stepped.result.unverified ?? unverified;
        edit = stepped.result.edit ?? edit;
      }
      const at = stepped.position === null ? null : ports.mapper.echo(stepped.position);
      position = at ?? position;
      this.steps.push({ step: step.kind, position: at });
      if (stepped.picture !== null) {
        const { snapshot, role } = stepped.picture;
        this.screenshots.push(
          describeScreenshot(keepScreenshot(this.#context, this.#desktop, snapshot, role)),
        );
        this.images.push(imageOf(snapshot));
        this.area = role === "detail" ? snapshot.region : undefined;
        this.#isStale ||= snapshot.isStale;
      }
    }
    this.done.push({
      action: action.name,
      position,
      was_confirmed: wasConfirmed,
      edited: editedBy(edit),
      not_typed: notTyped,
      ...unverifiedOutput(unverified),
      effect: effect === null ? null : tellEffect(this.#context, this.#desktop, effect),
    });
  }

  get text(): string {
    const lines = this.done.map(({ action, position, effect, edited, not_typed, unverified_reason }) => {
      const at = position === null ? "" : ` at ${placeText(position)}`;
      const changed = effect?.changed === true ? ", the screen changed" : "";
      const same = effect?.changed === false ? ", nothing changed" : "";
      const missing = not_typed.length;
      const lost =
        missing === 0 ? "" : `, ${missing} ${missing === 1 ? "character" : "characters"} could not be typed`;
      const doubt = unverifiedText(unverified_reason ?? null);
      return `${editedText(edited)}${action}${at}${changed}${same}${lost}.${doubt}`;
    });
    if (this.#isStale) lines.push(STALE_TEXT);
    if (this.failed !== null) {
      const { index, action, code, message, hint, done } = this.failed;
      const steps = this.steps.map(
        ({ step, position }) => `${step}${position === null ? "" : ` at ${placeText(position)}`}`,
      );
      const half = this.isHalfway ? ` after ${steps.join(", ")}` : "";
      const next = done === undefined ? "" : ` ${hint}.`;
      lines.push(`Stopped at actions.${index} (${action})${half}: ${code}: ${message}.${next}`);
    }
    return lines.join(" ");
  }
}

/** Whether it has coordinates, which mean something in their image only. */
function hasPlace(step: Step): boolean {
  switch (step.kind) {
    case "move":
    case "drag":
    case "zoom":
      return true;
    case "click":
    case "button":
    case "scroll":
      return step.at !== null;
    default:
      return false;
  }
}

/** A long press. */
function isPressAndRelease(steps: readonly Step[]): boolean {
  return [true, false].every((isDown) =>
    steps.some((step) => step.kind === "button" && step.isDown === isDown),
  );
}
