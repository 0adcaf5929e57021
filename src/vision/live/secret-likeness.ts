import { digitOf, type Span } from "../private/span.ts";

/** What a letter that is the same counts, and one that is another, too many or missing. */
const SAME = 2;
const OTHER = -1;
/** Of what a whole secret counts, so much: two letters of thirteen may be misread. */
const LEAST_PART = 0.7;
/** Of a longer line only so much is looked at. */
const MOST_LETTERS = 1000;

/**
 * Where a secret stands in a line as readers read it: letters that they take for each other are the same, and some may be
 * wrong, missing or too many. The best alignment of a part of the line with the secret (Smith and Waterman, 1981); what
 * of the secret is not in it is taken to be beside it.
 *
 * INVARIANT: less than most of the secret is never found, for what is covered tells whoever may write on the screen
 * that this was it: whoever found out parts could find out the rest, letter by letter.
 */
export function spansLike(text: string, secret: string): Span[] {
  const line = folded(text.slice(0, MOST_LETTERS));
  const wanted = folded(secret).letters;
  const least = Math.ceil(wanted.length * SAME * LEAST_PART);
  const spans: (Span & { readonly score: number })[] = [];
  /** By how many letters of the secret came: what it counts, and where it began in line and secret. */
  let before = wanted.map(() => NOTHING);
  for (const [at, letter] of line.letters.entries()) {
    const row: Alignment[] = [];
    for (const [nth, one] of wanted.entries()) {
      const shorter = nth === 0 ? NOTHING : (before[nth - 1] ?? NOTHING);
      const begun = shorter.score === 0 ? { score: 0, line: at, secret: nth } : shorter;
      const gained = { ...begun, score: begun.score + (one === letter ? SAME : OTHER) };
      const best = [gained, lessOne(before[nth]), lessOne(row[nth - 1])].reduce((a, b) =>
        b.score > a.score ? b : a,
      );
      row.push(best.score > 0 ? best : NOTHING);
      if (best.score < least) continue;
      const first = Math.max(0, best.line - best.secret);
      const end = Math.min(line.letters.length - 1, at + wanted.length - 1 - nth);
      const span = { from: line.places[first] ?? 0, to: (line.places[end] ?? 0) + 1 };
      const last = spans.at(-1);
      if (last === undefined || span.from >= last.to) spans.push({ ...span, score: best.score });
      // Of alignments that overlap the best one tells where it ends.
      else if (best.score > last.score) {
        spans[spans.length - 1] = { from: Math.min(last.from, span.from), to: span.to, score: best.score };
      }
    }
    before = row;
  }
  return spans.map(({ from, to }) => ({ from, to }));
}

interface Alignment {
  readonly score: number;
  readonly line: number;
  readonly secret: number;
}

const NOTHING: Alignment = { score: 0, line: 0, secret: 0 };

const lessOne = (one: Alignment = NOTHING): Alignment => ({ ...one, score: one.score + OTHER });

/** Letters as readers tell them apart, without spaces, and where each stands. */
function folded(text: string): { readonly letters: readonly string[]; readonly places: readonly number[] } {
  const letters: string[] = [];
  const places: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? "";
    if (/\s/.test(letter)) continue;
    letters.push(digitOf(letter) ?? letter.toLowerCase());
    places.push(at);
  }
  return { letters, places };
}
