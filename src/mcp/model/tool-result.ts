import { errorText, explain, type ToolError } from "../tool/error.ts";

export type ContentBlock = { type: "text"; text: string } | { type: "image"; data: string; mimeType: string };

/** A tool's result as MCP has it. */
export interface ToolResult {
  [key: string]: unknown;
  content: ContentBlock[];
  structuredContent: Record<string, unknown>;
  isError?: boolean;
}

export function failure(error: ToolError): ToolResult {
  return { content: [{ type: "text", text: errorText(error) }], structuredContent: { error }, isError: true };
}

/** A refusal as a result; null for a bug, which must be logged and not shown. */
export function explained(error: unknown, signal: AbortSignal): ToolResult | null {
  const known = explain(error, signal);
  return known === null ? null : failure(known);
}
