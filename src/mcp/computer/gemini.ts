import * as z from "zod";
import type { Button } from "../../desktop/control/action.ts";
import { RefusedError } from "../../desktop/error.ts";
import { chordOf, parseChord } from "../model/key-chord.ts";
import { durationOf, keyList, keyText, read, typedText, unknownAction } from "./read.ts";
import type { Step, VendorAction } from "./step.ts";

/*
 * Gemini's computer use: function calls {name, args}, with coordinates from 0 to 999 whatever the screen's size, a
 * text `intent`, and a `safety_decision`. The names of ENVIRONMENT_DESKTOP, _BROWSER and _MOBILE and those of the
 * 2.5 preview as ai.google.dev/gemini-api/docs/computer-use lists them (November 2026); the npm package does not.
 */

const grid = z
  .number()
  .min(0)
  .max(1000)
  .transform((value) => Math.round(value));
const at = { y: grid, x: grid };

/** What every call may carry beside its own fields. */
const COMMON = z.object({
  intent: z.string().max(2000).optional(),
  safety_decision: z
    .object({ decision: z.string().max(100).optional(), explanation: z.string().max(2000).optional() })
    .nullish(),
});

const DIRECTIONS = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] } as const;
const direction = z.enum(["up", "down", "left", "right"]);
const seconds = z.number().min(0).max(100_000);

const nothing = z.strictObject({});

const READERS: Readonly<Record<string, (args: unknown) => Step[]>> = {
  click: (args) => clicking(args, "left", 1),
  double_click: (args) => clicking(args, "left", 2),
  triple_click: (args) => clicking(args, "left", 3),
  middle_click: (args) => clicking(args, "middle", 1),
  right_click: (args) => clicking(args, "right", 1),
  click_at: (args) => clicking(args, "left", 1),
  mouse_down: (args) => pressing(args, true),
  mouse_up: (args) => pressing(args, false),
  move: moving,
  hover_at: moving,
  long_press: (args) => {
    const fields = z.strictObject({ ...at, seconds: seconds.optional() });
    const { x, y, seconds: held } = read(fields, args);
    return [
      { kind: "button", at: { x, y }, button: "left", isDown: true },
      { kind: "wait", durationMs: durationOf(held ?? 2) },
      { kind: "button", at: { x, y }, button: "left", isDown: false },
    ];
  },
  type: (args) => {
    const fields = z.strictObject({ text: typedText, press_enter: z.boolean().optional() });
    const { text, press_enter } = read(fields, args);
    return [typing(text, press_enter ?? false, false)];
  },
  type_text_at: (args) => {
    const fields = z.strictObject({
      ...at,
      text: typedText,
      press_enter: z.boolean().optional(),
      clear_before_typing: z.boolean().optional(),
    });
    const { x, y, text, press_enter, clear_before_typing } = read(fields, args);
    return [
      { kind: "click", at: { x, y }, button: "left", clicks: 1, held: null },
      typing(text, press_enter ?? true, clear_before_typing ?? true),
    ];
  },
  drag_and_drop: (args) => {
    const before = z.strictObject({ ...at, destination_y: grid, destination_x: grid }).safeParse(args);
    // The 2.5 preview's names; the faults of a call that is neither are told by the current ones.
    if (before.success) {
      const { x, y, destination_x, destination_y } = before.data;
      return dragging(x, y, destination_x, destination_y);
    }
    const now = z.strictObject({ start_y: grid, start_x: grid, end_y: grid, end_x: grid });
    const { start_x, start_y, end_x, end_y } = read(now, args);
    return dragging(start_x, start_y, end_x, end_y);
  },
  wait: (args) => {
    const { seconds: waited } = read(z.strictObject({ seconds: seconds.optional() }), args);
    return [{ kind: "wait", durationMs: durationOf(waited ?? 1) }];
  },
  wait_5_seconds: (args) => {
    read(nothing, args);
    return [{ kind: "wait", durationMs: 5000 }];
  },
  press_key: (args) => {
    const { key } = read(z.strictObject({ key: keyText }), args);
    return [{ kind: "keys", chords: [parseChord(key)], repeat: 1, holdMs: 0 }];
  },
  key_down: (args) => holding(args, true),
  key_up: (args) => holding(args, false),
  hotkey: (args) => {
    const { keys } = read(z.strictObject({ keys: keyList }), args);
    return [{ kind: "keys", chords: [chordOf(keys)], repeat: 1, holdMs: 0 }];
  },
  key_combination: (args) => {
    const { keys } = read(z.strictObject({ keys: keyText }), args);
    return [{ kind: "keys", chords: [parseChord(keys)], repeat: 1, holdMs: 0 }];
  },
  take_screenshot: (args) => {
    read(nothing, args);
    return [{ kind: "screenshot" }];
  },
  scroll: (args) => {
    const magnitude_in_pixels = z.number().min(0).max(10_000).optional();
    const {
      x,
      y,
      direction: to,
      magnitude_in_pixels: pixels,
    } = read(z.strictObject({ ...at, direction, magnitude_in_pixels }), args);
    return [scrolling({ x, y }, to, pixels ?? 300, "pixels")];
  },
  scroll_at: (args) => {
    const fields = z.strictObject({ ...at, direction, magnitude: grid.optional() });
    const { x, y, direction: to, magnitude } = read(fields, args);
    return [scrolling({ x, y }, to, magnitude ?? 800, "thousandths")];
  },
  scroll_document: (args) => {
    const { direction: to } = read(z.strictObject({ direction }), args);
    return [scrolling("middle", to, 800, "thousandths")];
  },
  go_back: (args) => pressed(args, "alt+left"),
  go_forward: (args) => pressed(args, "alt+right"),
};

/** Known, and refused: what a remote screen cannot do by itself. */
const REFUSED: Readonly<Record<string, string>> = {
  open_web_browser: "a desktop has no one browser: click its icon",
  navigate: "a desktop has no address: press ctrl+l in the browser, then type the address",
  search: "a desktop has no search page: open one in the browser",
  open_app: "a desktop's programs are opened by its own menus: click them",
  list_apps: "a remote screen does not say which programs there are: look at its menus",
};

export const GEMINI_ACTIONS: readonly string[] = [...Object.keys(READERS), ...Object.keys(REFUSED)];

/** Throws ArgumentsError, or RefusedError invalid_parameters or not_supported. */
export function readGemini(name: string, args: unknown): VendorAction {
  const reason = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined;
  if (reason !== undefined)
    throw new RefusedError("not_supported", `${name} is not supported, because ${reason}`);
  const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  if (reader === undefined) throw unknownAction(name, GEMINI_ACTIONS);
  const { intent, safety_decision } = read(COMMON, args ?? {});
  const explanation = safety_decision?.explanation;
  const why = [intent, explanation].filter((text) => text !== undefined && text !== "").join("; ");
  // "regular" and "allowed" need nobody; whatever else a newer model says does.
  const decision = safety_decision?.decision?.toLowerCase() ?? "regular";
  return {
    vendor: "gemini",
    name,
    space: "normalized_1000",
    steps: reader(withoutCommon(args ?? {})),
    intent: why === "" ? null : why.slice(0, 500),
    mustConfirm: decision !== "regular" && decision !== "allowed",
  };
}

function withoutCommon(args: unknown): unknown {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return args;
  return Object.fromEntries(
    Object.entries(args).filter(([key]) => key !== "intent" && key !== "safety_decision"),
  );
}

function clicking(args: unknown, button: Button, clicks: number): Step[] {
  const { x, y } = read(z.strictObject(at), args);
  return [{ kind: "click", at: { x, y }, button, clicks, held: null }];
}

function pressing(args: unknown, isDown: boolean): Step[] {
  const { x, y } = read(z.strictObject(at), args);
  return [{ kind: "button", at: { x, y }, button: "left", isDown }];
}

function moving(args: unknown): Step[] {
  const { x, y } = read(z.strictObject(at), args);
  return [{ kind: "move", at: { x, y }, held: null }];
}

function dragging(fromX: number, fromY: number, toX: number, toY: number): Step[] {
  const path = [
    { x: fromX, y: fromY },
    { x: toX, y: toY },
  ];
  return [{ kind: "drag", path, held: null }];
}

function typing(text: string, hasEnter: boolean, clearExisting: boolean): Step {
  return { kind: "type", text: hasEnter ? `${text}\n` : text, clearExisting };
}

function holding(args: unknown, isDown: boolean): Step[] {
  const { key } = read(z.strictObject({ key: keyText }), args);
  return [{ kind: "hold", chord: parseChord(key), isDown }];
}

function pressed(args: unknown, chord: string): Step[] {
  read(nothing, args);
  return [{ kind: "keys", chords: [parseChord(chord)], repeat: 1, holdMs: 0 }];
}

function scrolling(
  where: Extract<Step, { kind: "scroll" }>["at"],
  to: z.output<typeof direction>,
  amount: number,
  unit: "pixels" | "thousandths",
): Step {
  const [right, down] = DIRECTIONS[to];
  return { kind: "scroll", at: where, dx: right * amount, dy: down * amount, unit, held: null };
}
