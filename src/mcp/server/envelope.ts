import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { type TraceContext, traceContext } from "../../platform/trace-context.ts";

const envelope = z.object({ [CLIENT_INFO_META_KEY]: z.object({ name: z.string(), version: z.string() }) });

/** Clients of 2026-07-28 introduce themselves with every request. */
export function clientInEnvelope(meta: unknown): { name: string; version: string } | undefined {
  return envelope.safeParse(meta).data?.[CLIENT_INFO_META_KEY];
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
