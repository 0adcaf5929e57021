import type { TextTerms } from "../../desktop/masks/text-reader.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import type { OcrLine } from "../ocr-messages.ts";
import { compilePattern, matchesInTime } from "../text/timed-pattern.ts";
import { boxOf, privateIn } from "./find-private.ts";
import type { Span } from "./span.ts";
import { isUnsure, unsureIn } from "./unsure.ts";

/** Of a pattern on one line, in a thread of its own: what takes longer counts as a match of all of the line. */
const PATTERN_MS = 250;
/** A pattern that took so long on as many lines is tried no more: all lines count as matches. */
const MOST_SLOW = 3;

/** Where text is that terms mean, within a line. */
export class TermMatcher {
  readonly #terms: TextTerms;
  readonly #pattern: RegExp | null;
  #slow = 0;

  /** Throws VisionError bad_pattern. */
  constructor(terms: TextTerms) {
    this.#terms = terms;
    this.#pattern = terms.pattern === null ? null : compilePattern(terms.pattern, true);
  }

  /**
   * The boxes of the words that are meant, of their own height. `isPointed`: a pointer may lie on the line; of one that was read
   * with doubt then nobody can say that it does not match a pattern.
   */
  boxesIn(line: OcrLine, isPointed = false): readonly Rect[] {
    const { kinds } = this.#terms;
    const spans: Span[] = [...privateIn(line.text, kinds), ...(isPointed ? unsureIn(line, kinds) : [])];
    if (this.#pattern !== null) {
      if (isPointed && isUnsure(line)) return [line.rect];
      const own = this.#slow < MOST_SLOW ? matchesInTime(this.#pattern, [line.text], PATTERN_MS) : null;
      if (own === null) {
        this.#slow++;
        return [line.rect];
      }
      spans.push(...own.flat());
    }
    return spans.flatMap((span) => boxOf(line, span) ?? []);
  }
}
