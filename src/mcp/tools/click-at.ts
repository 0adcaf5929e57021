import * as z from "zod";
import { BUTTONS, type PerformOptions } from "../../desktop/action.ts";
import {
  confirmationField,
  connectionIdField,
  coordinate,
  effectFields,
  effectOutput,
  effectText,
  effectTimeoutField,
  intentField,
  monitorIndexField,
  timestampField,
  timingField,
} from "../fields.ts";
import { HELD_KEYS, keysymOf } from "../held-keys.ts";
import { performOptions } from "../perform-options.ts";
import { placeOf, pointIn } from "../place.ts";
import { defineTool } from "../tool.ts";

export const clickAt = defineTool({
  name: "click_at",
  title: "Click",
  description:
    "Clicks the mouse at a pixel of the desktop, the same pixel as in a native-size screenshot, or where the pointer is " +
    "when x and y are absent. Outside the screen it is refused. In assist mode a human is asked first and the call waits " +
    "for the answer, up to 45 s. The answer says what the click changed: `changed: false` means that nothing on the screen " +
    "moved, so look again before you go on.",
  effect: "input",
  input: z
    .strictObject({
      x: coordinate.optional().describe("Pixels from the left."),
      y: coordinate.optional().describe("Pixels from the top."),
      button: z.enum(BUTTONS).optional().describe("Default left."),
      clicks: z.int().min(1).max(3).optional().describe("2 is a double click. Default 1."),
      hold_keys: z
        .array(z.enum(HELD_KEYS))
        .max(HELD_KEYS.length)
        .optional()
        .describe("Keys held meanwhile, e.g. ctrl."),
      require_user_confirmation: confirmationField,
      action_timing_hint: timingField,
      monitor_index: monitorIndexField,
      intent: intentField,
      effect_timeout_ms: effectTimeoutField,
      connection_id: connectionIdField,
    })
    .refine(({ x, y }) => (x === undefined) === (y === undefined), "expected both x and y, or neither"),
  output: z.object({
    success: z.boolean(),
    was_confirmed: z.boolean().describe("A human approved it."),
    actual_position: z.object({ x: z.int(), y: z.int() }).nullable().describe("Desktop pixels."),
    timestamp: timestampField,
    ...effectFields,
  }),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const place = placeOf(desktop, args.monitor_index);
    const point =
      args.x === undefined || args.y === undefined ? null : pointIn(place, { x: args.x, y: args.y });
    const options: PerformOptions = performOptions(args, context.signal);
    const result = await desktop.perform(
      {
        kind: "click",
        x: point?.x ?? null,
        y: point?.y ?? null,
        button: args.button ?? "left",
        clicks: args.clicks ?? 1,
        holdKeysyms: (args.hold_keys ?? []).map(keysymOf),
      },
      context.actor,
      options,
    );
    const at = result.position ?? point;
    return {
      output: {
        success: true,
        was_confirmed: result.wasConfirmed,
        actual_position: at === null ? null : { x: at.x, y: at.y },
        timestamp: context.date().getTime(),
        ...effectOutput(result.effect),
      },
      text: `Clicked${at === null ? "" : ` at ${at.x},${at.y}`}. ${effectText(result.effect)}`,
    };
  },
});
