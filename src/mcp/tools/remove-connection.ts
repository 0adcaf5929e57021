import * as z from "zod";
import { may, type Principal } from "../../auth/principal.ts";
import { RefusedError } from "../../desktop/error.ts";
import { requiredConnectionId } from "../tool/connection-output.ts";
import { defineTool } from "../tool/tool.ts";

export const removeConnection = defineTool({
  name: "remove_connection",
  title: "Remove connection",
  description:
    "Closes a desktop and forgets its connection, for everybody. Needs an admin's or operator's token.",
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

/** Throws RefusedError permission_denied unless the principal may change which connections there are. */
function assertMayConfigure(principal: Principal, what: string): void {
  if (may(principal, "connections")) return;
  throw new RefusedError(
    "permission_denied",
    `a token of role ${principal.role} may not ${what}: expected an admin or operator token, or a human who does it on the web app's Desktops page`,
  );
}
