import { COLOUR_NAMES } from "./colour-names.ts";
import { CompositorError, quoted } from "./error.ts";

/** What callers may write, for messages and docs. */
export const COLOUR_FORMS = "a CSS colour name such as yellow or tomato, #rgb or #rrggbb";

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

/** "#rrggbb" and an opacity of 0 to 1 as canvas takes it. */
export function withAlpha(colour: string, opacity: number): string {
  const [red, green, blue] = channels(colour);
  return `rgba(${red}, ${green}, ${blue}, ${opacity})`;
}

/** Black or white, whichever is read more easily on this colour (the larger WCAG 2 contrast). */
export function inkOn(colour: string): "#000000" | "#ffffff" {
  // (L + 0.05) / 0.05 = 1.05 / (L + 0.05) at L = 0.179.
  return luminance(colour) > 0.179 ? "#000000" : "#ffffff";
}

/** Relative luminance of "#rrggbb", 0 to 1, WCAG 2.2. */
export function luminance(colour: string): number {
  const [red, green, blue] = channels(colour);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

function channels(colour: string): readonly [number, number, number] {
  const word = Number.parseInt(colour.slice(1), 16);
  return [word >> 16, (word >> 8) & 255, word & 255];
}
