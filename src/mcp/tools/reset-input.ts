import * as z from "zod";
import { act, actedFields, actingFields } from "../tool/acting.ts";
import { defineTool } from "../tool/tool.ts";

export const resetInput = defineTool({
  name: "reset_input",
  title: "Reset input",
  description:
    "Lets go of every key and mouse button that is held on the desktop, for when something seems stuck.",
  effect: "input",
  hints: { destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({ intent: actingFields.intent, connection_id: actingFields.connection_id }),
  output: z.object(actedFields),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const acted = await act(context, desktop, { kind: "release" }, { ...args, effect_timeout_ms: 0 });
    return { output: acted.output, text: "Nothing is held any more." };
  },
});
