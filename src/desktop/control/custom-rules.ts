import { holdsPoint, holdsRect, type Point } from "../../framebuffer/rect.ts";
import { RefusedError } from "../error.ts";
import {
  type ActionClass,
  isCrossed,
  isWeakerWord,
  stricterWord,
  VERDICT_WORDS,
  type VerdictWord,
} from "./action-class.ts";
import { type CustomRules, customRulesSchema } from "./custom-rules-fields.ts";

/** Reads what a caller gave as rules; nothing asks for everything. Throws RefusedError invalid_parameters. */
export function readCustomRules(metadata: unknown): CustomRules {
  const parsed = customRulesSchema.safeParse(metadata ?? {});
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues
    .slice(0, 4)
    .map(({ path, message }) => `${path.join(".") || "metadata"}: ${message}`);
  throw new RefusedError(
    "invalid_parameters",
    `got rules of custom mode that cannot be read (${faults.join("; ").slice(0, 400)}): expected pointer, keys, text, write_clipboard, read_clipboard, resize, each ${VERDICT_WORDS.join(", ")}, and areas`,
  );
}

/** The first area that decides at a place: the strictest that holds it, where it is stricter than the rest. */
export function decidingArea(rules: CustomRules, point: Point): number | null {
  const verdict = customWord(rules, "pointer", [point]);
  if (!isWeakerWord(verdict, rules.pointer)) return null;
  const index = rules.areas.findIndex(
    (area) => area.verdict === verdict && holdsPoint(area, point.x, point.y),
  );
  return index < 0 ? null : index;
}

/** What the rules say of an action class, `path` being the way of the pointer. */
export function customWord(
  rules: CustomRules,
  actionClass: ActionClass,
  path: readonly Point[],
): VerdictWord {
  let verdict: VerdictWord = rules[actionClass];
  if (actionClass !== "pointer") return verdict;
  for (const area of rules.areas) {
    if (isCrossed(area, path)) verdict = stricterWord(verdict, area.verdict);
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
