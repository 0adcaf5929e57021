import * as z from "zod";
import { anchorIdField, connectionIdField } from "../tool/fields.ts";
import { defineTool } from "../tool/tool.ts";

export const removeAnchor = defineTool({
  name: "remove_anchor",
  title: "Forget an element",
  description:
    "Forgets what add_anchor remembered. Overlays that went with it stay where they are; hidden ones are removed.",
  effect: "overlay",
  hints: { destructiveHint: true, idempotentHint: true },
  input: z.strictObject({ anchor_id: anchorIdField, connection_id: connectionIdField }),
  output: z.object({
    removed: z.boolean(),
    not_found: z.boolean(),
    removed_overlays: z.array(z.string()).optional().describe("Overlays of it that were hidden."),
  }),
  async handle(args, context) {
    const { anchors } = context.desktop(args.connection_id);
    const hidden = anchors.of(context.principal.id).remove(args.anchor_id, context.actor);
    if (hidden === null) {
      return {
        output: { removed: false, not_found: true },
        text: "There is no such anchor of yours (any more).",
      };
    }
    const isAny = hidden.length > 0;
    return {
      output: { removed: true, not_found: false, ...(isAny ? { removed_overlays: [...hidden] } : {}) },
      text: `Forgot the anchor.${isAny ? ` Removed its hidden overlays: ${hidden.join(", ")}.` : ""}`,
    };
  },
});
