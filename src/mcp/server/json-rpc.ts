/** JSON-RPC 2.0 section 5.1. */
const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const INTERNAL_ERROR = -32_603;
/** MCP 2025-11-25, Streamable HTTP: what the SDKs answer for an unknown session. */
export const SESSION_NOT_FOUND = -32_001;
/** The SDKs' own code for what the transport refuses. */
export const TRANSPORT_ERROR = -32_000;

/** What is wrong with a text from a client, before any handler sees it. */
export interface MessageFault {
  readonly code: number;
  readonly message: string;
  readonly id: string | number | null;
}

export type ReadMessage =
  | { readonly value: object; readonly fault: null }
  | { readonly value: null; readonly fault: MessageFault };

/** Reads one JSON-RPC message, or a batch as 2025-03-26 had them. Never throws. */
export function readMessage(text: string): ReadMessage {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // V8's message quotes the text, which may hold secrets.
    return { value: null, fault: { code: PARSE_ERROR, message: "Parse error: Invalid JSON", id: null } };
  }
  return checkMessage(value);
}

/** As `readMessage`, for a body that was parsed already. */
export function checkMessage(value: unknown): ReadMessage {
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  const bad = messages.find((message) => !isMessage(message));
  if (typeof value !== "object" || value === null || messages.length === 0 || bad !== undefined) {
    const message = "Invalid Request: expected a JSON-RPC 2.0 request, notification or response";
    return { value: null, fault: { code: INVALID_REQUEST, message, id: idOf(bad) } };
  }
  return { value, fault: null };
}

/** The error response for a fault, as an object. */
export function faultResponse({ code, message, id }: MessageFault): object {
  return { jsonrpc: "2.0", error: { code, message }, id };
}

function isMessage(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  if (!("jsonrpc" in value) || value.jsonrpc !== "2.0") return false;
  if ("id" in value && !isId(value.id) && !("error" in value && value.id === null)) return false;
  if ("method" in value) {
    const hasParams = "params" in value && value.params !== undefined;
    // MCP has only named parameters.
    return (
      typeof value.method === "string" &&
      (!hasParams ||
        (typeof value.params === "object" && value.params !== null && !Array.isArray(value.params)))
    );
  }
  return "id" in value && ("result" in value || "error" in value);
}

/** MCP: a string or an integer, never null. */
function isId(id: unknown): id is string | number {
  return typeof id === "string" || (typeof id === "number" && Number.isInteger(id));
}

function idOf(message: unknown): string | number | null {
  return typeof message === "object" && message !== null && "id" in message && isId(message.id)
    ? message.id
    : null;
}
