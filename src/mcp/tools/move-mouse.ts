import * as z from "zod";
import { act, actedFields, actingFields } from "../tool/acting.ts";
import { coordinate } from "../tool/fields.ts";
import { locatorFor, placeText, positionOutput, spaceFields } from "../tool/locate.ts";
import { defineTool } from "../tool/tool.ts";

export const moveMouse = defineTool({
  name: "move_mouse",
  title: "Move mouse",
  description: "Moves the pointer without clicking, to hover, or to drag while mouse_down holds a button.",
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
