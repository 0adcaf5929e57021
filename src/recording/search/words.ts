import { wordsOf } from "../format/event-codec.ts";
import type { TrackEntry } from "../format/event-entry.ts";

/** Runs of letters and digits, in small letters: what an index of words is made of. */
export function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The words of all that a search may find in an entry: of it, or of each line of text that came. */
export function unitsOfEntry(entry: TrackEntry): readonly (readonly string[])[] {
  if (entry.type !== "text") return [wordsIn(wordsOf(entry))];
  return entry.came.map(({ text }) => wordsIn(text));
}
