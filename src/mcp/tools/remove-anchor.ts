import * as z from "zod";
import { anchorIdField, connectionIdField } from "../tool/fields.ts";
import { defineTool } from "../tool/tool.ts";

export const removeAnchor = defineTool({
  name: "remove_anchor",
  title: "Forget an element",
  description: "Forgets what add_anchor remembered; overlays that went with it stay as they are.",
  effect: "overlay",
  hints: { destructiveHint: true, idempotentHint: true },
  input: z.strictObject({ anchor_id: anchorIdField, connection_id: connectionIdField }),
  output: z.object({ removed: z.boolean(), not_found: z.boolean() }),
  async handle(args, context) {
    const { anchors } = context.desktop(args.connection_id);
    const isRemoved = anchors.of(context.principal.id).remove(args.anchor_id);
    return {
      output: { removed: isRemoved, not_found: !isRemoved },
      text: isRemoved ? "Forgot the anchor." : "There is no such anchor of yours (any more).",
    };
  },
});
