import * as z from "zod";
import { RefusedError } from "../../desktop/error.ts";
import { act, actedFields, actingFields } from "../tool/acting.ts";
import { mapperFor, placeText, positionOutput, spaceFields } from "../tool/coordinate-mapper.ts";
import { coordinate } from "../tool/fields.ts";
import { holdKeysField, keysymOf } from "../tool/held-keys.ts";
import { MAX_NOTCHES, notchesOf, SCROLL_UNITS } from "../tool/notches.ts";
import { HIDDEN_PLACE, toldPlace } from "../tool/pointer-place.ts";
import { defineTool } from "../tool/tool.ts";

export const scroll = defineTool({
  name: "scroll",
  title: "Scroll",
  description:
    "Turns the mouse wheel at x,y, or where the pointer is, by dx to the right and dy down. `changed` is false at the " +
    "end of a page.",
  effect: "input",
  input: z
    .strictObject({
      x: coordinate.optional(),
      y: coordinate.optional(),
      dx: z.number().min(-10_000).max(10_000).optional().describe("Default 0."),
      dy: z.number().min(-10_000).max(10_000).optional().describe("Default 0."),
      unit: z
        .enum(SCROLL_UNITS)
        .optional()
        .describe("Default notches; a notch is about 100 pixels, for the program to decide."),
      hold_keys: holdKeysField,
      ...spaceFields,
      ...actingFields,
    })
    .refine(({ x, y }) => (x === undefined) === (y === undefined), "expected both x and y, or neither"),
  output: z.object({
    position: positionOutput.nullable(),
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
    const mapper = mapperFor(args, desktop, context);
    const point =
      args.x === undefined || args.y === undefined ? null : mapper.point({ x: args.x, y: args.y });
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
    const at = toldPlace(desktop, point, acted.result.position ?? point ?? desktop.pointer);
    const position = at === null ? null : mapper.echo(at);
    return {
      output: {
        position,
        notches: { dx: notchesX, dy: notchesY },
        ...acted.output,
      },
      text: `Scrolled at ${position === null ? HIDDEN_PLACE : placeText(position)}. ${acted.text}`,
      ...acted.images,
    };
  },
});
