import * as z from "zod";
import { table } from "./markdown.ts";

/** The part of a JSON Schema that the page shows. */
interface Field {
  readonly type?: string | readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly const?: unknown;
  readonly anyOf?: readonly Field[] | undefined;
  readonly items?: Field | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMinimum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly properties?: Readonly<Record<string, Field>> | undefined;
  readonly required?: readonly string[] | undefined;
}

const field: z.ZodType<Field> = z.lazy(() =>
  z.object({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    description: z.string().optional(),
    enum: z.array(z.unknown()).optional(),
    const: z.unknown().optional(),
    anyOf: z.array(field).optional(),
    items: field.optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    exclusiveMinimum: z.number().optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
    minItems: z.number().optional(),
    maxItems: z.number().optional(),
    properties: z.record(z.string(), field).optional(),
    required: z.array(z.string()).optional(),
  }),
);

const objectSchema = z.object({
  properties: z.record(z.string(), field).default({}),
  required: z.array(z.string()).default([]),
});

/** The fields of an object as a table, with those of objects in them; `isMarked`: whether `?` marks what may be left out. */
export function fieldTable(schema: unknown, isMarked: boolean): string {
  const { properties, required } = objectSchema.parse(schema);
  const rows = Object.entries(properties)
    .filter(([name]) => name !== "error")
    .flatMap(([name, each]) => rowsOf(name, each, isMarked && !required.includes(name)));
  return rows.length === 0 ? "None." : table(["name", "type", "meaning"], rows);
}

/** A field, and below it those of the objects in it, where one of them has something to say. */
function rowsOf(path: string, each: Field, isOptional: boolean): string[][] {
  const inner = insideOf(path, each).flatMap(({ prefix, object: { properties = {}, required = [] } }) =>
    Object.entries(properties).flatMap(([name, one]) =>
      rowsOf(`${prefix}.${name}`, one, !required.includes(name)),
    ),
  );
  const own = [`\`${path}\`${isOptional ? "?" : ""}`, typeOf(each), each.description ?? ""];
  const seen = new Set<string>();
  const told = inner.filter((row) => {
    const key = row.join("\n");
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
  return [own, ...told];
}

/** The objects in a field that are told row by row. */
function insideOf(path: string, each: Field): { prefix: string; object: Field }[] {
  if (each.anyOf !== undefined) return each.anyOf.flatMap((one) => insideOf(path, one));
  if (each.items !== undefined) return insideOf(`${path}[]`, each.items);
  return each.properties === undefined || isPlain(each) ? [] : [{ prefix: path, object: each }];
}

/** Nothing but names and types of what is always there. */
function isPlain({ properties = {}, required = [] }: Field): boolean {
  return Object.entries(properties).every(
    ([name, one]) =>
      required.includes(name) && one.description === undefined && insideOf("", one).length === 0,
  );
}

function typeOf(each: Field): string {
  if (each.anyOf !== undefined) return each.anyOf.map(typeOf).join(" or ");
  if (each.const !== undefined) return `\`${String(each.const)}\``;
  if (each.enum !== undefined) return each.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (each.type === "array") {
    const most = each.maxItems === undefined ? "" : ` (at most ${each.maxItems})`;
    return `list${most} of ${each.items === undefined ? "anything" : typeOf(each.items)}`;
  }
  if (each.type === "object" && each.properties !== undefined) {
    if (!isPlain(each)) return "object";
    const inner = Object.entries(each.properties).map(([name, one]) => `${name}: ${typeOf(one)}`);
    return `{${inner.join(", ")}}`;
  }
  const names = typeof each.type === "string" ? [each.type] : (each.type ?? ["anything"]);
  return `${names.join(" or ")}${range(each)}`;
}

function range({ minimum, maximum, exclusiveMinimum, minLength, maxLength }: Field): string {
  if (maxLength !== undefined) return `, ${minLength ?? 0} to ${maxLength} characters`;
  if (maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER) return "";
  return exclusiveMinimum === undefined
    ? `, ${minimum ?? 0} to ${maximum}`
    : `, above ${exclusiveMinimum} to ${maximum}`;
}
