import { randomBytes, randomUUID } from "node:crypto";
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type GetPromptResult,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { type FixtureTool, fixture, say } from "./fixture-tools.ts";

const stateSchema = z.object({ round: z.int(), name: z.string() });

/** Seals what the fixtures hand to clients and want back unchanged. */
export const FIXTURE_STATE = createRequestStateCodec<z.infer<typeof stateSchema>>({ key: randomBytes(32) });

function ask(message: string, field: string, type: "string" | "boolean" = "string"): InputRequest {
  const properties = {
    [field]: type === "string" ? { type: "string" as const } : { type: "boolean" as const },
  };
  return inputRequired.elicit({
    mode: "form",
    message,
    requestedSchema: { type: "object", properties, required: [field] },
  });
}

function askModel(text: string): InputRequest {
  const content = { type: "text" as const, text };
  return inputRequired.createMessage({ messages: [{ role: "user", content }], maxTokens: 50 });
}

function question(inputRequests: Record<string, InputRequest>, requestState?: string): InputRequiredResult {
  return inputRequired({ inputRequests, ...(requestState === undefined ? {} : { requestState }) });
}

const textSchema = z.object({ text: z.string() });

/** What a person wrote in a field; null where they did not answer so. */
function written({ mcpReq }: ServerContext, key: string, field: string): string | null {
  const schema = z.object({ [field]: z.string() });
  return acceptedContent(mcpReq.inputResponses, key, schema)?.[field] ?? null;
}

function sampled({ mcpReq }: ServerContext, key: string): string | null {
  const answer = inputResponse(mcpReq.inputResponses, key);
  return answer.kind === "sampling" ? (textSchema.safeParse(answer.result.content).data?.text ?? "") : null;
}

function rooted({ mcpReq }: ServerContext, key: string): number | null {
  const answer = inputResponse(mcpReq.inputResponses, key);
  return answer.kind === "roots" ? answer.roots.length : null;
}

/** The state that came back; null where none did. A forged one never gets here. */
function stateOf({ mcpReq }: ServerContext): z.infer<typeof stateSchema> | null {
  return stateSchema.safeParse(mcpReq.requestState()).data ?? null;
}

function sealed(round: number, name: string = randomUUID()): Promise<string> {
  return FIXTURE_STATE.mint({ round, name });
}

const envelopeSchema = z.object({ [CLIENT_CAPABILITIES_META_KEY]: z.record(z.string(), z.unknown()) });

/** What the client says it can do, by name. */
function capabilitiesOf({ mcpReq }: ServerContext): Readonly<Record<string, unknown>> {
  return envelopeSchema.safeParse(mcpReq.envelope).data?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
}

const named = "What is your name?";

/** The tools of the suite that ask 2026-07-28 clients (SEP-2322). */
export const QUESTION_TOOLS: readonly FixtureTool[] = [
  fixture("test_missing_capability", "Needs a client that samples", async (context) => {
    if (capabilitiesOf(context)["sampling"] === undefined) {
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    }
    return say("Success");
  }),
  fixture("test_input_required_result_elicitation", "Asks for a name", async (context) => {
    const name = written(context, "user_name", "name");
    return name === null ? question({ user_name: ask(named, "name") }) : say(`Hello, ${name}!`);
  }),
  fixture("test_input_required_result_sampling", "Asks the client's model", async (context) => {
    const answer = sampled(context, "sample_request");
    return answer === null
      ? question({ sample_request: askModel("What is the capital of France?") })
      : say(`Sampling result: ${answer}`);
  }),
  fixture("test_input_required_result_list_roots", "Asks for the client's roots", async (context) => {
    const roots = rooted(context, "roots_request");
    return roots === null
      ? question({ roots_request: inputRequired.listRoots() })
      : say(`Found ${roots} root(s)`);
  }),
  fixture("test_input_required_result_request_state", "Wants its state back", async (context) => {
    const ok = acceptedContent(context.mcpReq.inputResponses, "confirm", z.object({ ok: z.literal(true) }));
    return stateOf(context) !== null && ok !== undefined
      ? say("state-ok: requestState validated")
      : question({ confirm: ask("Please confirm", "ok", "boolean") }, await sealed(1));
  }),
  fixture("test_input_required_result_tampered_state", "Refuses forged state", async (context) => {
    const ok = acceptedContent(context.mcpReq.inputResponses, "confirm", z.object({ ok: z.boolean() }));
    return stateOf(context) !== null && ok !== undefined
      ? say("integrity-ok: state verified")
      : question({ confirm: ask("Please confirm", "ok", "boolean") }, await sealed(1));
  }),
  fixture("test_input_required_result_multiple_inputs", "Asks three things at once", async (context) => {
    const name = written(context, "user_name", "name");
    const greeting = sampled(context, "greeting");
    const roots = rooted(context, "client_roots");
    if (stateOf(context) !== null && name !== null && greeting !== null && roots !== null) {
      return say(`Name: ${name}; Greeting: ${greeting}; Roots: ${roots}`);
    }
    const requests = {
      user_name: ask(named, "name"),
      greeting: askModel("Generate a greeting"),
      client_roots: inputRequired.listRoots(),
    };
    return question(requests, await sealed(1));
  }),
  fixture("test_input_required_result_multi_round", "Asks twice, one after the other", async (context) => {
    const state = stateOf(context);
    const name = written(context, "step1", "name");
    const colour = written(context, "step2", "color");
    if (state?.round === 2 && colour !== null) {
      return say(`Multi-round complete for ${state.name} who likes ${colour}`);
    }
    if (state?.round === 1 && name !== null) {
      return question({ step2: ask("What is your favorite color?", "color") }, await sealed(2, name));
    }
    return question({ step1: ask(named, "name") }, await sealed(1));
  }),
  fixture("test_input_required_result_capabilities", "Asks only what the client can do", async (context) => {
    const can = capabilitiesOf(context);
    const answered = Object.keys(context.mcpReq.inputResponses ?? {});
    if (answered.length > 0) return say(`capabilities-ok: received ${answered.join(",")}`);
    const requests = {
      ...(can["elicitation"] === undefined ? {} : { elicit_input: ask("Elicitation input", "value") }),
      ...(can["sampling"] === undefined ? {} : { sample_input: askModel("Sample request") }),
    };
    if (Object.keys(requests).length === 0) return say("No supported capabilities declared");
    return question(requests, await sealed(1));
  }),
];

export const QUESTION_PROMPT = {
  name: "test_input_required_result_prompt",
  description: "A prompt that asks before it is made",
};

export async function questionPrompt(context: ServerContext): Promise<GetPromptResult | InputRequiredResult> {
  const words = written(context, "user_context", "context");
  if (words === null)
    return question({ user_context: ask("What context should the prompt use?", "context") });
  return { messages: [{ role: "user", content: { type: "text", text: `Prompt with context: ${words}` } }] };
}
