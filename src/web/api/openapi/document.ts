import * as z from "zod";
import { errorSchema } from "../api.ts";
import type { BytesAnswer, Operation } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";

/** A route as it is registered. */
export interface DescribedRoute {
  readonly method: string;
  /** "/api/v1/desktops/:id" */
  readonly url: string;
  /** Who may use it: `open`, `signed-in` or a permission. */
  readonly access: string;
}

type Json = Readonly<Record<string, unknown>>;

/** The head of the document: OpenAPI 3.1, whose schemas are JSON Schema 2020-12. `base` is "" or "/oc". */
export function documentHead(version: string, base: string): Json {
  return {
    openapi: "3.1.1",
    info: {
      title: "Overlay Companion",
      version,
      summary: "Desktops, what agents ask, and recordings",
      description:
        "What each route does, takes and answers. Errors are `Error` with a code (docs/errors.md). MCP is at /mcp and described by itself. WebSockets are GETs that answer 101; their messages are in `x-websocket`.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: base === "" ? "/" : base }],
    security: [{ bearer: [] }, { session: [] }],
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "A token: `token create`, or the web app's Access page.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "oc_session",
          description: "The web app's own, set by POST /api/v1/session; its name ends in the port.",
        },
      },
      schemas: { Error: schemaOf(errorSchema, "output") },
      responses: {
        Error: {
          description: "Refused or failed: the code says why, the hint what to do",
          content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
        },
      },
    },
  };
}

/** What the document says of a route; null for one that is no program's business, such as a page. */
export function operationOf({
  method,
  url,
  access,
}: DescribedRoute): { readonly path: string; readonly method: string; readonly item: Json } | null {
  const operation = OPERATIONS[`${method} ${url}`];
  if (operation === undefined) return null;
  const isSocket = operation.receives !== undefined || url.startsWith("/ws/") || url === "/websockify";
  return {
    path: url.replace(/:(\w+)/g, "{$1}"),
    method: method.toLowerCase(),
    item: {
      operationId: idOf(method, url),
      summary: operation.summary,
      tags: [tagOf(url)],
      "x-access": access,
      ...(access === "open" ? { security: [] } : {}),
      parameters: [...pathParameters(url), ...queryParameters(operation.query)],
      ...(operation.body === undefined
        ? {}
        : {
            requestBody: {
              required: true,
              content: { "application/json": { schema: schemaOf(operation.body, "input") } },
            },
          }),
      responses: isSocket
        ? {
            "101": { description: "The WebSocket is open" },
            default: { $ref: "#/components/responses/Error" },
          }
        : { ...answers(operation), default: { $ref: "#/components/responses/Error" } },
      ...(isSocket ? { "x-websocket": messagesOf(operation) } : {}),
    },
  };
}

function answers({ status = 200, answer }: Operation): Json {
  const description = status === 204 ? "Done" : status === 201 ? "Made" : "As asked";
  if (answer === undefined) return { [status]: { description } };
  const content = isBytes(answer)
    ? { [answer.type]: { schema: {} } }
    : { "application/json": { schema: schemaOf(answer, "output") } };
  return { [status]: { description, content } };
}

function messagesOf({ receives, sends }: Operation): Json {
  if (receives === undefined) return { messages: "bytes" };
  return {
    receives: schemaOf(receives, "output"),
    ...(sends === undefined ? {} : { sends: schemaOf(sends, "input") }),
  };
}

function isBytes(answer: z.ZodType | BytesAnswer): answer is BytesAnswer {
  return "type" in answer && typeof answer.type === "string" && answer.type.includes("/");
}

function pathParameters(url: string): readonly Json[] {
  return [...url.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: name === "index" ? "integer" : "string" },
  }));
}

const queryShape = z.looseObject({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  required: z.array(z.string()).default([]),
});

/** What is read from text, a number above all, is described as what it means; what is needed, as it is asked. */
function queryParameters(query: z.ZodType | undefined): readonly Json[] {
  if (query === undefined) return [];
  const { properties } = queryShape.parse(schemaOf(query, "output"));
  const { required } = queryShape.parse(schemaOf(query, "input"));
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}

/** "getDesktopsIdActions" */
function idOf(method: string, url: string): string {
  const words = url.replace(/^\/api\/v1/, "").split(/[^A-Za-z0-9]+/);
  return method.toLowerCase() + words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}

function tagOf(url: string): string {
  if (url.startsWith("/ws/") || url === "/websockify") return "websockets";
  return /^\/api\/v1\/(\w+)/.exec(url)?.[1] ?? "system";
}
