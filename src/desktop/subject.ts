import type { Point } from "../framebuffer/rect.ts";
import type { Action } from "./action.ts";

/** What the policy tells apart: each has one verdict in each mode. */
export const SUBJECTS = ["pointer", "keys", "text", "write_clipboard", "read_clipboard", "resize"] as const;
export type Subject = (typeof SUBJECTS)[number];

/** From the most freedom to the least. */
export const WORDS = ["allow", "ask", "deny"] as const;
export type VerdictWord = (typeof WORDS)[number];

/** The one that gives an agent less. */
export function stricterWord(a: VerdictWord, b: VerdictWord): VerdictWord {
  return WORDS.indexOf(a) >= WORDS.indexOf(b) ? a : b;
}

/** Whether `to` gives more than `from`. */
export function isWeakerWord(from: VerdictWord, to: VerdictWord): boolean {
  return WORDS.indexOf(to) < WORDS.indexOf(from);
}

/** All that an action is to the policy: it needs every one of them. None where it only lets go, which no mode refuses. */
export function subjectsOf(action: Action): readonly Subject[] {
  if (action.kind === "paste") return ["write_clipboard", "keys"];
  const subject = subjectOf(action);
  return subject === null ? [] : [subject];
}

/** What an action does with the hands: where it points, or where its keys go; null where it only lets go. */
export function subjectOf(action: Action): Subject | null {
  switch (action.kind) {
    case "release":
      return null;
    case "type":
      return "text";
    case "read_clipboard":
    case "write_clipboard":
    case "resize":
      return action.kind;
    case "key":
    case "chords":
    case "hold":
    case "paste":
      return "keys";
    default:
      return "pointer";
  }
}

/** Every place on the desktop that an action touches by pointing, `pointer` being where the pointer is. */
export function pointsOf(action: Action, pointer: Point): readonly Point[] {
  if (action.kind === "drag") return action.path;
  if (subjectOf(action) !== "pointer" || !("x" in action)) return [];
  return [{ x: action.x ?? pointer.x, y: action.y ?? pointer.y }];
}

/** Whether an action does something to the desktop, so that only who holds the input may. */
export function isInput(action: Action): boolean {
  return action.kind !== "read_clipboard";
}

/** What a person does with their hands; a viewer that shares its clipboard or its size by itself takes nothing over. */
export function isTakeOver(action: Action): boolean {
  return action.kind !== "read_clipboard" && action.kind !== "write_clipboard" && action.kind !== "resize";
}
