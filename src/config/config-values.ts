import * as z from "zod";

/** A TCP port; 0 takes any free one. */
export const port = z.coerce.number().int().min(0).max(65535);
/** As browsers send one: scheme, host and port where it is not the usual one, in lower case. */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** As a word, or as YAML says it. */
export const toggle = z.union(
  [z.boolean(), z.enum(["on", "off"]).transform((word) => word === "on")],
  "expected on or off",
);
/** As YAML says it, or words in one string, as variables hold them. */
export const list = z.union(
  [
    z.array(z.string().min(1)),
    z.string().transform((text) =>
      text
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== ""),
    ),
  ],
  "expected a list, or words separated by commas",
);

/** A program and its arguments; no shell reads them. */
export const commandLine = z
  .array(z.string().min(1).max(4096), "expected a program and its arguments, as a list")
  .min(1)
  .max(64);
