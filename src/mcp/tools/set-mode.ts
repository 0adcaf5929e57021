import * as z from "zod";
import { MODES } from "../../desktop/policy.ts";
import { connectionIdField } from "../fields.ts";
import { defineTool } from "../tool.ts";

export const setMode = defineTool({
  name: "set_mode",
  title: "Set mode",
  description:
    "Sets how freely agents may act on the desktop. passive: no input. assist: a human approves each input. composing: typing " +
    "and clipboard are free, the rest asks. autopilot: free. You may lower your freedom at once; raising it is for a " +
    "human and is refused with permission_denied. The desktop's own mode is a ceiling that people set.",
  effect: "admin",
  hints: { idempotentHint: true },
  input: z.strictObject({
    mode: z.enum(MODES),
    metadata: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'The rules of mode custom: allow, ask or deny for pointer, keys, text, write_clipboard, read_clipboard and resize, e.g. {"keys": "deny"}; what is not named is asked. areas: [{x, y, width, height, verdict}] where pointing is stricter.',
      ),
    connection_id: connectionIdField,
  }),
  output: z.object({ ok: z.boolean(), active_mode: z.string().describe("The one that holds for you now.") }),
  async handle(args, context) {
    const desktop = context.desktop(args.connection_id);
    desktop.setMode(args.mode, context.actor, args.metadata);
    const active = desktop.modeOf(context.principal.id);
    return {
      output: { ok: true, active_mode: active },
      text: `You are in ${active} mode on ${desktop.name}.`,
    };
  },
});
