import * as z from "zod";
import { connectionIdField } from "../tool/fields.ts";
import { defineTool } from "../tool/tool.ts";

export const clearOverlays = defineTool({
  name: "clear_overlays",
  title: "Clear overlays",
  description:
    "Removes every overlay that you drew on the desktop. Overlays of people and of other agents stay.",
  effect: "overlay",
  hints: { destructiveHint: true, idempotentHint: true },
  input: z.strictObject({ connection_id: connectionIdField }),
  output: z.object({ removed_count: z.int() }),
  async handle(args, context) {
    const removed = context.desktop(args.connection_id).scene.clear(context.principal.id, context.actor);
    return {
      output: { removed_count: removed.length },
      text: `Removed ${removed.length} ${removed.length === 1 ? "overlay" : "overlays"}.`,
    };
  },
});
