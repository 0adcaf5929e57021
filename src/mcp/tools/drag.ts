import * as z from "zod";
import { BUTTONS } from "../../desktop/control/action.ts";
import { act, actedFields, actingFields } from "../tool/acting.ts";
import { mapperFor, positionOutput, spaceFields } from "../tool/coordinate-mapper.ts";
import { coordinate } from "../tool/fields.ts";
import { holdKeysField, keysymOf } from "../tool/held-keys.ts";
import { defineTool } from "../tool/tool.ts";

/** A signature has some hundred points. */
const MAX_POINTS = 500;

export const drag = defineTool({
  name: "drag",
  title: "Drag",
  description:
    "Presses a mouse button at the first point of `path`, moves through the others and lets go at the last: moves a window, " +
    "a slider, a file, selects text, or draws a line.",
  effect: "input",
  input: z.strictObject({
    path: z
      .array(z.strictObject({ x: coordinate, y: coordinate }))
      .min(2)
      .max(MAX_POINTS),
    button: z.enum(BUTTONS).optional().describe("Default left."),
    hold_keys: holdKeysField,
    duration_ms: z
      .int()
      .min(0)
      .max(10_000)
      .optional()
      .describe(
        "Of the moves; rests of about 550 ms at the ends come on top. Default 250, more for long paths. 0: as fast as the desktop follows.",
      ),
    ...spaceFields,
    ...actingFields,
  }),
  output: z.object({ from: positionOutput, to: positionOutput, ...actedFields }),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const mapper = mapperFor(args, desktop, context);
    const path = args.path.map((point) => mapper.point(point));
    const acted = await act(
      context,
      desktop,
      {
        kind: "drag",
        path,
        button: args.button ?? "left",
        holdKeysyms: (args.hold_keys ?? []).map(keysymOf),
        durationMs: args.duration_ms ?? null,
      },
      args,
    );
    const from = path[0] ?? desktop.pointer;
    const to = path.at(-1) ?? from;
    return {
      output: { from: mapper.echo(from), to: mapper.echo(to), ...acted.output },
      text: `Dragged from ${from.x},${from.y} to ${to.x},${to.y}. ${acted.text}`,
      ...acted.images,
    };
  },
});
