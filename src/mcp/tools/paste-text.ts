import * as z from "zod";
import { parseChord } from "../../desktop/chord.ts";
import { act, actedFields, actingFields } from "../acting.ts";
import { performOptions } from "../perform-options.ts";
import { defineTool } from "../tool.ts";

const MAX_TEXT = 100_000;

export const pasteText = defineTool({
  name: "paste_text",
  title: "Paste text",
  description:
    "Puts text on the desktop's clipboard and presses the keys that paste, into whatever has the focus. Faster than " +
    "type_text for long texts, and for characters that no key makes. Terminals mostly paste with ctrl+shift+v. In assist " +
    "mode a human is asked twice: for the clipboard, with the text, and for the keys.",
  effect: "input",
  input: z.strictObject({
    text: z.string().min(1).max(MAX_TEXT),
    paste_keys: z.string().min(1).max(200).optional().describe("Default ctrl+v; cmd+v on a Mac."),
    ...actingFields,
  }),
  output: z.object({ pasted_length: z.int().describe("Characters."), ...actedFields }),
  async handle(args, context) {
    const { keysyms, name } = parseChord(args.paste_keys ?? "ctrl+v");
    const desktop = await context.readyDesktop(args.connection_id);
    const options = performOptions({ ...args, effect_timeout_ms: 0 }, context.signal);
    const written = await desktop.perform(
      { kind: "write_clipboard", text: args.text },
      context.actor,
      options,
    );
    const chord = { kind: "chords", chords: [keysyms], names: [name], repeat: 1, holdMs: 0 } as const;
    const acted = await act(context, desktop, chord, args);
    const length = Array.from(args.text).length;
    return {
      output: {
        pasted_length: length,
        ...acted.output,
        was_confirmed: acted.output.was_confirmed || written.wasConfirmed,
      },
      text: `Pasted ${length} characters. ${acted.text}`,
      ...acted.images,
    };
  },
});
