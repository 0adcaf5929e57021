import * as z from "zod";
import {
  confirmationField,
  connectionIdField,
  effectFields,
  effectOutput,
  effectText,
  effectTimeoutField,
  intentField,
  timestampField,
  timingField,
} from "../fields.ts";
import { performOptions } from "../perform-options.ts";
import { defineTool } from "../tool.ts";

const MAX_TEXT = 10_000;

export const typeText = defineTool({
  name: "type_text",
  title: "Type text",
  description:
    "Types text with the keyboard into whatever has the focus; click there first. Any character can be sent, line breaks " +
    "are Enter and tabs are Tab. As fast as the target takes it unless typing_speed_wpm says otherwise. In assist mode a " +
    "human is asked first and sees the text. `not_typed` lists characters that no key can make.",
  effect: "input",
  input: z.strictObject({
    text: z.string().min(1).max(MAX_TEXT),
    typing_speed_wpm: z
      .number()
      .min(1)
      .max(10_000)
      .optional()
      .describe("Words of five characters a minute. Default: no pauses."),
    clear_existing: z
      .boolean()
      .optional()
      .describe("First selects all in the field (Ctrl+A) and deletes it."),
    require_user_confirmation: confirmationField,
    action_timing_hint: timingField,
    intent: intentField,
    effect_timeout_ms: effectTimeoutField,
    connection_id: connectionIdField,
  }),
  output: z.object({
    success: z.boolean().describe("Every character was typed."),
    typed_length: z.int().describe("Characters that were typed."),
    was_confirmed: z.boolean().describe("A human approved it."),
    timestamp: timestampField,
    not_typed: z.array(z.string()),
    ...effectFields,
  }),
  async handle(args, context) {
    const desktop = await context.readyDesktop(args.connection_id);
    const result = await desktop.perform(
      {
        kind: "type",
        text: args.text,
        wordsPerMinute: args.typing_speed_wpm ?? null,
        clearExisting: args.clear_existing ?? false,
      },
      context.actor,
      performOptions(args, context.signal),
    );
    const missing = result.notTyped.length;
    const typed = [...args.text].length - missing;
    return {
      output: {
        success: missing === 0,
        typed_length: typed,
        was_confirmed: result.wasConfirmed,
        timestamp: context.date().getTime(),
        not_typed: [...result.notTyped],
        ...effectOutput(result.effect),
      },
      // The text itself is not repeated: it may be a secret and the caller knows it.
      text: `Typed ${typed} characters${missing === 0 ? "" : `, ${missing} could not be typed`}. ${effectText(result.effect)}`,
    };
  },
});
