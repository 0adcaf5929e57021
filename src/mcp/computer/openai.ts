import * as z from "zod";
import type { Button } from "../../desktop/control/action.ts";
import { type Chord, chordOf } from "../model/key-chord.ts";
import { keyList, pixel, read, typedText, unknownAction } from "./read.ts";
import type { Step, VendorAction } from "./step.ts";

/* OpenAI's ComputerAction (openai 6.49.0, responses): {type, …}; a ComputerActionList is a list of them. */

const keys = z.array(z.string().min(1).max(200)).max(10).nullish();
const point = { x: pixel, y: pixel };

const BUTTONS = { left: "left", right: "right", wheel: "middle", back: "back", forward: "forward" } as const;

/** An action without a duration: as long as OpenAI's own sample waits. */
const WAIT_MS = 1000;
/** Pixels to scroll, either way. */
const distance = z.number().min(-10_000).max(10_000);

const READERS: Readonly<Record<string, (action: unknown) => Step[]>> = {
  click: (action) => {
    const fields = z.strictObject({
      type: z.literal("click"),
      button: z.enum(["left", "right", "wheel", "back", "forward"]),
      ...point,
      keys,
    });
    const { x, y, button, keys: held } = read(fields, action);
    return [clicked(x, y, BUTTONS[button], 1, held)];
  },
  double_click: (action) => {
    const { x, y, keys: held } = read(z.strictObject({ type: z.string(), ...point, keys }), action);
    return [clicked(x, y, "left", 2, held)];
  },
  drag: (action) => {
    const fields = z.strictObject({
      type: z.string(),
      path: z.array(z.strictObject(point)).min(1).max(500),
      keys,
    });
    const { path, keys: held } = read(fields, action);
    return [{ kind: "drag", path, held: heldOf(held) }];
  },
  keypress: (action) => {
    const { keys: pressed } = read(z.strictObject({ type: z.string(), keys: keyList }), action);
    return [{ kind: "keys", chords: [chordOf(pressed)], repeat: 1, holdMs: 0 }];
  },
  move: (action) => {
    const { x, y, keys: held } = read(z.strictObject({ type: z.string(), ...point, keys }), action);
    return [{ kind: "move", at: { x, y }, held: heldOf(held) }];
  },
  screenshot: (action) => {
    read(z.strictObject({ type: z.string() }), action);
    return [{ kind: "screenshot" }];
  },
  scroll: (action) => {
    const fields = z.strictObject({
      type: z.string(),
      ...point,
      scroll_x: distance,
      scroll_y: distance,
      keys,
    });
    const { x, y, scroll_x, scroll_y, keys: held } = read(fields, action);
    return [
      {
        kind: "scroll",
        at: { x, y },
        dx: scroll_x,
        dy: scroll_y,
        unit: "pixels",
        held: heldOf(held),
      },
    ];
  },
  type: (action) => {
    const { text } = read(z.strictObject({ type: z.string(), text: typedText }), action);
    return [{ kind: "type", text, clearExisting: false }];
  },
  wait: (action) => {
    read(z.strictObject({ type: z.string() }), action);
    return [{ kind: "wait", durationMs: WAIT_MS }];
  },
};

export const OPENAI_ACTIONS: readonly string[] = Object.keys(READERS);

/** `mustConfirm`: the call came with pending safety checks. Throws ArgumentsError or RefusedError. */
export function readOpenai(name: string, action: unknown, mustConfirm = false): VendorAction {
  const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  if (reader === undefined) throw unknownAction(name, OPENAI_ACTIONS);
  return { vendor: "openai", name, space: "image", steps: reader(action), intent: null, mustConfirm };
}

function clicked(
  x: number,
  y: number,
  button: Button,
  clicks: number,
  held: readonly string[] | null | undefined,
): Step {
  return { kind: "click", at: { x, y }, button, clicks, held: heldOf(held) };
}

function heldOf(names: readonly string[] | null | undefined): Chord | null {
  return names == null || names.length === 0 ? null : chordOf(names);
}
