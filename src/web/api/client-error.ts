import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { SECURITY_HEADERS } from "../http/security-headers.ts";

/** What Node's parser says of a request that never became one; all else is no HTTP. */
const REASONS = new Map<string, readonly [status: number, message: string, hint: string | null]>([
  [
    "ERR_HTTP_REQUEST_TIMEOUT",
    [408, "the request did not come within the time that it has", "send it at once"],
  ],
  ["HPE_HEADER_OVERFLOW", [431, "the headers are larger than 16 KiB", "send fewer or shorter headers"]],
]);

const NOT_HTTP = [400, "the request is not well-formed HTTP", null] as const;

/** Answers what cannot be routed, in the shape and with the headers of every other answer, and hangs up. */
export function refuseBroken(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  if (socket.writable) socket.write(answerTo(error.code ?? ""));
  socket.destroy(error);
}

function answerTo(code: string): string {
  const [status, message, hint] = REASONS.get(code) ?? NOT_HTTP;
  const body = JSON.stringify({ error: { code: "invalid_request", message, hint } });
  const headers = Object.entries({
    ...SECURITY_HEADERS,
    "content-type": "application/json; charset=utf-8",
    "content-length": `${Buffer.byteLength(body)}`,
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join("")}\r\n${body}`;
}
