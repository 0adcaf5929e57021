import * as z from "zod";
import { RefusedError } from "../../desktop/error.ts";
import { act, actedFields, actingFields } from "../acting.ts";
import { coordinate } from "../fields.ts";
import { HELD_KEYS, keysymOf } from "../held-keys.ts";
import { locatorFor, placeText, positionOutput, spaceFields } from "../locate.ts";
import { MAX_NOTCHES, notchesOf, SCROLL_UNITS } from "../notches.ts";
import { defineTool } from "../tool.ts";

export const scroll = defineTool({
  name: "scroll",
  title: "Scroll",
  description:
    "Turns the mouse wheel at a point, or where the pointer is. dx scrolls to the right, dy down; negative is left and up. " +
    "In notches of the wheel (default) or in pixels, of which a notch is about 100. What a notch moves is for the program " +
    "to decide: look at `changed`, which is false at the end of a page.",
  effect: "input",
  input: z
    .strictObject({
      x: coordinate.optional(),
      y: coordinate.optional(),
      dx: z.number().min(-10_000).max(10_000).optional().describe("To the right. Default 0."),
      dy: z.number().min(-10_000).max(10_000).optional().describe("Down. Default 0."),
      unit: z.enum(SCROLL_UNITS).optional().describe("Default notches."),
      hold_keys: z
        .array(z.enum(HELD_KEYS))
        .max(HELD_KEYS.length)
        .optional()
        .describe("Keys held meanwhile, e.g. ctrl to zoom."),
      ...spaceFields,
      ...actingFields,
    })
    .refine(({ x, y }) => (x === undefined) === (y === undefined), "expected both x and y, or neither"),
  output: z.object({
    position: positionOutput,
    notches: z.object({ dx: z.int(), dy: z.int() }).describe("How far the wheel was turned."),
    ...actedFields,
  }),
  async handle(args, context) {
    const unit = args.unit ?? "notches";
    const notchesX = notchesOf(args.dx ?? 0, unit);
    const notchesY = notchesOf(args.dy ?? 0, unit);
    if (notchesX === 0 && notchesY === 0) {
      throw new RefusedError("invalid_parameters", `got dx 0 and dy 0, expected one of 1 to ${MAX_NOTCHES}`);
    }
    const desktop = await context.readyDesktop(args.connection_id);
    const locator = locatorFor(args, desktop, context);
    const point =
      args.x === undefined || args.y === undefined ? null : locator.point({ x: args.x, y: args.y });
    const acted = await act(
      context,
      desktop,
      {
        kind: "scroll",
        x: point?.x ?? null,
        y: point?.y ?? null,
        notchesX,
        notchesY,
        holdKeysyms: (args.hold_keys ?? []).map(keysymOf),
      },
      args,
    );
    const at = acted.result.position ?? point ?? desktop.pointer;
    return {
      output: {
        position: locator.echo(at),
        notches: { dx: notchesX, dy: notchesY },
        ...acted.output,
      },
      text: `Scrolled at ${placeText(locator.echo(at))}. ${acted.text}`,
      ...acted.images,
    };
  },
});
