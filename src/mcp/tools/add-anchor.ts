import * as z from "zod";
import { anchorIdField, connectionIdField, monitorIndexField, rectInput, rectOutput } from "../fields.ts";
import { placeOf, rectIn } from "../place.ts";
import { defineTool } from "../tool.ts";

export const addAnchor = defineTool({
  name: "add_anchor",
  title: "Remember an element",
  description:
    "Remembers how a part of the desktop looks, so that it is found again after it moved: give its id to draw_overlay, " +
    "and the overlay goes with it while the human scrolls, or to re_anchor_element to ask where it is. Take something " +
    "that looks like nothing else on the screen, such as a label together with its icon, at most 65536 pixels.",
  effect: "overlay",
  hints: { idempotentHint: true },
  input: z.strictObject({
    anchor_id: anchorIdField
      .optional()
      .describe("A name of your choice; one in use is replaced. Default: a new one."),
    ...rectInput.shape,
    monitor_index: monitorIndexField,
    connection_id: connectionIdField,
  }),
  output: z.object({
    anchor_id: z.string(),
    bounds: rectOutput.describe("What is remembered, desktop pixels, clamped to the desktop."),
  }),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const { x, y, width, height } = args;
    const wanted = rectIn(placeOf(desktop, args.monitor_index), { x, y, width, height });
    const { id } = desktop.anchors.add(wanted, args.anchor_id);
    return {
      output: { anchor_id: id, bounds: { ...wanted } },
      text: `Anchor ${id} remembers ${wanted.width}x${wanted.height} at ${wanted.x},${wanted.y}.`,
    };
  },
});
