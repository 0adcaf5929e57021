import * as z from "zod";
import { connectionOutput, describeConnection, requiredConnectionId } from "../tool/connection-output.ts";
import { defineTool } from "../tool/tool.ts";

export const setActiveConnection = defineTool({
  name: "set_active_connection",
  title: "Set active connection",
  description: "Chooses the desktop that your calls without connection_id use. Others keep theirs.",
  effect: "admin",
  hints: { idempotentHint: true },
  input: z.strictObject({ connection_id: requiredConnectionId }),
  output: z.object({ success: z.boolean(), active_connection: connectionOutput, message: z.string() }),
  async handle(args, context) {
    const { desktops, principal } = context;
    const desktop = desktops.setActive(principal.id, args.connection_id);
    const message = `Tools use ${desktop.name} from now on.`;
    return {
      output: {
        success: true,
        active_connection: describeConnection(desktop, desktops, principal.id),
        message,
      },
      text: message,
    };
  },
});
