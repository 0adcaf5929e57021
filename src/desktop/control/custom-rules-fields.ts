import * as z from "zod";
import { VERDICT_WORDS } from "./action-class.ts";

const word = z.enum(VERDICT_WORDS).default("ask");
const side = z.int().min(0).max(65_535);

/** Places with a verdict of their own that a person can keep an eye on; each action is compared with all. */
const MAX_AREAS = 32;

const MAX_NAME = 60;

/** The rules of custom mode: what is not named is asked. Areas make pointing stricter where they lie, never freer. */
export const customRulesSchema = z.strictObject({
  pointer: word.describe("Clicks, drags, the wheel, moves."),
  keys: word.describe("Keys and chords."),
  text: word.describe("Typed text."),
  write_clipboard: word.describe("Putting text on the clipboard."),
  read_clipboard: word.describe("Reading what was copied."),
  resize: word.describe("The desktop's size."),
  areas: z
    .array(
      z.strictObject({
        x: side,
        y: side,
        width: side.min(1),
        height: side.min(1),
        verdict: z.enum(["ask", "deny"]),
        name: z.string().max(MAX_NAME).optional().describe("For people: what is there."),
      }),
    )
    .max(MAX_AREAS)
    .default([])
    .describe("Desktop pixels where pointing is stricter than `pointer` says."),
});

export type CustomRules = z.output<typeof customRulesSchema>;
