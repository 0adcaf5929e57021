import * as z from "zod";
import { BUTTONS } from "../../desktop/control/action.ts";
import { act, actedFields, actingFields } from "./acting.ts";
import { mapperFor, placeText, positionOutput, spaceFields } from "./coordinate-mapper.ts";
import { coordinate } from "./fields.ts";
import { HIDDEN_PLACE, toldPlace } from "./pointer-place.ts";
import { defineTool, type Tool } from "./tool.ts";

/** A tool that presses a mouse button or lets go of it. `tell` says what was done, as a sentence. */
export function defineMouseButton({
  isDown,
  tell,
  ...names
}: {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly isDown: boolean;
  tell(button: string, where: string, wasNeeded: boolean): string;
}): Tool {
  return defineTool({
    ...names,
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
    output: z.object({ position: positionOutput.nullable(), ...actedFields }),
    async handle(args, context) {
      const desktop = await context.readyDesktop(args.connection_id);
      const mapper = mapperFor(args, desktop, context);
      const point =
        args.x === undefined || args.y === undefined ? null : mapper.point({ x: args.x, y: args.y });
      const button = args.button ?? "left";
      const place = { x: point?.x ?? null, y: point?.y ?? null };
      const acted = await act(context, desktop, { kind: "button", ...place, button, isDown }, args);
      const at = toldPlace(desktop, point, acted.result.position ?? point ?? desktop.pointer);
      const position = at === null ? null : mapper.echo(at);
      const where = position === null ? HIDDEN_PLACE : placeText(position);
      return {
        output: { position, ...acted.output },
        text: `${tell(button, where, acted.result.wasNeeded)} ${acted.text}`,
        ...acted.images,
      };
    },
  });
}
