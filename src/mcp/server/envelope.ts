import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  PROTOCOL_VERSION_META_KEY,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { type TraceContext, traceContext } from "../../platform/trace-context.ts";
import type { RpcRequest } from "../tool/ports.ts";

const envelope = z.object({ [CLIENT_INFO_META_KEY]: z.object({ name: z.string(), version: z.string() }) });

/** Clients of 2026-07-28 introduce themselves with every request. */
export function clientInEnvelope(meta: unknown): { name: string; version: string } | undefined {
  return envelope.safeParse(meta).data?.[CLIENT_INFO_META_KEY];
}

/** Longer ones are nobody's, and would be kept with every span. */
const LONGEST_ID = 128;

const versionSaid = z.object({ [PROTOCOL_VERSION_META_KEY]: z.string() });

/** What the protocol calls a request; clients of the 2025 era say the version in a header, or once when they begin. */
export function rpcOf({
  mcpReq,
  sessionId,
  http,
}: Pick<ServerContext, "mcpReq" | "sessionId" | "http">): RpcRequest {
  const said = versionSaid.safeParse(mcpReq.envelope).data?.[PROTOCOL_VERSION_META_KEY];
  const version = said ?? http?.req?.headers.get("mcp-protocol-version") ?? null;
  return {
    id: String(mcpReq.id).slice(0, LONGEST_ID),
    sessionId: sessionId ?? null,
    protocolVersion: version?.slice(0, LONGEST_ID) ?? null,
  };
}

/** Where a call stands in its client's trace: `_meta.traceparent` as OpenTelemetry has it for MCP, else the HTTP header. */
export function traceOf(
  { _meta }: { readonly _meta?: Readonly<Record<string, unknown>> | undefined },
  { http }: Pick<ServerContext, "http">,
): TraceContext | null {
  return traceContext(_meta?.["traceparent"] ?? http?.req?.headers.get("traceparent"));
}

const capabilities = z.object({ [CLIENT_CAPABILITIES_META_KEY]: z.custom<ClientCapabilities>(isObject) });

/** What a client of 2026-07-28 can do, said with every request. */
export function capabilitiesInEnvelope(meta: unknown): ClientCapabilities | undefined {
  return capabilities.safeParse(meta).data?.[CLIENT_CAPABILITIES_META_KEY];
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

const toolCall = z.object({ method: z.literal("tools/call"), params: z.object({ name: z.string() }) });

/** The name of the tool that a message calls; null where it calls none. */
export function calledTool(message: object | null): string | null {
  return toolCall.safeParse(message).data?.params.name ?? null;
}
