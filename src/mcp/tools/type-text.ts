import * as z from "zod";
import { act, actedFields, actingFields } from "../tool/acting.ts";
import { timingField } from "../tool/fields.ts";
import { defineTool } from "../tool/tool.ts";

const MAX_TEXT = 10_000;

export const typeText = defineTool({
  name: "type_text",
  title: "Type text",
  description:
    "Types text into what has the focus: click there first. Line breaks are Enter, tabs are Tab. `not_typed` lists characters " +
    "that no key can make. {{secret:NAME}} and {{totp:NAME}} type what people stored under that name.",
  effect: "input",
  input: z.strictObject({
    text: z.string().min(1).max(MAX_TEXT),
    typing_speed_wpm: z.number().min(1).max(10_000).optional().describe("Default: no pauses."),
    clear_existing: z.boolean().optional().describe("First empties the field (Ctrl+A, Delete)."),
    ...actingFields,
    action_timing_hint: timingField,
  }),
  output: z.object({
    ...actedFields,
    success: z.boolean().describe("Every character was typed."),
    typed_length: z.int().describe("Characters that were typed."),
    not_typed: z.array(z.string()).describe("Try paste_text for these."),
  }),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const acted = await act(
      context,
      desktop,
      {
        kind: "type",
        text: args.text,
        wordsPerMinute: args.typing_speed_wpm ?? null,
        clearExisting: args.clear_existing ?? false,
      },
      args,
    );
    const { notTyped, edit } = acted.result;
    const missing = notTyped.length;
    const typed = [...(edit?.text ?? args.text)].length - missing;
    return {
      output: {
        ...acted.output,
        success: missing === 0,
        typed_length: typed,
        not_typed: [...notTyped],
      },
      // The text itself is not repeated: it may be a secret and the caller knows it.
      text: `Typed ${typed} characters${missing === 0 ? "" : `, ${missing} could not be typed: try paste_text for those`}. ${acted.text}`,
      ...acted.images,
    };
  },
});
