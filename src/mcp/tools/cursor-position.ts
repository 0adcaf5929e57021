import * as z from "zod";
import { lenientMapperFor, placeText, positionOutput, spaceFields } from "../tool/coordinate-mapper.ts";
import { connectionIdField } from "../tool/fields.ts";
import { pointerOf } from "../tool/pointer-place.ts";
import { defineTool } from "../tool/tool.ts";

export const cursorPosition = defineTool({
  name: "cursor_position",
  title: "Cursor position",
  description:
    "Says where the pointer was last put through this server, in desktop pixels and in those of your latest screenshot. " +
    "Moves by programs or people at the desktop itself are not seen.",
  effect: "read",
  input: z.strictObject({
    screenshot_id: spaceFields.screenshot_id,
    connection_id: connectionIdField,
  }),
  output: z.object({ x: z.int(), y: z.int(), position: positionOutput }),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const mapper = lenientMapperFor({ space: "image", screenshot_id: args.screenshot_id }, desktop, context);
    const { x, y } = pointerOf(desktop);
    const position = mapper.echo({ x, y });
    return { output: { x, y, position }, text: `The pointer is at ${placeText(position)}.` };
  },
});
