/**
 * Characters that change the order of text or are invisible: format characters, bidirectional controls among these, and
 * whatever else has no glyph of its own (UAX 44).
 */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** C0, DEL and C1, and the two that are line ends to some programs alone. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

/** Words that people read before they decide, in one line: without anything that reorders or hides them. */
export function plainWords(text: string): string {
  return text.replace(UNSEEN, "").replace(CONTROLS, " ");
}

/** A text exactly as it will be typed, what cannot be seen by its code; line ends and tabs stay. */
export function visibleText(text: string): string {
  const coded = (character: string): string => `⟨U+${hexOf(character)}⟩`;
  return text
    .replace(UNSEEN, coded)
    .replace(CONTROLS, (character) => (/[\n\t]/.test(character) ? character : coded(character)));
}

/** Whether a text holds a line end or any other control character: typed, it does more than write. */
export function hasControls(text: string): boolean {
  return text.search(CONTROLS) >= 0;
}

function hexOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}
