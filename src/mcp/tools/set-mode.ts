import * as z from "zod";
import { MODES } from "../../desktop/control/policy.ts";
import { connectionIdField } from "../tool/fields.ts";
import { defineTool } from "../tool/tool.ts";

export const setMode = defineTool({
  name: "set_mode",
  title: "Set mode",
  description:
    "Sets how freely agents act on the desktop. passive: no input. assist: a human approves each input. composing: typing and " +
    "clipboard are free, the rest asks. autopilot: free. You may lower it; raising it is for a human.",
  effect: "admin",
  hints: { idempotentHint: true },
  input: z.strictObject({
    mode: z.enum(MODES),
    metadata: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'Rules of mode custom: allow, ask (default) or deny for pointer, keys, text, write_clipboard, read_clipboard, resize: {"keys": "deny"}; areas: [{x, y, width, height, verdict}], stricter.',
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
