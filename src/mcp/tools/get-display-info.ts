import * as z from "zod";
import { connectionIdField, displayScaleField, rectOutput } from "../tool/fields.ts";
import { defineTool } from "../tool/tool.ts";

export const getDisplayInfo = defineTool({
  name: "get_display_info",
  title: "Get display information",
  description: "Lists the monitors of the desktop and their place in it, for monitor_index.",
  effect: "read",
  input: z.strictObject({ connection_id: connectionIdField }),
  output: z.object({
    displays: z.array(
      z.object({
        monitor_index: z.int(),
        bounds: rectOutput,
        scale_factor: displayScaleField,
        is_primary: z.boolean(),
      }),
    ),
    total_virtual_screen: rectOutput,
  }),
  async handle(args, context) {
    const { screens, size } = await context.readyDesktop(args.connection_id);
    const displays = screens.map(({ rect: { x, y, width, height } }, index) => ({
      monitor_index: index,
      bounds: { x, y, width, height },
      scale_factor: null,
      // RFB names no primary monitor; servers list it first.
      is_primary: index === 0,
    }));
    const each = displays.map(
      ({ bounds: b, monitor_index }) => `monitor ${monitor_index}: ${b.width}x${b.height} at ${b.x},${b.y}`,
    );
    return {
      output: { displays, total_virtual_screen: { x: 0, y: 0, width: size.width, height: size.height } },
      text: `The desktop is ${size.width}x${size.height}; ${each.join("; ")}.`,
    };
  },
});
