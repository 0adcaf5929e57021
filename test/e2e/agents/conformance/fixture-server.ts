import {
  type Implementation,
  type JSONRPCRequest,
  type Result,
  Server,
  type ServerContext,
  type ServerOptions,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { fixturePrompt, PROMPTS, RESOURCE_TEMPLATES, RESOURCES, readFixture } from "./fixture-contents.ts";
import { FIXTURE_STATE, QUESTION_PROMPT, QUESTION_TOOLS, questionPrompt } from "./fixture-questions.ts";
import { FIXTURE_TOOLS } from "./fixture-tools.ts";

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

const TOOLS = [...FIXTURE_TOOLS, ...QUESTION_TOOLS];

const callSchema = z.object({ name: z.string(), arguments: z.unknown().optional() });
const promptSchema = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.string()).optional(),
});
const uriSchema = z.object({ uri: z.string() });

/**
 * The house's server object with the conformance suite's fixtures beside its own tools, resources and prompts: what
 * the suite calls by name is answered here, all else by the house.
 */
export class FixtureServer extends Server {
  constructor(info: Implementation, options: ServerOptions) {
    super(info, {
      ...options,
      capabilities: { ...options.capabilities, logging: {} },
      requestState: {
        verify: (state, context) =>
          FIXTURE_STATE.verify(state, context).catch((error: unknown) => {
            const { verify } = options.requestState ?? {};
            if (verify === undefined) throw error;
            return verify(state, context);
          }),
      },
    });
  }

  /** The SDK's hook around every handler that is registered. */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    return super._wrapHandler(method, withFixtures(method, handler));
  }
}

function withFixtures(method: string, own: Handler): Handler {
  const longer =
    (key: string, more: readonly unknown[]): Handler =>
    async (request, context) => {
      const result = await own(request, context);
      const listed = result[key];
      return { ...result, [key]: [...(Array.isArray(listed) ? listed : []), ...more] };
    };
  switch (method) {
    case "tools/list":
      return longer(
        "tools",
        TOOLS.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      );
    case "prompts/list":
      return longer("prompts", [...PROMPTS, QUESTION_PROMPT]);
    case "resources/list":
      return longer("resources", RESOURCES);
    case "resources/templates/list":
      return longer("resourceTemplates", RESOURCE_TEMPLATES);
    case "tools/call":
      return async (request, context) => {
        const { name, arguments: args } = callSchema.parse(request.params);
        const tool = TOOLS.find((known) => known.name === name);
        return tool === undefined ? own(request, context) : tool.run(args, context);
      };
    case "prompts/get":
      return async (request, context) => {
        const { name, arguments: args = {} } = promptSchema.parse(request.params);
        if (name === QUESTION_PROMPT.name) return questionPrompt(context);
        return fixturePrompt(name, args) ?? own(request, context);
      };
    case "resources/read":
      return async (request, context) => {
        const { uri } = uriSchema.parse(request.params);
        return readFixture(uri) ?? own(request, context);
      };
    case "resources/subscribe":
    case "resources/unsubscribe":
      return async (request, context) => {
        const { uri } = uriSchema.parse(request.params);
        return RESOURCES.some((known) => known.uri === uri) ? {} : own(request, context);
      };
    default:
      return own;
  }
}
