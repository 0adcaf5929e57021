import type * as z from "zod";
import { RefusedError } from "../../desktop/error.ts";

const LONGEST_MESSAGE = 300;

/**
 * Reads a body, query or parameters once, at the face. Throws RefusedError invalid_parameters that names the field
 * and what was expected, never the value: it may be a password.
 */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = issue?.path.join(".") ?? "";
  const problem = (issue?.message ?? "not valid").replace(/^[A-Z]/, (letter) => letter.toLowerCase());
  const message = path === "" ? problem : `${path}: ${problem}`;
  throw new RefusedError("invalid_parameters", message.slice(0, LONGEST_MESSAGE));
}
