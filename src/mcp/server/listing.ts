import type { ObjectSchema, Tool } from "../tool/tool.ts";
import { iconsOf } from "./icons.ts";
import { SHARED_FIELDS } from "./instructions.ts";

/**
 * A tool as `tools/list` tells it. A model reads names, descriptions and input schemas of every tool before it does
 * anything, so they are told without what it cannot use: limits that only guard this server, and the texts of fields
 * that many tools have, which are in the server's instructions once. What is left out is still checked, and refused by name;
 * docs/tools.md has it all.
 */
export interface ListedTool {
  [key: string]: unknown;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: Tool["hints"] & { readonly title: string };
  readonly icons: ReturnType<typeof iconsOf>;
}

const SHARED_TEXTS: ReadonlySet<unknown> = new Set(
  Object.values(SHARED_FIELDS).map(({ description }) => description),
);

/** Made once a tool: the list is asked for with every session. */
export function listedTool(tool: Tool): ListedTool {
  let listed = LISTED.get(tool);
  if (listed === undefined) {
    const { name, title, description, hints, effect } = tool;
    listed = {
      name,
      title,
      description,
      inputSchema: { ...briefObject(tool.inputSchema), type: "object" },
      outputSchema: briefOutput(tool.outputSchema),
      // Clients from before 2025-06-18 know no other title.
      annotations: { title, ...hints },
      icons: iconsOf(effect),
    };
    LISTED.set(tool, listed);
  }
  return listed;
}

const LISTED = new WeakMap<Tool, ListedTool>();

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ONE = new Set(["items", "additionalProperties", "not"]);
const LIST = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const BY_NAME = new Set(["properties", "$defs"]);

/** Guards of this server, which no model plans with. */
const GUARDS = new Set(["minLength", "maxLength", "minItems", "pattern", "propertyNames"]);

/** What is in an object or a list, which an outline leaves to its text. */
const CONTENTS = new Set(["properties", "required", "items", "additionalProperties"]);

function briefInput(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(briefInput);
  return typeof value === "object" && value !== null ? briefObject(value) : value;
}

function briefObject(schema: object): Record<string, unknown> {
  const brief: Record<string, unknown> = {};
  const { listed, description } = Object(schema);
  // Of these the instructions name the values too.
  const isShared = SHARED_TEXTS.has(description);
  for (const [key, value] of Object.entries(schema)) {
    if (isLeftOut(key, value) || (listed === "outline" && CONTENTS.has(key))) continue;
    if (listed === "bare" && key === "description") continue;
    if (isShared && key !== "type") continue;
    if (ONE.has(key) || LIST.has(key)) brief[key] = briefInput(value);
    else if (BY_NAME.has(key)) brief[key] = mapValues(listedOf(value), briefInput);
    else brief[key] = value;
  }
  return brief;
}

function listedOf(named: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(Object(named)).filter(([, each]) => Object(each).listed !== "never"),
  );
}

function isLeftOut(key: string, value: unknown): boolean {
  if (GUARDS.has(key) || key === "listed") return true;
  // false: unknown fields are refused by name. {}: anything, which is what is meant without it.
  if (key === "additionalProperties") return value === false || Object.keys(Object(value)).length === 0;
  if (key === "description") return SHARED_TEXTS.has(value);
  // Any coordinate, and what an integer can be at all.
  if (key === "minimum")
    return value === 0 || value === 1 || value === -65_535 || value === Number.MIN_SAFE_INTEGER;
  return key === "maximum" && (value === 65_535 || Number(value) >= 86_400_000);
}

/** The fields of an answer with their types, and those of what is in them: clients check it, models never see it. */
function briefOutput({ properties, anyOf }: ObjectSchema): ObjectSchema {
  return { type: "object", properties: mapValues(properties, (field) => briefAnswer(field, 0)), anyOf };
}

/** `depth`: how many more levels of fields are named. */
function briefAnswer(schema: unknown, depth: number): Record<string, unknown> {
  const { type, anyOf, properties, items, const: constant } = Object(schema);
  const ways: unknown[] = Array.isArray(anyOf) ? anyOf : [];
  if (ways.length > 0) {
    const told = ways.map((way) => briefAnswer(way, depth));
    const [first, second] = told;
    // {"type": ["number", "null"]} is shorter, and says the same.
    const isNullable =
      told.length === 2 && typeof first?.["type"] === "string" && second?.["type"] === "null";
    return isNullable ? { ...first, type: [first?.["type"], "null"] } : { anyOf: told };
  }
  return {
    ...(type === undefined ? {} : { type }),
    ...(constant === undefined ? {} : { const: constant }),
    ...(properties === undefined || depth === 0
      ? {}
      : { properties: mapValues(properties, (field) => briefAnswer(field, depth - 1)) }),
    ...(items === undefined ? {} : { items: briefAnswer(items, depth) }),
  };
}

function mapValues(named: unknown, brief: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(Object(named)).map(([name, value]) => [name, brief(value)]));
}
