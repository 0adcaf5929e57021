import * as z from "zod";
import type { Button } from "../../desktop/control/action.ts";
import type { Point } from "../../framebuffer/rect.ts";
import { type Chord, parseChord } from "../model/key-chord.ts";
import { durationOf, keyText, pair, read, typedText, unknownAction } from "./read.ts";
import type { Step, VendorAction } from "./step.ts";

/*
 * Anthropic's computer tool: computer_toolset_20260801, whose members are calls of their own, and before it
 * computer_20251124, _20250124 and _20241022, which had {action, …}. The fields are the same in all of them, except
 * that the oldest left_click_drag had no start_coordinate: it begins where the pointer is.
 */

const coordinate = pair.nullish();
const click = z.strictObject({ coordinate, text: keyText.nullish() });
const nothing = z.strictObject({});
const seconds = z.number().min(0).max(100_000);
const DIRECTIONS = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] } as const;

/** Reads the fields of each member into steps. */
const READERS: Readonly<Record<string, (input: unknown) => Step[]>> = {
  key: (input) => {
    const { text, repeat } = read(
      z.strictObject({ text: keyText, repeat: z.int().min(1).max(100).nullish() }),
      input,
    );
    return [{ kind: "keys", chords: chordsOf(text), repeat: repeat ?? 1, holdMs: 0 }];
  },
  hold_key: (input) => {
    const { text, duration } = read(z.strictObject({ text: keyText, duration: seconds }), input);
    return [{ kind: "keys", chords: [parseChord(text)], repeat: 1, holdMs: durationOf(duration) }];
  },
  type: (input) => {
    const { text } = read(z.strictObject({ text: typedText }), input);
    return [{ kind: "type", text, clearExisting: false }];
  },
  cursor_position: (input) => {
    read(nothing, input);
    return [{ kind: "cursor" }];
  },
  mouse_move: (input) => {
    const { coordinate } = read(z.strictObject({ coordinate: pair }), input);
    return [{ kind: "move", at: pointOf(coordinate), held: null }];
  },
  left_mouse_down: (input) => pressing(input, true),
  left_mouse_up: (input) => pressing(input, false),
  left_click: (input) => clicking(input, "left", 1),
  right_click: (input) => clicking(input, "right", 1),
  middle_click: (input) => clicking(input, "middle", 1),
  double_click: (input) => clicking(input, "left", 2),
  triple_click: (input) => clicking(input, "left", 3),
  left_click_drag: (input) => {
    const fields = z.strictObject({
      start_coordinate: coordinate,
      coordinate: pair,
      text: keyText.nullish(),
    });
    const drag = read(fields, input);
    const start = drag.start_coordinate ?? null;
    const path = [...(start === null ? [] : [pointOf(start)]), pointOf(drag.coordinate)];
    return [{ kind: "drag", path, held: heldOf(drag.text) }];
  },
  scroll: (input) => {
    const fields = z.strictObject({
      coordinate,
      scroll_direction: z.enum(["up", "down", "left", "right"]),
      scroll_amount: z.number().min(0).max(10_000),
      text: keyText.nullish(),
    });
    const { coordinate: at, scroll_direction, scroll_amount, text } = read(fields, input);
    const [right, down] = DIRECTIONS[scroll_direction];
    return [
      {
        kind: "scroll",
        at: at == null ? null : pointOf(at),
        dx: right * scroll_amount,
        dy: down * scroll_amount,
        unit: "notches",
        held: heldOf(text),
      },
    ];
  },
  wait: (input) => {
    const { duration } = read(z.strictObject({ duration: seconds }), input);
    return [{ kind: "wait", durationMs: durationOf(duration) }];
  },
  screenshot: (input) => {
    read(nothing, input);
    return [{ kind: "screenshot" }];
  },
  zoom: (input) => {
    const corner = z.number().min(0).max(65_535);
    const { region } = read(z.strictObject({ region: z.tuple([corner, corner, corner, corner]) }), input);
    const [x0, y0, x1, y1] = region;
    return [{ kind: "zoom", from: { x: x0, y: y0 }, to: { x: x1, y: y1 } }];
  },
};

export const ANTHROPIC_ACTIONS: readonly string[] = Object.keys(READERS);

/** Throws ArgumentsError or RefusedError invalid_parameters. */
export function readAnthropic(name: string, input: unknown): VendorAction {
  const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  if (reader === undefined) throw unknownAction(name, ANTHROPIC_ACTIONS);
  return {
    vendor: "anthropic",
    name,
    space: "image",
    steps: reader(withoutUnused(input)),
    intent: null,
    mustConfirm: false,
  };
}

/** The older tools had one schema for all actions, so that models send fields an action has no use for as null. */
function withoutUnused(input: unknown): unknown {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

function clicking(input: unknown, button: Button, clicks: number): Step[] {
  const { coordinate: at, text } = read(click, input);
  return [{ kind: "click", at: at == null ? null : pointOf(at), button, clicks, held: heldOf(text) }];
}

function pressing(input: unknown, isDown: boolean): Step[] {
  // The older tools' schema let a coordinate come with it.
  const { coordinate: at } = read(z.strictObject({ coordinate }), input);
  return [{ kind: "button", at: at == null ? null : pointOf(at), button: "left", isDown }];
}

function pointOf([x, y]: readonly [number, number]): Point {
  return { x, y };
}

function heldOf(text: string | null | undefined): Chord | null {
  return text == null ? null : parseChord(text);
}

/** xdotool, whose syntax this is, takes several chords apart by spaces. */
function chordsOf(text: string): Chord[] {
  const parts = text.trim().split(/\s+/);
  return parts.length > 1 ? parts.map(parseChord) : [parseChord(text)];
}
