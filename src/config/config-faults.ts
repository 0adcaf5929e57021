import * as z from "zod";
import { configSchema } from "./config-schema.ts";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Keys whose values are never shown: they are secrets, or hold some. */
const SECRET = /token|password|secret|url|endpoint|headers|^key$|^api_key$/;

/**
 * What is wrong with a configuration, each fault in a line: key, where it came from, what was got (never a secret, never
 * a whole section, which may hold one), what was expected. `originOf`: where the value of a dotted path came from.
 */
export function configFaults(error: z.ZodError, tree: unknown, originOf: (path: string) => string): string {
  const line = (path: Path, words: string): string => {
    const name = path.join(".");
    return `${name === "" ? "the configuration" : name} (from ${originOf(name)}): ${words}`;
  };
  const linesOf = (issue: Issue, base: Path): string[] => {
    const path = [...base, ...issue.path];
    if (issue.code === "unrecognized_keys") {
      const expected = keysAt(configSchema, path).join(", ");
      return issue.keys.map((key) =>
        line([...path, key], `there is no such key: expected one of ${expected}`),
      );
    }
    if (issue.code === "invalid_union" && issue.message === "Invalid input") {
      return nearestOf(issue.errors).flatMap((inner) => linesOf(inner, path));
    }
    const place = placeOf(tree, path);
    const got = shown(valueAt(tree, place), place, issue);
    return [line(place, `got ${got}: ${issue.message}`)];
  };
  return [...new Set(error.issues.flatMap((issue) => linesOf(issue, [])))].join("\n");
}

/** The alternative that the least is wrong with: the one that was meant. */
function nearestOf(alternatives: readonly (readonly Issue[])[]): readonly Issue[] {
  const faults = (issues: readonly Issue[]): number =>
    issues.reduce((sum, issue) => sum + (issue.code === "unrecognized_keys" ? issue.keys.length : 1), 0);
  return [...alternatives].sort((a, b) => faults(a) - faults(b))[0] ?? [];
}

function shown(value: unknown, path: Path, issue: Issue): string {
  if (value === undefined) return "nothing";
  if (path.some((part) => SECRET.test(String(part)))) return "(secret)";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "keys and values";
  // In the place of a section anything may stand, the secret that belongs into it too.
  const isSection =
    issue.code === "invalid_type" && (issue.expected === "object" || issue.expected === "array");
  return isSection ? `a ${typeof value}` : JSON.stringify(value);
}

/** The names of a section, of all its alternatives where there are some. */
function keysAt(schema: unknown, path: Path): string[] {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return keysAt(schema.unwrap(), path);
  }
  if (schema instanceof z.ZodUnion) {
    return [...new Set(schema.options.flatMap((option) => keysAt(option, path)))];
  }
  const [first, ...rest] = path;
  if (schema instanceof z.ZodArray) return keysAt(schema.element, rest);
  if (!(schema instanceof z.ZodObject)) return [];
  return first === undefined ? Object.keys(schema.shape) : keysAt(schema.shape[String(first)], rest);
}

/** Where it stands in the tree: a list may have been given as words in one string. */
function placeOf(tree: unknown, path: Path): Path {
  const parent = path.slice(0, -1);
  return typeof valueAt(tree, parent) === "string" ? placeOf(tree, parent) : path;
}

function valueAt(tree: unknown, path: Path): unknown {
  let node: unknown = tree;
  for (const part of path) {
    if (typeof node !== "object" || node === null) return undefined;
    node = Reflect.get(node, part);
  }
  return node;
}
