import * as z from "zod";
import { requiredConnectionId } from "../connection-output.ts";
import { assertMayConfigure } from "../connection-rights.ts";
import { defineTool } from "../tool.ts";

export const removeConnection = defineTool({
  name: "remove_connection",
  title: "Remove connection",
  description:
    "Closes a desktop and forgets its connection, for everybody. Needs an admin or operator token. The host itself is " +
    "not touched.",
  effect: "admin",
  hints: { destructiveHint: true },
  input: z.strictObject({ connection_id: requiredConnectionId }),
  output: z.object({ success: z.boolean(), message: z.string() }),
  async handle(args, context) {
    assertMayConfigure(context.principal, "remove connections");
    const { id, name } = context.desktops.get(args.connection_id);
    await context.desktops.remove(id, context.actor);
    const message = `Removed the connection ${name}.`;
    return { output: { success: true, message }, text: message };
  },
});
