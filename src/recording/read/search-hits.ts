import { boundRects, type Rect } from "../../framebuffer/rect.ts";
import { wordsOf } from "../format/event-codec.ts";
import type { RecordedLine, TrackEntry } from "../format/event-entry.ts";
import type { SearchHit } from "./reader.ts";

/** The words of a query, as they are compared. */
export function queryWords(query: string): readonly string[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

/** A line moves by so much, at most, when it grows. */
const STEADY_PIXELS = 4;

/** What of entries in order holds all of some words. */
export class SearchHits {
  readonly #words: readonly string[];
  readonly #found: { -readonly [Key in keyof SearchHit]: SearchHit[Key] }[] = [];
  /** Lines that were found and still stand, by id. */
  readonly #standing = new Map<number, { readonly line: RecordedLine; readonly at: number }>();

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  get count(): number {
    return this.#found.length;
  }

  get hits(): readonly SearchHit[] {
    return this.#found;
  }

  add(entry: TrackEntry): void {
    if (entry.type !== "text") {
      const text = wordsOf(entry);
      const lower = text.toLowerCase();
      if (!this.#words.every((word) => lower.includes(word))) return;
      this.#found.push({ atMs: entry.atMs, entry, text, rect: null, untilMs: null });
      return;
    }
    const { shownMs, gone, came } = entry;
    const left = gone.flatMap((id) => {
      const known = this.#standing.get(id);
      this.#standing.delete(id);
      return known ?? [];
    });
    const { moved } = entry;
    for (const { id, x, y } of moved) {
      const known = this.#standing.get(id);
      if (known !== undefined) this.#standing.set(id, { ...known, line: { ...known.line, x, y } });
    }
    for (const { at } of left) {
      const hit = this.#found[at];
      if (hit !== undefined) hit.untilMs = shownMs;
    }
    for (const line of came) {
      const rect = placeOfWords(line, this.#words);
      if (rect === null) continue;
      const grown = left.find((before) => isGrown(before.line, line));
      const hit = grown === undefined ? undefined : this.#found[grown.at];
      if (grown !== undefined && hit !== undefined) {
        this.#standing.set(line.id, { line, at: grown.at });
        hit.untilMs = null;
        continue;
      }
      this.#standing.set(line.id, { line, at: this.#found.length });
      this.#found.push({ atMs: shownMs, entry, text: line.text, rect, untilMs: null });
    }
  }
}

/** Whether a line is another one with letters added or taken at its end: what is being typed. */
export function isGrown(before: RecordedLine, now: RecordedLine): boolean {
  const isSteady = Math.abs(before.x - now.x) <= STEADY_PIXELS && Math.abs(before.y - now.y) <= STEADY_PIXELS;
  return isSteady && (now.text.startsWith(before.text) || before.text.startsWith(now.text));
}

/** Where words stand in a line, desktop pixels: together where they do, else around the first of each; null: not all do. */
export function placeOfWords(line: RecordedLine, words: readonly string[]): Rect | null {
  const lower = line.text.toLowerCase();
  const phrase = words.join(" ");
  const at = lower.indexOf(phrase);
  const spans =
    at >= 0
      ? [{ from: at, to: at + phrase.length }]
      : words.map((word) => ({ from: lower.indexOf(word), to: lower.indexOf(word) + word.length }));
  if (spans.some(({ from }) => from < 0)) return null;
  const { x, y, width, height } = line;
  // The small form of some letters is longer: then places in it say nothing of the text.
  if (lower.length !== line.text.length) return { x, y, width, height };
  return spans.map((span) => placeOf(line, span)).reduce(boundRects);
}

/** Of letters from one place to another in a line; as if all letters of a word were of one width. */
function placeOf(
  { text, words, x, y, width, height }: RecordedLine,
  { from, to }: { readonly from: number; readonly to: number },
): Rect {
  let start = 0;
  let left = width;
  let right = 0;
  for (const [i, word] of text.split(" ").entries()) {
    const begins = words[2 * i];
    const ends = words[2 * i + 1];
    if (begins === undefined || ends === undefined) break;
    const first = Math.max(0, from - start);
    const last = Math.min(word.length, to - start);
    if (last > first) {
      const letter = (ends - begins) / word.length;
      left = Math.min(left, Math.floor(begins + first * letter));
      right = Math.max(right, Math.ceil(begins + last * letter));
    }
    start += word.length + 1;
  }
  if (right <= left) return { x, y, width, height };
  return { x: x + left, y, width: right - left, height };
}
