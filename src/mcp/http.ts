import type { IncomingMessage, ServerResponse } from "node:http";
import {
  faultResponse,
  type MessageFault,
  type ReadMessage,
  readMessage,
  TRANSPORT_ERROR,
} from "./json-rpc.ts";

/** A request body; the largest argument is 100,000 characters of clipboard text. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

export type Body = ReadMessage | { readonly value: null; readonly fault: MessageFault; readonly status: 413 };

/** Reads a POST body that nobody has read yet; what is too long is refused before it is kept. */
export async function readBody(req: IncomingMessage): Promise<Body> {
  const chunks: Uint8Array[] = [];
  let size = Number(req.headers["content-length"] ?? 0);
  if (size <= MAX_BODY_BYTES) {
    size = 0;
    for await (const chunk of req) {
      const bytes: Uint8Array = chunk;
      size += bytes.byteLength;
      if (size > MAX_BODY_BYTES) break;
      chunks.push(bytes);
    }
  }
  if (size > MAX_BODY_BYTES) {
    const message = `Payload Too Large: expected at most ${MAX_BODY_BYTES} bytes`;
    return { value: null, fault: { code: TRANSPORT_ERROR, message, id: null }, status: 413 };
  }
  return readMessage(Buffer.concat(chunks).toString("utf8"));
}

/** A JSON-RPC error that belongs to no request, with its HTTP status. */
export function faultHttp(
  status: number,
  fault: MessageFault,
  headers: Record<string, string> = {},
): Response {
  return Response.json(faultResponse(fault), { status, headers });
}

/**
 * Writes a Response out as fast as the client reads. When the client goes away its stream is cancelled at once, so
 * that it can come back without meeting its own ghost ("only one SSE stream per session").
 */
export async function sendResponse(res: ServerResponse, response: Response): Promise<void> {
  response.headers.forEach((value, name) => {
    res.setHeader(name, value);
  });
  res.statusCode = response.status;
  if (response.body === null) {
    res.end();
    return;
  }
  if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) {
    // One write with its length: the shortest way for the answers that are not streams.
    res.end(Buffer.from(await response.arrayBuffer()));
    return;
  }
  res.flushHeaders();
  const reader = response.body.getReader();
  const onClose = (): void => {
    reader.cancel().catch(() => {});
  };
  res.once("close", onClose);
  // The client may be gone already, and then says so no more.
  if (res.destroyed) onClose();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (!res.write(part.value) && !res.destroyed) await drained(res);
    }
  } finally {
    res.off("close", onClose);
    res.end();
  }
}

function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      res.off("drain", done);
      res.off("close", done);
      resolve();
    };
    res.once("drain", done);
    res.once("close", done);
  });
}
