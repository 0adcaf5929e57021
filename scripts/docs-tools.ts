import * as z from "zod";
import { HINTS } from "../src/mcp/tool/error.ts";
import { EFFECTS, type ObjectSchema, type Tool } from "../src/mcp/tool/tool.ts";
import { selectTools } from "../src/mcp/tool/toolsets.ts";
import { TOOLS } from "../src/mcp/tools/list.ts";
import { GENERATED, table } from "./markdown.ts";

/** The part of a JSON Schema that the page shows. */
interface Field {
  readonly type?: string | readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly enum?: readonly unknown[] | undefined;
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
}

const field: z.ZodType<Field> = z.lazy(() =>
  z.object({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    description: z.string().optional(),
    enum: z.array(z.unknown()).optional(),
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
  }),
);

const objectSchema = z.object({
  properties: z.record(z.string(), field).default({}),
  required: z.array(z.string()).default([]),
});

const CORE_NAMES = selectTools(TOOLS, ["core"]).map(({ name }) => name);

/** docs/tools.md: every tool with its parameters and results, from the schemas that clients get. */
export function renderToolsDoc(): string {
  return [
    "# Tools",
    GENERATED,
    "Every tool answers with `structuredContent` of the fields below and a line of text that says the same in short; a",
    "screenshot is an image block beside them. Coordinates are desktop pixels; with `monitor_index` those that a caller",
    "gives are relative to that monitor, while those in answers stay desktop pixels. Unknown fields are refused by name.",
    "",
    "A refused call has `isError: true`, the text `code: what happened. what to do next`, and the structured content",
    "`{error: {code, message, hint, retry_after_ms}}`; the codes are in [errors.md](errors.md). A fault of the server itself",
    `is \`internal_error\` (${HINTS.internal_error}).`,
    "",
    "`tools/list` gives all of this in short: what it leaves out of a schema is still taken and checked, and parameters of many tools are explained",
    "once, in the server's instructions. A part of the tools does for most work, and costs a model less to read: `/mcp?toolsets=core`,",
    "`--toolsets core` beside `--stdio`, a token made with `token create agent --toolsets core`, or `mcp.toolsets` in the",
    `configuration. Names: core (${CORE_NAMES.join(", ")}), and the effects ${EFFECTS.join(", ")}, separated by commas.`,
    "",
    table(
      ["tool", "effect", "in short"],
      TOOLS.map(({ name, effect, title }) => [`[${name}](#${name})`, effect, title]),
    ),
    ...TOOLS.map(section),
  ].join("\n");
}

function section(tool: Tool): string {
  const hints = Object.entries(tool.hints)
    .filter(([, isSo]) => isSo)
    .map(([hint]) => `\`${hint}\``);
  return [
    "",
    `## ${tool.name}`,
    "",
    tool.description,
    "",
    `Effect: ${tool.effect}. Hints: ${hints.length === 0 ? "none" : hints.join(", ")}.`,
    "",
    "Parameters:",
    "",
    fields(tool.inputSchema, true),
    "",
    "Results:",
    "",
    fields(tool.outputSchema, false),
  ].join("\n");
}

function fields(schema: ObjectSchema, isInput: boolean): string {
  const { properties, required } = objectSchema.parse(schema);
  const rows = Object.entries(properties)
    .filter(([name]) => name !== "error")
    .map(([name, each]) => {
      const isOptional = isInput && !required.includes(name);
      return [`\`${name}\`${isOptional ? "?" : ""}`, typeOf(each), each.description ?? ""];
    });
  return rows.length === 0 ? "None." : table(["name", "type", "meaning"], rows);
}

function typeOf(each: Field): string {
  if (each.anyOf !== undefined) return each.anyOf.map(typeOf).join(" or ");
  if (each.enum !== undefined) return each.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (each.type === "array") {
    const most = each.maxItems === undefined ? "" : ` (at most ${each.maxItems})`;
    return `list${most} of ${each.items === undefined ? "anything" : typeOf(each.items)}`;
  }
  if (each.type === "object" && each.properties !== undefined) {
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
