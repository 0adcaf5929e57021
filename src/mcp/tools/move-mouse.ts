import * as z from "zod";
import { act, actedFields, actingFields } from "../tool/acting.ts";
import { mapperFor, placeText, positionOutput, spaceFields } from "../tool/coordinate-mapper.ts";
import { coordinate } from "../tool/fields.ts";
import { HIDDEN_PLACE, toldPlace } from "../tool/pointer-place.ts";
import { defineTool } from "../tool/tool.ts";

export const moveMouse = defineTool({
  name: "move_mouse",
  title: "Move mouse",
  description: "Moves the pointer without clicking, to hover, or to drag while mouse_down holds a button.",
  effect: "input",
  hints: { idempotentHint: true },
  input: z.strictObject({ x: coordinate, y: coordinate, ...spaceFields, ...actingFields }),
  output: z.object({ position: positionOutput.nullable(), ...actedFields }),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const mapper = mapperFor(args, desktop, context);
    const point = mapper.point({ x: args.x, y: args.y });
    const acted = await act(context, desktop, { kind: "move", ...point }, args);
    // Where a human who approved it wanted it.
    const at = toldPlace(desktop, point, acted.result.position ?? point);
    const position = at === null ? null : mapper.echo(at);
    return {
      output: { position, ...acted.output },
      text: `The pointer is at ${position === null ? HIDDEN_PLACE : placeText(position)}. ${acted.text}`,
      ...acted.images,
    };
  },
});
