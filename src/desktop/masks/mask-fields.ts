import * as z from "zod";
import { SECRET_NAME } from "../input/placeholders.ts";
import { AUDIENCES, type Audience, isViewer } from "../view.ts";
import { PRIVATE_KINDS } from "./private-kinds.ts";

const ALL = ["agent", "viewer", "recording"] as const satisfies readonly Audience[];

/**
 * Each once. Whoever is among `viewer` needs no role, and people of every role may watch recordings: what is hidden from
 * one is not recorded.
 */
function withRecordings(said: readonly Audience[]): readonly Audience[] {
  const isOfRoles = said.some((audience) => isViewer(audience) && audience !== "viewer");
  return AUDIENCES.filter((audience) => {
    if (audience === "recording") return isOfRoles || said.includes(audience);
    return (
      said.includes(audience) && (audience === "viewer" || !isViewer(audience) || !said.includes("viewer"))
    );
  });
}

/** A side of no desktop is longer: see MAX_SIDE of the framebuffer. */
const MOST = 16_384;

export const maskRectSchema = z.strictObject({
  x: z.int().min(-MOST).max(MOST),
  y: z.int().min(-MOST).max(MOST),
  width: z.int().min(1).max(MOST),
  height: z.int().min(1).max(MOST),
});

const LONGEST_PATTERN = 500;

function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}

const textSchema = z
  .strictObject({
    kinds: z
      .array(z.enum(PRIVATE_KINDS, { error: `expected ${PRIVATE_KINDS.join(", ")}` }))
      .max(20)
      .default([])
      .transform((said) => PRIVATE_KINDS.filter((kind) => said.includes(kind))),
    pattern: z
      .string()
      .min(1)
      .max(LONGEST_PATTERN)
      .refine(isPattern, "expected a regular expression of JavaScript with the flag u")
      .exactOptional(),
    secrets: z
      .array(z.string().regex(SECRET_NAME, 'expected 1 to 64 letters, digits, ".", "_" or "-"'))
      .min(1)
      .max(20)
      .exactOptional(),
  })
  .refine(
    ({ kinds, pattern, secrets }) => kinds.length > 0 || pattern !== undefined || secrets !== undefined,
    "expected at least one of kinds, a pattern, or names of secrets",
  );

/** Of a selector; whether it is one only a page can say. */
const LONGEST_SELECTOR = 500;

/** What is said of a mask in the configuration and over REST, in the words of the wire. */
export const maskFields = {
  rect: maskRectSchema
    .exactOptional()
    .describe(
      "What is hidden, in pixels of the desktop, or of the monitor where one is named; with text: where that is looked for, " +
        "by default everywhere.",
    ),
  text: textSchema
    .exactOptional()
    .describe(
      `Text that is hidden wherever it stands: kinds (${PRIVATE_KINDS.join(", ")}), a pattern, a regular expression that ` +
        "matches within one line, and secrets, names of stored ones, whose values of 8 characters and more are looked for. What changes is covered until it was read.",
    ),
  element: z
    .string()
    .trim()
    .min(1)
    .max(LONGEST_SELECTOR)
    .exactOptional()
    .describe(
      "A selector of CSS: in tabs that browsers share, its elements are hidden wherever a desktop shows them, and what they " +
        "say is in no tree of elements. Not with rect or text.",
    ),
  monitor: z
    .int()
    .min(1)
    .max(255)
    .exactOptional()
    .describe("Counted from 1: the rectangle is counted from its corner and ends with it."),
  audiences: z
    .array(z.enum(AUDIENCES, { error: `expected ${AUDIENCES.join(", ")}` }))
    .min(1)
    .default([...ALL])
    .transform(withRecordings)
    .describe(
      "From whom: agent (all that agents get), viewer (browsers, VNC viewers, pictures for people), or people of a role " +
        "alone: viewer:operator, viewer:approver, viewer:viewer, with recordings; recording. Default: all.",
    ),
  label: z.string().max(80).exactOptional().describe("What people read beside it; agents are not told."),
} as const;

/** For schemas of these fields: what a mask hides must be said. */
export const hidesSomething = [
  ({
    rect,
    text,
    element,
    monitor,
  }: Readonly<Partial<Record<"rect" | "text" | "element" | "monitor", unknown>>>) =>
    element === undefined
      ? rect !== undefined || text !== undefined
      : rect === undefined && text === undefined && monitor === undefined,
  "expected rect, or text, or both, or an element alone",
] as const;
