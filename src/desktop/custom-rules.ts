import * as z from "zod";
import { holdsPoint, holdsRect, type Point } from "../framebuffer/rect.ts";
import { RefusedError } from "./error.ts";
import { isWeakerWord, type Subject, stricterWord, type VerdictWord, WORDS } from "./subject.ts";

const word = z.enum(WORDS).default("ask");
const side = z.int().min(0).max(65_535);

/** Places with a verdict of their own that a person can keep an eye on; each action is compared with all. */
const MAX_AREAS = 32;

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
      }),
    )
    .max(MAX_AREAS)
    .default([])
    .describe("Desktop pixels where pointing is stricter than `pointer` says."),
});

export type CustomRules = z.output<typeof customRulesSchema>;

/** Reads what a caller gave as rules; nothing asks for everything. Throws RefusedError invalid_parameters. */
export function readCustomRules(metadata: unknown): CustomRules {
  const parsed = customRulesSchema.safeParse(metadata ?? {});
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues
    .slice(0, 4)
    .map(({ path, message }) => `${path.join(".") || "metadata"}: ${message}`);
  throw new RefusedError(
    "invalid_parameters",
    `got rules of custom mode that cannot be read (${faults.join("; ").slice(0, 400)}): expected pointer, keys, text, write_clipboard, read_clipboard, resize, each ${WORDS.join(", ")}, and areas`,
  );
}

/** What the rules say of a subject at these places. */
export function customWord(rules: CustomRules, subject: Subject, points: readonly Point[]): VerdictWord {
  let verdict: VerdictWord = rules[subject];
  if (subject !== "pointer") return verdict;
  for (const area of rules.areas) {
    if (points.some(({ x, y }) => holdsPoint(area, x, y))) verdict = stricterWord(verdict, area.verdict);
  }
  return verdict;
}

/** Whether a place that `from` made stricter is left freer by `to`. */
export function weakensAreas(from: CustomRules, to: CustomRules | null, pointer: VerdictWord): boolean {
  return from.areas.some((old) => {
    if (!isWeakerWord(old.verdict, pointer)) return false;
    const covers = to?.areas.some((area) => holdsRect(area, old) && !isWeakerWord(old.verdict, area.verdict));
    return covers !== true;
  });
}
