import type {
  CallToolResult,
  ElicitRequestFormParams,
  InputRequiredResult,
  ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { CONTENT_TOOLS } from "./fixture-contents.ts";

/** A tool of the conformance suite's own example server. */
export interface FixtureTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object"; readonly [key: string]: unknown };
  run(args: unknown, context: ServerContext): Promise<CallToolResult | InputRequiredResult>;
}

/** A tool without arguments. */
export function fixture(
  name: string,
  description: string,
  run: (context: ServerContext) => Promise<CallToolResult | InputRequiredResult>,
): FixtureTool {
  return {
    name,
    description,
    inputSchema: { type: "object", properties: {} },
    run: (_, context) => run(context),
  };
}

export function say(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}

const plain: readonly FixtureTool[] = Object.entries(CONTENT_TOOLS).map(([name, content]) =>
  fixture(name, "Answers with content of one kind", async () => ({ content: [...content] })),
);

const failing = fixture("test_error_handling", "Always fails", async () => ({
  ...say("This tool intentionally returns an error for testing"),
  isError: true,
}));

const logging = fixture("test_tool_with_logging", "Logs while it works", async ({ mcpReq }) => {
  for (const step of ["started", "processing data", "completed"]) await mcpReq.log("info", `Tool ${step}`);
  return say("Tool with logging executed successfully");
});

/** Logs only where the request asked for it, which is the SDK's to see to. */
const quiet = fixture("test_logging_tool", "Logs where the request allows it", async ({ mcpReq }) => {
  await mcpReq.log("info", "Tool evaluated");
  return say("Logging evaluated");
});

const progress = fixture("test_tool_with_progress", "Tells how far it is", async ({ mcpReq }) => {
  const progressToken = mcpReq._meta?.progressToken ?? 0;
  for (const percent of [0, 50, 100]) {
    const params = { progressToken, progress: percent, total: 100, message: `Step ${percent} of 100` };
    await mcpReq.notify({ method: "notifications/progress", params });
  }
  return say(String(progressToken));
});

const streaming = fixture("test_streaming_elicitation", "Streams its progress", async ({ mcpReq }) => {
  const params = { progressToken: mcpReq._meta?.progressToken ?? "streaming", progress: 50, total: 100 };
  await mcpReq.notify({ method: "notifications/progress", params });
  return say("Streaming complete");
});

const promptArgument = z.object({ prompt: z.string() });
const textContent = z.object({ text: z.string() });

const sampling: FixtureTool = {
  name: "test_sampling",
  description: "Has the client's model answer",
  inputSchema: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
  async run(args, { mcpReq }) {
    const { prompt } = promptArgument.parse(args);
    const content = { type: "text" as const, text: prompt };
    const answer = await mcpReq.requestSampling({ messages: [{ role: "user", content }], maxTokens: 100 });
    return say(`LLM response: ${textContent.safeParse(answer.content).data?.text ?? "none"}`);
  },
};

type Form = ElicitRequestFormParams["requestedSchema"];

async function elicit({ mcpReq }: ServerContext, message: string, requestedSchema: Form) {
  const { action, content } = await mcpReq.elicitInput({ mode: "form", message, requestedSchema });
  return `action=${action}, content=${JSON.stringify(content ?? {})}`;
}

const messageArgument = z.object({ message: z.string() });

const elicitation: FixtureTool = {
  name: "test_elicitation",
  description: "Asks the person at the client",
  inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
  async run(args, context) {
    const { message } = messageArgument.parse(args);
    const properties = { username: { type: "string" as const }, email: { type: "string" as const } };
    const required = ["username", "email"];
    const answer = await elicit(context, message, { type: "object", properties, required });
    return say(`User response: ${answer}`);
  },
};

const defaults = fixture(
  "test_elicitation_sep1034_defaults",
  "Asks with a default for each primitive type (SEP-1034)",
  async (context) => {
    const answer = await elicit(context, "Please review the form", {
      type: "object",
      properties: {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true },
      },
    });
    return say(`Elicitation completed: ${answer}`);
  },
);

const options = ["option1", "option2", "option3"];
const titled = [
  { const: "value1", title: "First Option" },
  { const: "value2", title: "Second Option" },
  { const: "value3", title: "Third Option" },
];

const choices = fixture(
  "test_elicitation_sep1330_enums",
  "Asks with every form of choice (SEP-1330)",
  async (context) => {
    const answer = await elicit(context, "Please choose", {
      type: "object",
      properties: {
        untitledSingle: { type: "string", enum: options },
        titledSingle: { type: "string", oneOf: titled },
        legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["One", "Two", "Three"] },
        untitledMulti: { type: "array", minItems: 1, maxItems: 3, items: { type: "string", enum: options } },
        titledMulti: { type: "array", minItems: 1, maxItems: 3, items: { anyOf: titled } },
      },
    });
    return say(`Elicitation completed: ${answer}`);
  },
);

/** Its schema comes to clients with every keyword of the dialect (SEP-1613, SEP-2106). */
const dialect: FixtureTool = {
  name: "json_schema_2020_12_tool",
  description: "Has an input schema that uses all of JSON Schema 2020-12",
  inputSchema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: {
      address: {
        $anchor: "addressDef",
        type: "object",
        properties: { street: { type: "string" }, city: { type: "string" } },
      },
    },
    properties: {
      name: { type: "string" },
      address: { $ref: "#/$defs/address" },
      contactMethod: { type: "string", enum: ["phone", "email"] },
      phone: { type: "string" },
      email: { type: "string" },
    },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { required: ["phone"] },
    else: { required: ["email"] },
    additionalProperties: false,
  },
  run: async (args) => say(`JSON Schema 2020-12 tool called with: ${JSON.stringify(args)}`),
};

/** The tools of the suite that ask nothing of a 2026-07-28 client. */
export const FIXTURE_TOOLS: readonly FixtureTool[] = [
  ...plain,
  failing,
  logging,
  quiet,
  progress,
  streaming,
  sampling,
  elicitation,
  defaults,
  choices,
  dialect,
];
