import * as z from "zod";
import { connectionIdField } from "../tool/fields.ts";
import { defineTool } from "../tool/tool.ts";

export const removeOverlay = defineTool({
  name: "remove_overlay",
  title: "Remove overlay",
  description:
    "Removes an overlay that you drew. An id that is gone already is no error: `not_found` is true then.",
  effect: "overlay",
  hints: { destructiveHint: true, idempotentHint: true },
  input: z.strictObject({
    overlay_id: z.string().min(1).max(200),
    connection_id: connectionIdField,
  }),
  output: z.object({ removed: z.boolean(), not_found: z.boolean() }),
  async handle(args, context) {
    const { scene } = context.desktop(args.connection_id);
    // Another principal's overlay is as good as absent: ids are no way to clear a colleague's screen.
    const isOwn = scene.ownerOf(args.overlay_id) === context.principal.id;
    const isRemoved = isOwn && scene.remove(args.overlay_id, context.actor) !== null;
    return {
      output: { removed: isRemoved, not_found: !isRemoved },
      text: isRemoved ? "Removed the overlay." : "There is no such overlay of yours (any more).",
    };
  },
});
