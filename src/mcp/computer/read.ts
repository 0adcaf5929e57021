import * as z from "zod";
import { RefusedError } from "../../desktop/error.ts";
import { ArgumentsError } from "../tool/error.ts";
import { LONGEST_WAIT_MS } from "../tool/fields.ts";

/** Names of unknown actions are echoed no longer than this. */
const MAX_NAME = 60;
/** A number of pixels; models sometimes give fractions of them. */
export const pixel = z
  .number()
  .min(0)
  .max(65_535)
  .transform((value) => Math.round(value));

export const pair = z.tuple([pixel, pixel]);

/** As much as type_text takes. */
export const typedText = z.string().max(10_000);
export const keyText = z.string().min(1).max(200);
export const keyList = z.array(keyText).min(1).max(10);

/** Reads one vendor's arguments; throws ArgumentsError, which names each fault by its field. */
export function read<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new ArgumentsError(parsed.error, value);
  return parsed.data;
}

/** Milliseconds of a duration in seconds; throws RefusedError for more than LONGEST_WAIT_MS. */
export function durationOf(seconds: number): number {
  const durationMs = Math.round(seconds * 1000);
  if (durationMs <= LONGEST_WAIT_MS) return durationMs;
  throw new RefusedError(
    "invalid_parameters",
    `got a duration of ${seconds} s, expected at most ${LONGEST_WAIT_MS / 1000} s: call again for more`,
  );
}

/** An action that is no vendor's. */
export function unknownAction(name: string, known: readonly string[]): RefusedError {
  const got = JSON.stringify(name.slice(0, MAX_NAME));
  return new RefusedError("invalid_parameters", `got the action ${got}, expected one of ${known.join(", ")}`);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
