import * as z from "zod";
import { BUTTONS } from "../../desktop/control/action.ts";
import { act, actedFields, actingFields } from "../tool/acting.ts";
import { coordinate } from "../tool/fields.ts";
import { locatorFor, placeText, positionOutput, spaceFields } from "../tool/locate.ts";
import { defineTool } from "../tool/tool.ts";

export const mouseUp = defineTool({
  name: "mouse_up",
  title: "Let go of mouse button",
  description:
    "Lets go of a mouse button, at a point or where the pointer is. `success: false` where it was not down.",
  effect: "input",
  input: z
    .strictObject({
      x: coordinate.optional(),
      y: coordinate.optional(),
      button: z.enum(BUTTONS).optional().describe("Default left."),
      ...spaceFields,
      ...actingFields,
    })
    .refine(({ x, y }) => (x === undefined) === (y === undefined), "expected both x and y, or neither"),
  output: z.object({ position: positionOutput, ...actedFields }),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const locator = locatorFor(args, desktop, context);
    const point =
      args.x === undefined || args.y === undefined ? null : locator.point({ x: args.x, y: args.y });
    const button = args.button ?? "left";
    const place = { x: point?.x ?? null, y: point?.y ?? null };
    const acted = await act(context, desktop, { kind: "button", ...place, button, isDown: false }, args);
    const at = acted.result.position ?? point ?? desktop.pointer;
    const where = placeText(locator.echo(at));
    return {
      output: { position: locator.echo(at), ...acted.output },
      text: acted.result.wasNeeded
        ? `Let go of ${button} at ${where}. ${acted.text}`
        : `${button} was not down: only the pointer moved, to ${where}. ${acted.text}`,
      ...acted.images,
    };
  },
});
