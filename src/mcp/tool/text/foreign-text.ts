import { visibleText } from "../../../compositor/look/shown-text.ts";

/** What stands around text that others wrote; nothing of theirs looks like it. */
const FENCE = "untrusted";
const LOOKS_LIKE_FENCE = new RegExp(`<(?=\\s*/?\\s*${FENCE})`, "gi");

/**
 * Text that others wrote (on a screen, in a page, on a clipboard, in a title) as a model reads it: fenced, and with what
 * cannot be seen or reorders it by its code, so that it says what it shows.
 */
export function fenced(text: string): string {
  return `<${FENCE}>\n${visibleText(text).replace(LOOKS_LIKE_FENCE, "‹")}\n</${FENCE}>`;
}

/** The same for structured answers: every string in it, and the field that says so. */
export function untrusted<Answer extends Record<string, unknown>>(answer: Answer): Record<string, unknown> {
  return { ...visibleFields(answer), untrusted: true };
}

function visibleFields(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, visible(inner)]));
}

function visible(value: unknown): unknown {
  if (typeof value === "string") return visibleText(value);
  if (Array.isArray(value)) return value.map(visible);
  return typeof value === "object" && value !== null ? visibleFields(value) : value;
}
