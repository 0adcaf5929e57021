import * as z from "zod";
import { RefusedError } from "../../desktop/error.ts";
import { connectionIdField } from "../tool/fields.ts";
import { defineTool } from "../tool/tool.ts";

export const sessionResume = defineTool({
  name: "session_resume",
  title: "Resume session",
  description:
    "Says whether the desktop is stopped for agents. Only humans resume: while it is stopped this is refused with " +
    "permission_denied.",
  effect: "admin",
  hints: { idempotentHint: true },
  input: z.strictObject({ connection_id: connectionIdField }),
  output: z.object({ ok: z.boolean(), is_stopped: z.boolean() }),
  async handle(args, context) {
    const desktop = context.desktop(args.connection_id);
    if (desktop.isStopped) {
      throw new RefusedError(
        "permission_denied",
        "only a human may resume after a stop: ask them to press Resume in the web app",
      );
    }
    return { output: { ok: true, is_stopped: false }, text: `${desktop.name} is not stopped.` };
  },
});
