import * as z from "zod";
import {
  editedBy,
  editedField,
  editedText,
  unverifiedFields,
  unverifiedOutput,
  unverifiedText,
} from "../tool/acting.ts";
import { connectionIdField, intentField } from "../tool/fields.ts";
import { defineTool } from "../tool/tool.ts";

const MAX_TEXT = 100_000;

export const setClipboard = defineTool({
  name: "set_clipboard",
  title: "Set clipboard",
  description: "Puts text on the desktop's clipboard, for keys or a menu there to paste it.",
  effect: "input",
  hints: { idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    text: z.string().max(MAX_TEXT),
    intent: intentField,
    connection_id: connectionIdField,
  }),
  output: z.object({
    ok: z.boolean(),
    was_confirmed: z.boolean().describe("A human approved it."),
    edited: editedField,
    ...unverifiedFields,
  }),
  async handle(args, context) {
    const result = await context
      .desktop(args.connection_id)
      .perform({ kind: "write_clipboard", text: args.text }, context.actor, {
        signal: context.signal,
        effectTimeoutMs: 0,
        intent: args.intent,
      });
    const { edit } = result;
    const length = Array.from(edit?.text ?? args.text).length;
    return {
      output: {
        ok: true,
        was_confirmed: result.wasConfirmed,
        edited: editedBy(edit),
        ...unverifiedOutput(result.unverified),
      },
      text: `${editedText(edit)}Put ${length} characters on the clipboard.${unverifiedText(result.unverified)}`,
    };
  },
});
