import type { Principal } from "../auth/principal.ts";
import { errorText, explain, INTERNAL_ERROR, type ToolError } from "./error.ts";
import type { McpDesktop, McpPorts, ToolCallRecord } from "./ports.ts";
import type { RateClass, RateLimits } from "./rate-limit.ts";
import type { Tool, ToolAnswer, ToolContext } from "./tool.ts";

/** Who calls a tool, and how long they wait for it. */
export interface Caller {
  readonly principal: Principal;
  /** As the client calls itself, cleaned; null where it did not. */
  readonly clientName: string | null;
  readonly signal: AbortSignal;
}

type ContentBlock = { type: "text"; text: string } | { type: "image"; data: string; mimeType: string };

/** A tool's result as MCP has it. */
export interface ToolResult {
  [key: string]: unknown;
  content: ContentBlock[];
  structuredContent: Record<string, unknown>;
  isError?: boolean;
}

/** How long a tool waits for a desktop that is still connecting. */
const READY_TIMEOUT_MS = 5_000;

/** The one door through which every tool call goes: arguments, rate limit, the tool, its errors, the audit. */
export async function runTool(
  tool: Tool,
  args: unknown,
  caller: Caller,
  ports: McpPorts,
  limits: RateLimits,
): Promise<ToolResult> {
  const { desktops, clock } = ports;
  const { principal, signal } = caller;
  const startMs = clock.nowMs();
  let desktop: McpDesktop | null = null;
  let error: ToolError | null = null;
  let result: ToolResult;
  try {
    const call = tool.parse(args);
    desktop = tool.hasDesktop ? find(ports, principal, call.connectionId ?? undefined) : null;
    const giveBack = limits.take(rateOf(tool, desktop), principal.id, desktop?.id ?? "");
    const context: ToolContext = {
      principal,
      actor: { kind: "agent", id: principal.id, name: principal.name },
      clientName: caller.clientName,
      desktops,
      desktop: (connectionId) => find(ports, principal, connectionId),
      async readyDesktop(connectionId) {
        const found = find(ports, principal, connectionId);
        await found.whenReady(READY_TIMEOUT_MS, signal);
        return found;
      },
      date: () => clock.date(),
      signal,
    };
    let isDelivered = false;
    try {
      const answer = await call.run(context);
      isDelivered = answer.image !== undefined;
      result = success(answer);
    } finally {
      // R1: only delivered images count as screenshots.
      if (tool.rate === "screenshot" && !isDelivered) giveBack();
    }
  } catch (cause) {
    error = explain(cause, signal);
    if (error === null) {
      ports.log.error({ err: cause, tool: tool.name }, "Tool failed");
      error = INTERNAL_ERROR;
    }
    result = failure(error);
  }
  ports.audit(record(tool, caller, desktop, error, clock.nowMs() - startMs));
  return result;
}

function find({ desktops }: McpPorts, principal: Principal, connectionId: string | undefined): McpDesktop {
  return connectionId === undefined ? desktops.active(principal.id) : desktops.get(connectionId);
}

function rateOf(tool: Tool, desktop: McpDesktop | null): RateClass {
  return tool.rate === "input" && desktop?.mode === "autopilot" ? "autopilot_input" : tool.rate;
}

function success({ output, text, image }: ToolAnswer<Record<string, unknown>>): ToolResult {
  const content: ContentBlock[] = [{ type: "text", text }];
  if (image !== undefined) {
    const { buffer, byteOffset, byteLength } = image.bytes;
    const data = Buffer.from(buffer, byteOffset, byteLength).toString("base64");
    content.push({ type: "image", data, mimeType: image.mimeType });
  }
  return { content, structuredContent: output };
}

function failure(error: ToolError): ToolResult {
  return { content: [{ type: "text", text: errorText(error) }], structuredContent: { error }, isError: true };
}

function record(
  tool: Tool,
  { principal, clientName }: Caller,
  desktop: McpDesktop | null,
  error: ToolError | null,
  durationMs: number,
): ToolCallRecord {
  const outcome = error === null ? "done" : error.code === "internal_error" ? "failed" : "refused";
  const code = error?.code ?? null;
  return {
    tool: tool.name,
    outcome,
    code,
    durationMs,
    principal,
    clientName,
    desktopId: desktop?.id ?? null,
  };
}
