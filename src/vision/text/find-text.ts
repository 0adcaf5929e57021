import { boundRects, type Rect } from "../../framebuffer/rect.ts";
import { VisionError } from "../error.ts";
import type { TextLine, TextMatch, TextQuery, TextWord } from "./text-line.ts";
import { compilePattern, matchesInTime } from "./timed-pattern.ts";

/** Matches in an answer: a query with more of them is too wide to act on. */
const MOST_MATCHES = 200;
/** Of one pattern over all lines; the clock goes on while other programs have the processor, so it has a second try. */
const PATTERN_MS = 100;
const PATIENT_MS = 400;
/** What is less alike is something else. */
const LEAST_ALIKE = 0.7;

/** Where in a line's text, half-open, and how much it is alike. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly alike: number;
}

/**
 * Where a text stands in lines, in reading order; what is alike, the most alike first. Throws VisionError bad_pattern for
 * a regular expression that is none, or that takes too long.
 */
export function findText(lines: readonly TextLine[], query: TextQuery): TextMatch[] {
  const spans =
    query.match === "regex" ? spansOfPattern(lines, query) : lines.map(({ text }) => spansOf(text, query));
  const found = lines.flatMap((line, index) =>
    (spans[index] ?? []).flatMap((span) => matchOf(line, span) ?? []),
  );
  if (query.match === "fuzzy") found.sort((a, b) => b.alike - a.alike);
  return found.slice(0, MOST_MATCHES).map(({ alike: _, ...match }) => match);
}

function matchOf(
  { text, words }: TextLine,
  { from, to, alike }: Span,
): (TextMatch & { alike: number }) | null {
  let start = 0;
  const rects: Rect[] = [];
  let letters = 0;
  let sure = 0;
  for (const word of words) {
    const first = Math.max(0, from - start);
    const end = Math.min(word.text.length, to - start);
    if (end > first) {
      rects.push(partOf(word, first, end));
      letters += end - first;
      sure += (end - first) * word.confidence;
    }
    start += word.text.length + 1;
  }
  if (letters === 0) return null;
  const score = Math.round((alike * sure) / letters) / 100;
  return { text: text.slice(from, to), rect: rects.reduce(boundRects), line: text, score, alike };
}

/** Of some letters of a word: as if all were of one width. */
function partOf({ text, rect }: TextWord, from: number, to: number): Rect {
  const left = rect.x + Math.floor((rect.width * from) / text.length);
  const right = rect.x + Math.ceil((rect.width * to) / text.length);
  return { ...rect, x: left, width: Math.max(1, right - left) };
}

function spansOf(text: string, { text: sought, match, isCaseSensitive }: TextQuery): Span[] {
  const line = plain(text, isCaseSensitive);
  const wanted = plain(sought, isCaseSensitive).replace(/\s+/g, " ").trim();
  if (wanted === "") return [];
  if (match === "fuzzy") return alikeIn(line, wanted);
  const found: Span[] = [];
  for (let from = line.indexOf(wanted); from >= 0; from = line.indexOf(wanted, from + wanted.length)) {
    const to = from + wanted.length;
    const isWhole = !isLetter(line[from - 1]) && !isLetter(line[to]);
    if (match !== "words" || isWhole) found.push({ from, to, alike: 1 });
  }
  return found;
}

const isLetter = (letter: string | undefined): boolean =>
  letter !== undefined && /[\p{L}\p{N}]/u.test(letter);

/** Signs that look the same as one, so that who seeks need not know which was drawn. As long as the text. */
function plain(text: string, isCaseSensitive: boolean): string {
  const signs = text
    .replace(/[‘’`´]/g, "'")
    .replace(/[“”„]/g, '"')
    .replace(/[‐‑–—−]/g, "-");
  if (isCaseSensitive) return signs;
  // Letter by letter: the small form of some is longer, and places would move.
  return signs.replace(/\p{Lu}/gu, (letter) => {
    const small = letter.toLowerCase();
    return small.length === letter.length ? small : letter;
  });
}

/**
 * The place in a line that is most like a text, by the changes it takes (Sellers' algorithm); none where too many. Of
 * each letter of the line only as much of the text is looked at as can still be alike (Ukkonen's cut-off).
 */
function alikeIn(line: string, wanted: string): Span[] {
  const letters = wanted.length;
  const most = Math.ceil((1 - LEAST_ALIKE) * letters);
  // Of so many letters of the text, up to one of the line: the least changes, and where the match begins.
  const costs = Int32Array.from({ length: letters + 1 }, (_, at) => at);
  const starts = new Int32Array(letters + 1);
  /** What lies beyond takes more changes than there may be. */
  let last = Math.min(letters, most);
  let best = { cost: letters, from: 0, to: 0 };
  for (let to = 1; to <= line.length; to++) {
    const letter = line.charCodeAt(to - 1);
    let [before, beforeStart] = [0, to - 1];
    starts[0] = to;
    const end = Math.min(letters, last + 1);
    let reached = 0;
    for (let at = 1; at <= end; at++) {
      const was = at <= last ? costs[at]! : most + 1;
      const wasStart = starts[at]!;
      const same = before + (wanted.charCodeAt(at - 1) === letter ? 0 : 1);
      const missing = costs[at - 1]! + 1;
      const least = Math.min(same, missing, was + 1);
      costs[at] = least;
      starts[at] = least === same ? beforeStart : least === missing ? starts[at - 1]! : wasStart;
      if (least <= most) reached = at;
      before = was;
      beforeStart = wasStart;
    }
    last = reached;
    if (last === letters && costs[letters]! < best.cost) {
      best = { cost: costs[letters]!, from: starts[letters]!, to };
    }
  }
  const { cost, from, to } = best;
  const alike = 1 - cost / letters;
  return alike >= LEAST_ALIKE && to > from ? [{ from, to, alike }] : [];
}

function spansOfPattern(lines: readonly TextLine[], { text, isCaseSensitive }: TextQuery): Span[][] {
  const pattern = compilePattern(text, isCaseSensitive);
  const texts = lines.map((line) => line.text);
  const found = matchesInTime(pattern, texts, PATTERN_MS) ?? matchesInTime(pattern, texts, PATIENT_MS);
  if (found === null) {
    throw new VisionError(
      "bad_pattern",
      `the pattern took more than ${PATIENT_MS} ms: give one without repetitions inside of repetitions`,
    );
  }
  return found.map((spans) => spans.map((span) => ({ ...span, alike: 1 })));
}
