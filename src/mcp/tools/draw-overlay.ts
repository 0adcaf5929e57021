import * as z from "zod";
import { connectionIdField, displayScaleField, rectOutput } from "../tool/fields.ts";
import { addOverlay, overlayFields } from "../tool/overlay-input.ts";
import { defineTool } from "../tool/tool.ts";

export const drawOverlay = defineTool({
  name: "draw_overlay",
  title: "Draw overlay",
  description:
    "Shows the people watching a box, arrow, text or icon on top of the desktop, which itself is not touched. Clamped " +
    "to the monitor; `bounds` says where it is.",
  effect: "overlay",
  input: z.strictObject({ ...overlayFields, connection_id: connectionIdField }),
  output: z.object({
    overlay_id: z.string().describe("For remove_overlay."),
    bounds: rectOutput.describe("Where it is, desktop pixels, after clamping."),
    monitor_index: z.int(),
    display_scale: displayScaleField,
    anchor_id: z.string().optional().describe("The anchor it goes with, where you named one."),
  }),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const overlay = addOverlay(desktop, args, context.principal.id);
    const { x, y, width, height } = overlay;
    return {
      output: {
        overlay_id: overlay.id,
        bounds: { x, y, width, height },
        monitor_index: overlay.monitorIndex,
        display_scale: null,
        ...(args.anchor_id === undefined ? {} : { anchor_id: args.anchor_id }),
      },
      text: `Drew overlay ${overlay.id}: ${overlay.kind} of ${width}x${height} at ${x},${y} on monitor ${overlay.monitorIndex}.`,
    };
  },
});
