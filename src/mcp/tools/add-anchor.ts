import * as z from "zod";
import {
  anchorIdField,
  connectionIdField,
  monitorIndexField,
  rectInput,
  rectOutput,
} from "../tool/fields.ts";
import { placeOf, rectIn } from "../tool/place.ts";
import { defineTool } from "../tool/tool.ts";

export const addAnchor = defineTool({
  name: "add_anchor",
  title: "Remember an element",
  description:
    "Remembers how a part of the desktop looks, to find it again elsewhere: for draw_overlay, click_at, wait_for and " +
    "re_anchor_element. Choose what looks like nothing else, such as a label with its icon; at most 65536 pixels.",
  effect: "overlay",
  hints: { idempotentHint: true },
  input: z.strictObject({
    anchor_id: anchorIdField.optional().describe("Your choice; one in use is replaced. Default: a new one."),
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
    const { id } = desktop.anchors.of(context.principal.id).add(wanted, args.anchor_id);
    return {
      output: { anchor_id: id, bounds: { ...wanted } },
      text: `Anchor ${id} remembers ${wanted.width}x${wanted.height} at ${wanted.x},${wanted.y}.`,
    };
  },
});
