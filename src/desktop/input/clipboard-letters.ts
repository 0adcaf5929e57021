import type { Action } from "../control/action.ts";
import { RefusedError } from "../error.ts";
import type { Link } from "../link.ts";

const OTHER_LETTERS =
  "letters beyond ASCII may arrive as others, for programs there may read its clipboard in another encoding";

/** Refuses an agent a text that the target's clipboard has no letters for: what would arrive is another text. */
export function checkLetters(action: Action, link: Link | null): void {
  if (action.kind !== "paste" && action.kind !== "write_clipboard") return;
  if (link?.hasLatinClipboard !== true || !/[^\0-\xff]/u.test(action.text)) return;
  throw new RefusedError(
    "not_supported",
    "got letters beyond ISO 8859-1, and this desktop's clipboard takes no others: they would become ?, so type the text with type_text",
  );
}

/** A doubt about a text on a clipboard that never shows what it took, with what may have become of its letters. */
export function withLetters(doubt: string, text: string): string {
  return /[^\0-\x7f]/u.test(text) ? `${OTHER_LETTERS}; ${doubt}` : doubt;
}
