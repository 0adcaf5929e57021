import { COLOUR_NAMES } from "./colour-names.ts";
import { CompositorError, quoted } from "./error.ts";

/** What callers may write, for messages and docs. */
const COLOUR_FORMS = "a CSS colour name such as yellow or tomato, #rgb or #rrggbb";

/**
 * A colour as "#rrggbb": one of the 148 CSS names, or hex of 3, 4, 6 or 8 digits, in any case. The alpha digits of
 * #rgba and #rrggbbaa are ignored: an overlay has its own opacity. Throws CompositorError bad_colour for all else.
 */
export function parseColour(text: string): string {
  const wanted = text.trim().toLowerCase();
  const named = COLOUR_NAMES.get(wanted);
  if (named !== undefined) return named;
  if (/^#[0-9a-f]{3,4}$/.test(wanted)) return `#${[...wanted.slice(1, 4)].map((c) => c + c).join("")}`;
  if (/^#(?:[0-9a-f]{6}|[0-9a-f]{8})$/.test(wanted)) return wanted.slice(0, 7);
  throw new CompositorError("bad_colour", `colour ${quoted(text)} is not known: expected ${COLOUR_FORMS}`);
}
