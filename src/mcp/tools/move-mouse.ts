import * as z from "zod";
import { act, actedFields, actingFields } from "../acting.ts";
import { coordinate } from "../fields.ts";
import { locatorFor, placeText, positionOutput, spaceFields } from "../locate.ts";
import { defineTool } from "../tool.ts";

export const moveMouse = defineTool({
  name: "move_mouse",
  title: "Move mouse",
  description:
    "Moves the pointer without clicking, for example to hover. Buttons held with mouse_down stay held, so that this drags. " +
    "Outside the screen it is refused.",
  effect: "input",
  hints: { idempotentHint: true },
  input: z.strictObject({ x: coordinate, y: coordinate, ...spaceFields, ...actingFields }),
  output: z.object({ position: positionOutput, ...actedFields }),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const locator = locatorFor(args, desktop, context);
    const point = locator.point({ x: args.x, y: args.y });
    const acted = await act(context, desktop, { kind: "move", ...point }, args);
    // Where a human who approved it wanted it.
    const at = acted.result.position ?? point;
    return {
      output: { position: locator.echo(at), ...acted.output },
      text: `The pointer is at ${placeText(locator.echo(at))}. ${acted.text}`,
      ...acted.images,
    };
  },
});
