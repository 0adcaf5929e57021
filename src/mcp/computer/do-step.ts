import type { Action, ActionResult } from "../../desktop/control/action.ts";
import { RefusedError, refusedMidway } from "../../desktop/error.ts";
import type { Fit, Snapshot } from "../../desktop/view.ts";
import type { Point } from "../../framebuffer/rect.ts";
import { delay } from "../../platform/clock.ts";
import type { CoordinateMapper } from "../tool/coordinate-mapper.ts";
import { notchesOf } from "../tool/notches.ts";
import { pointerOf, toldPlace } from "../tool/pointer-place.ts";
import type { McpDesktop } from "../tool/ports.ts";
import type { ToolContext } from "../tool/tool.ts";
import { pressing } from "../tools/press-keys.ts";
import type { Step } from "./step.ts";

/** What one step came to. */
export interface StepResult {
  /** null for steps that touch nothing. */
  readonly result: ActionResult | null;
  /** Where it was, desktop pixels. */
  readonly position: Point | null;
  readonly picture: { readonly snapshot: Snapshot; readonly role: "computer" | "detail" } | null;
}

const NOTHING: StepResult = { result: null, position: null, picture: null };

/** How steps are done: `perform` is the desktop's one door, with the caller's options. */
export interface StepPorts {
  readonly desktop: McpDesktop;
  readonly mapper: CoordinateMapper;
  readonly context: ToolContext;
  /** Of screenshots and zooms. */
  readonly fit: Fit;
  perform(action: Action): Promise<ActionResult>;
}

/** Does one step; throws what the door throws. */
export async function doStep(step: Step, ports: StepPorts): Promise<StepResult> {
  const { desktop, mapper, context, fit } = ports;
  switch (step.kind) {
    case "cursor":
      return { ...NOTHING, position: pointerOf(desktop) };
    case "wait":
      try {
        await delay(context.clock, step.durationMs, context.signal);
      } catch (cause) {
        throw new RefusedError("cancelled", "the call was cancelled", { cause });
      }
      return NOTHING;
    case "screenshot": {
      context.count("screenshot", desktop, 1);
      const snapshot = await desktop
        .view("agent")
        .snapshot({ fit, signal: context.signal, ownerId: context.principal.id });
      return { ...NOTHING, picture: { snapshot, role: "computer" } };
    }
    case "zoom": {
      const { from, to } = step;
      if (!(to.x > from.x && to.y > from.y)) {
        const got = `${from.x},${from.y} to ${to.x},${to.y}`;
        throw new RefusedError("invalid_parameters", `got the region ${got}, expected x0 < x1 and y0 < y1`);
      }
      const region = mapper.rect({
        x: Math.floor(from.x),
        y: Math.floor(from.y),
        width: Math.ceil(to.x) - Math.floor(from.x),
        height: Math.ceil(to.y) - Math.floor(from.y),
      });
      context.count("screenshot", desktop, 1);
      const snapshot = await desktop
        .view("agent")
        .snapshot({ region, fit, signal: context.signal, ownerId: context.principal.id });
      return { ...NOTHING, picture: { snapshot, role: "detail" } };
    }
    default:
      return doInput(step, ports);
  }
}

/** Lets go of everything, whatever became of the call: nobody comes back for what its action pressed. */
export async function letGo({ desktop, context }: StepPorts): Promise<void> {
  // A person who took over, or a stop, has let go of it already.
  await desktop.perform({ kind: "release" }, context.actor, { effectTimeoutMs: 0 }).catch(() => undefined);
}

type InputStep = Exclude<Step, { kind: "cursor" | "wait" | "screenshot" | "zoom" }>;

async function doInput(step: InputStep, ports: StepPorts): Promise<StepResult> {
  const { perform } = ports;
  if (step.kind === "move" && step.held !== null) {
    // Moving has no held keys of its own: they go down before it and come up after it.
    const { keysyms, name } = step.held;
    const hold = { kind: "hold", keysyms, name } as const;
    await perform({ ...hold, isDown: true });
    try {
      const moved = await doInput({ ...step, held: null }, ports);
      await perform({ ...hold, isDown: false });
      return moved;
    } catch (error) {
      await letGo(ports);
      // The keys went down, whatever became of the way: a menu may be open for it.
      const isWhole = error instanceof RefusedError && error.done === null;
      throw isWhole ? refusedMidway(error, { steps: 1, of: 3 }) : error;
    }
  }
  const action = actionOf(step, ports.mapper, ports.desktop);
  const result = await perform(action);
  return { ...NOTHING, result, position: toldPlace(ports.desktop, namedBy(action), result.position) };
}

/** Where an action ends, where its caller said so. */
function namedBy(action: Action): Point | null {
  if (action.kind === "drag") return action.path.at(-1) ?? null;
  if (!("x" in action) || action.x === null || action.y === null) return null;
  return { x: action.x, y: action.y };
}

function actionOf(step: InputStep, mapper: CoordinateMapper, desktop: McpDesktop): Action {
  const place = (at: Point | null): { x: number | null; y: number | null } =>
    at === null ? { x: null, y: null } : mapper.point(at);
  switch (step.kind) {
    case "click": {
      const { button, clicks, held } = step;
      return { kind: "click", ...place(step.at), button, clicks, holdKeysyms: held?.keysyms ?? [] };
    }
    case "move":
      return { kind: "move", ...mapper.point(step.at) };
    case "button":
      return { kind: "button", ...place(step.at), button: step.button, isDown: step.isDown };
    case "drag": {
      const path = step.path.map((point) => mapper.point(point));
      const whole = path.length === 1 ? [pointerOf(desktop), ...path] : path;
      const holdKeysyms = step.held?.keysyms ?? [];
      return { kind: "drag", path: whole, button: "left", holdKeysyms, durationMs: null };
    }
    case "scroll": {
      const { region } = mapper.framing;
      const middle = {
        x: region.x + (region.width >> 1),
        y: region.y + (region.height >> 1),
      };
      const at = step.at === "middle" ? middle : place(step.at);
      const isShare = step.unit === "thousandths";
      const unit = step.unit === "notches" ? "notches" : "pixels";
      const notchesX = notchesOf(isShare ? (step.dx * region.width) / 1000 : step.dx, unit);
      const notchesY = notchesOf(isShare ? (step.dy * region.height) / 1000 : step.dy, unit);
      return { kind: "scroll", ...at, notchesX, notchesY, holdKeysyms: step.held?.keysyms ?? [] };
    }
    case "keys":
      return pressing(step.chords, step.repeat, step.holdMs);
    case "hold":
      return { kind: "hold", keysyms: step.chord.keysyms, name: step.chord.name, isDown: step.isDown };
    case "type":
      return {
        kind: "type",
        text: step.text,
        wordsPerMinute: null,
        clearExisting: step.clearExisting,
      };
  }
}
