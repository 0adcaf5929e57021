/** Where in a text, half-open. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * All matches of a pattern with the flag `g`, as String.matchAll has them, but of the pattern itself: that makes a copy, whose
 * code V8 compiles anew (milliseconds, of classes of Unicode) when its cache of patterns was collected as garbage.
 */
export function matchesOf(text: string, pattern: RegExp): RegExpExecArray[] {
  const all: RegExpExecArray[] = [];
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    all.push(found);
    // As String.matchAll goes on: within a pair of surrogates a Unicode pattern would find the same place for ever.
    if (found[0] === "") pattern.lastIndex += isPairAt(text, found.index) && pattern.unicode ? 2 : 1;
  }
  return all;
}

function isPairAt(text: string, index: number): boolean {
  return (text.codePointAt(index) ?? 0) > 0xffff;
}

/** All matches of a pattern with the flag `g`; those that `isMeant` says are some. */
export function spansOf(
  text: string,
  pattern: RegExp,
  isMeant: (found: RegExpExecArray) => boolean = () => true,
): Span[] {
  const spans: Span[] = [];
  for (const found of matchesOf(text, pattern)) {
    if (isMeant(found)) spans.push({ from: found.index, to: found.index + found[0].length });
  }
  return spans;
}

/**
 * A digit, or a letter that readers take it for. One letter each, so that places stay what they are.
 */
const LOOKALIKES: ReadonlyMap<string, string> = new Map([
  ...[..."OoQD"].map((letter) => [letter, "0"] as const),
  ...[..."Il|i!"].map((letter) => [letter, "1"] as const),
  ...[..."Zz"].map((letter) => [letter, "2"] as const),
  ...[..."Ss"].map((letter) => [letter, "5"] as const),
  ["G", "6"],
  ["B", "8"],
]);

/** The digit that a letter may be; null for none. */
export function digitOf(letter: string): string | null {
  return letter >= "0" && letter <= "9" ? letter : (LOOKALIKES.get(letter) ?? null);
}

/** Where more of a run is letters than this it is a word that looks like digits. */
const LEAST_DIGITS = 0.5;

/** A text with digits where readers took one among digits for a letter; as long as it was, so that places stay. */
export function withDigits(text: string): string {
  return text.replace(/[\p{L}\p{N}|!]+/gu, (run) => {
    if (!/\d/.test(run) || !/\D/.test(run)) return run;
    const digits = Array.from(run, digitOf);
    const sure = run.replace(/\D/g, "").length;
    return digits.includes(null) || sure < LEAST_DIGITS * run.length ? run : digits.join("");
  });
}
