import * as z from "zod";
import { parseChord } from "../model/key-chord.ts";
import { act, actedFields, actingFields } from "../tool/acting.ts";
import { defineTool } from "../tool/tool.ts";

const MAX_TEXT = 100_000;

export const pasteText = defineTool({
  name: "paste_text",
  title: "Paste text",
  description:
    "Puts text on the desktop's clipboard and presses the keys that paste it into what has the focus. For long texts and for " +
    "characters that no key makes. Terminals mostly paste with ctrl+shift+v. `unverified`: the text from before may have come.",
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
    const acted = await act(context, desktop, { kind: "paste", text: args.text, keysyms, name }, args);
    const length = Array.from(acted.result.edit?.text ?? args.text).length;
    return {
      output: { pasted_length: length, ...acted.output },
      text: `Pasted ${length} characters. ${acted.text}`,
      ...acted.images,
    };
  },
});
