import * as z from "zod";
import { connectionIdField } from "../tool/fields.ts";
import { defineTool } from "../tool/tool.ts";

export const sessionStop = defineTool({
  name: "session_stop",
  title: "Stop session",
  description:
    "Stops all agents' input on the desktop at once, for when something goes wrong. Only a human can resume.",
  effect: "admin",
  hints: { idempotentHint: true },
  input: z.strictObject({ connection_id: connectionIdField }),
  output: z.object({ ok: z.boolean(), is_stopped: z.boolean() }),
  async handle(args, context) {
    const desktop = context.desktop(args.connection_id);
    desktop.stop(context.actor);
    return {
      output: { ok: true, is_stopped: desktop.isStopped },
      text: `${desktop.name} is stopped for agents. Tell the human: only they can resume it, in the web app.`,
    };
  },
});
