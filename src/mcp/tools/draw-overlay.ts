import * as z from "zod";
import type { Overlay } from "../../compositor/overlay.ts";
import { anchorElement } from "../tool/browser/element-anchor.ts";
import { connectionIdField, displayScaleField, rectOutput } from "../tool/fields.ts";
import { addOverlay, drawnFields, type OverlayInput } from "../tool/overlay-input.ts";
import type { McpDesktop } from "../tool/ports.ts";
import { defineTool } from "../tool/tool.ts";

export const drawOverlay = defineTool({
  name: "draw_overlay",
  title: "Draw overlay",
  description:
    "Shows the people watching a box, arrow, text or icon on top of the desktop, which itself is not touched. Clamped " +
    "to the monitor: `bounds`. `ref` (tab_id:ref): it goes with that element.",
  effect: "overlay",
  input: z
    .strictObject({ ...drawnFields, connection_id: connectionIdField })
    .refine(
      ({ x, y, width, height, ref, anchor_id, monitor_index }) =>
        ref === undefined
          ? [x, y, width, height].every((each) => each !== undefined)
          : [x, y, width, height, anchor_id, monitor_index].every((each) => each === undefined),
      "expected x, y, width and height, or ref without them, anchor_id and monitor_index",
    ),
  output: z.object({
    overlay_id: z.string().describe("For remove_overlay."),
    bounds: rectOutput.describe("Where it is, desktop pixels, after clamping."),
    monitor_index: z.int(),
    display_scale: displayScaleField,
    anchor_id: z.string().optional().describe("The anchor it goes with, where you named one."),
  }),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const { x: left = 0, y: top = 0, width: wide = 0, height: high = 0, ref, ...look } = args;
    const anchored =
      ref === undefined ? null : await anchorElement(context, desktop, ref, { id: ref, isOfOverlays: true });
    const given = { x: left, y: top, width: wide, height: high };
    const spec =
      anchored === null ? { ...look, ...given } : { ...look, ...anchored.rect, anchor_id: anchored.id };
    const overlay = drawn(desktop, spec, context.principal.id);
    const { x, y, width, height } = overlay;
    return {
      output: {
        overlay_id: overlay.id,
        bounds: { x, y, width, height },
        monitor_index: overlay.monitorIndex,
        display_scale: null,
        ...(spec.anchor_id === undefined ? {} : { anchor_id: spec.anchor_id }),
      },
      text: `Drew overlay ${overlay.id}: ${overlay.kind} of ${width}x${height} at ${x},${y} on monitor ${overlay.monitorIndex}.`,
    };
  },
});

/** What is followed for an overlay that cannot be drawn is followed no more. */
function drawn(desktop: McpDesktop, spec: OverlayInput, ownerId: string): Overlay {
  try {
    return addOverlay(desktop, spec, ownerId);
  } catch (error) {
    if (spec.anchor_id !== undefined) desktop.anchors.of(ownerId).release(spec.anchor_id);
    throw error;
  }
}
