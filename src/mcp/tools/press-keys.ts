import * as z from "zod";
import { type Chord, parseChord, textOf } from "../model/key-chord.ts";
import { act, actedFields, actingFields } from "../tool/acting.ts";
import { LISTED_AS, LONGEST_WAIT_MS } from "../tool/fields.ts";
import { defineTool } from "../tool/tool.ts";

/** A chord's text: ten names of keys. */
const chordText = z.string().min(1).max(200);
const MAX_CHORDS = 50;

export const pressKeys = defineTool({
  name: "press_keys",
  title: "Press keys",
  description:
    'Presses keys together: "ctrl+shift+t", "alt+F4", "enter", "Page_Down", "ctrl++". A list is pressed one after the other. ' +
    "Names of X11 and of browsers, in any case; cmd, win and super are one key. For text use type_text.",
  effect: "input",
  input: z.strictObject({
    keys: z
      .union([chordText, z.array(chordText).min(1).max(MAX_CHORDS)])
      .meta(LISTED_AS.bare)
      .describe("One chord, or several in order."),
    repeat: z.int().min(1).max(100).optional().describe("How often. Default 1."),
    hold_ms: z
      .int()
      .min(0)
      .max(LONGEST_WAIT_MS)
      .optional()
      .describe("How long each chord is held. Default 0."),
    ...actingFields,
  }),
  output: z.object({ pressed: z.int().describe("Chords pressed."), ...actedFields }),
  async handle(args, context) {
    const chords = (typeof args.keys === "string" ? [args.keys] : args.keys).map((text) => parseChord(text));
    const repeat = args.repeat ?? 1;
    const desktop = await context.readyDesktop(args.connection_id);
    const acted = await act(context, desktop, pressing(chords, repeat, args.hold_ms ?? 0), args);
    const missing = acted.result.notTyped.length;
    const pressed = chords.length * repeat - missing;
    const lost = missing === 0 ? "" : `, ${missing} that no key makes could not be`;
    return {
      output: { pressed, ...acted.output, success: missing === 0 },
      text: `Pressed ${pressed} ${pressed === 1 ? "chord" : "chords"}${lost}. ${acted.text}`,
      ...acted.images,
    };
  },
});

/** Characters alone are text, and are approved and logged as text. */
export function pressing(chords: readonly Chord[], repeat: number, holdMs: number) {
  const texts = chords.map(textOf);
  if (holdMs === 0 && chords.length > 1 && texts.every((text) => text !== null)) {
    const text = texts.join("").repeat(repeat);
    return { kind: "type", text, wordsPerMinute: null, clearExisting: false } as const;
  }
  return {
    kind: "chords",
    chords: chords.map(({ keysyms }) => keysyms),
    repeat,
    holdMs,
    names: chords.map(({ name }) => name),
  } as const;
}
