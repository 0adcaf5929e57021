import * as z from "zod";
import { operationOf } from "../src/web/api/openapi/document.ts";
import { ROUTES } from "../test/web/http/route-table.ts";
import { GENERATED, table } from "./markdown.ts";

const parameterSchema = z.object({
  name: z.string(),
  in: z.string(),
  required: z.boolean(),
  schema: z.record(z.string(), z.unknown()),
});
const itemSchema = z.looseObject({
  summary: z.string(),
  tags: z.tuple([z.string()]),
  parameters: z.array(parameterSchema),
  requestBody: z.unknown().optional(),
  responses: z.record(z.string(), z.unknown()),
  "x-access": z.string(),
  "x-websocket": z.unknown().optional(),
});

/** docs/reference/rest.md: the routes of `GET /api/openapi.json`, to be read by people. */
export function renderRestDoc(): string {
  const operations = ROUTES.flatMap(([method, url, access]) => {
    const operation = operationOf({ method, url, access });
    return operation === null ? [] : [{ method, url, item: itemSchema.parse(operation.item) }];
  });
  const tags = [...new Set(operations.map(({ item }) => item.tags[0]))].sort();
  return [
    "# REST and WebSockets",
    GENERATED,
    "Every route that programs may call, as `GET /api/openapi.json` describes it to who is signed in (OpenAPI 3.1). A token goes into `Authorization: Bearer`.",
    "Errors have a code, a message and a hint: [errors.md](../errors.md). Who may what: [roles.md](../roles.md).",
    "",
    ...tags.flatMap((tag) => [
      `## ${tag}`,
      "",
      ...operations
        .filter(({ item }) => item.tags[0] === tag)
        .flatMap(({ method, url, item }) => [
          `### ${method} ${url}`,
          "",
          `${item.summary}. Access: ${item["x-access"]}.`,
          "",
          ...parameters(item.parameters.filter((parameter) => parameter.in === "query")),
          ...body(item.requestBody),
          `Answer: ${item["x-websocket"] === undefined ? answer(item.responses) : "101, a WebSocket"}`,
          "",
        ]),
    ]),
  ].join("\n");
}

function parameters(all: readonly z.infer<typeof parameterSchema>[]): readonly string[] {
  if (all.length === 0) return [];
  const rows = all.map(({ name, required, schema }) => [`\`${name}\``, required ? "yes" : "", words(schema)]);
  return [table(["query", "needed", "is"], rows), ""];
}

const objectSchema = z.looseObject({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())),
  required: z.array(z.string()).default([]),
});
const contentSchema = z.object({
  content: z.record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()) })),
});

function body(requestBody: unknown): readonly string[] {
  const content = contentSchema.safeParse(requestBody);
  if (!content.success) return [];
  const schema = content.data.content["application/json"]?.schema ?? {};
  const object = objectSchema.safeParse(schema);
  if (!object.success) return [`Body: ${words(schema)}`, ""];
  const { properties, required } = object.data;
  const rows = Object.entries(properties).map(([name, field]) => [
    `\`${name}\``,
    required.includes(name) ? "yes" : "",
    words(field),
  ]);
  return [table(["body", "needed", "is"], rows), ""];
}

function answer(responses: Readonly<Record<string, unknown>>): string {
  const [status = "", said] = Object.entries(responses).find(([key]) => key !== "default") ?? [];
  const content = contentSchema.safeParse(said);
  if (!content.success) return `${status}, without a body`;
  const [type = "", { schema } = { schema: {} }] = Object.entries(content.data.content)[0] ?? [];
  if (type !== "application/json") return `${status}, ${type}`;
  const fields = Object.keys(objectSchema.safeParse(schema).data?.properties ?? itemsOf(schema));
  return `${status}, ${words(schema)}${fields.length === 0 ? "" : ` with ${fields.map((name) => `\`${name}\``).join(", ")}`}`;
}

function itemsOf(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return objectSchema.safeParse(schema["items"]).data?.properties ?? {};
}

/** A schema in few words: all of it is in the document. */
function words(schema: Readonly<Record<string, unknown>>): string {
  const { type, enum: values, const: value, anyOf, oneOf, items, minimum, maximum, maxLength } = schema;
  const options = anyOf ?? oneOf;
  if (Array.isArray(values)) return values.map((one) => `\`${JSON.stringify(one)}\``).join(" or ");
  if (value !== undefined) return `\`${JSON.stringify(value)}\``;
  if (Array.isArray(options))
    return [...new Set(options.map((one) => words(z.record(z.string(), z.unknown()).parse(one))))].join(
      " or ",
    );
  if (type === "array") return `a list of ${words(z.record(z.string(), z.unknown()).catch({}).parse(items))}`;
  const isOpenEnded = typeof maximum !== "number" || maximum > 2 ** 40;
  const limits =
    typeof minimum === "number" && minimum > -(2 ** 40)
      ? ` from ${minimum}${isOpenEnded ? "" : ` to ${maximum}`}`
      : typeof maxLength === "number"
        ? ` of at most ${maxLength} characters`
        : "";
  return `${typeof type === "string" ? type : "anything"}${limits}`;
}
