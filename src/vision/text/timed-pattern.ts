import { createContext, Script } from "node:vm";
import { VisionError } from "../error.ts";
import type { Span } from "../private/span.ts";

/** Throws VisionError bad_pattern for what is no regular expression. */
export function compilePattern(pattern: string, isCaseSensitive: boolean): RegExp {
  try {
    return new RegExp(pattern, isCaseSensitive ? "gu" : "giu");
  } catch (cause) {
    throw new VisionError("bad_pattern", "got a pattern that is no regular expression of JavaScript", {
      cause,
    });
  }
}

/** Made once: a context takes longer than most searches. */
const timed: { search: () => void } = { search: () => {} };
const context = createContext(timed);
const script = new Script("search()");

/**
 * What a pattern with the flag `g` matches in each text; null where that takes longer: some take ages to find out that a
 * text does not match. V8 asks between steps of a match whether its script's time is over: only scripts of `vm` have a time.
 */
export function matchesInTime(pattern: RegExp, texts: readonly string[], limitMs: number): Span[][] | null {
  const found: Span[][] = [];
  const search = (): void => {
    for (const text of texts) {
      const spans: Span[] = [];
      for (const match of text.matchAll(pattern)) {
        if (match[0] !== "") spans.push({ from: match.index, to: match.index + match[0].length });
      }
      found.push(spans);
    }
  };
  try {
    timed.search = search;
    script.runInContext(context, { timeout: limitMs });
  } catch {
    return null;
  } finally {
    timed.search = () => {};
  }
  return found;
}
