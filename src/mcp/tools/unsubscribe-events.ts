import * as z from "zod";
import { defineTool } from "../tool/tool.ts";

export const unsubscribeEvents = defineTool({
  name: "unsubscribe_events",
  title: "Unsubscribe from events",
  description: "Ends a subscription of yours, made by subscribe_events or set_screenshot_frequency.",
  effect: "read",
  hints: { idempotentHint: false },
  input: z.strictObject({ subscription_id: z.string().min(1).max(100) }),
  output: z.object({ ok: z.boolean() }),
  async handle(args, context) {
    context.mcpState.events.unsubscribe(args.subscription_id, context.principal.id);
    return { output: { ok: true }, text: "The subscription ended." };
  },
});
