import type { IncomingMessage, ServerResponse } from "node:http";
import { nextTurn } from "../../platform/loop-turns.ts";
import { type BodyPart, base64Of, type ImageSlots, wireBytes } from "../tool/image-slots.ts";
import {
  checkMessage,
  faultResponse,
  type MessageFault,
  type ReadMessage,
  readMessage,
  TRANSPORT_ERROR,
} from "./json-rpc.ts";

/** A request body; the largest argument is 100,000 characters of clipboard text. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Reads a POST body that nobody has read yet; null where it is too long, which is seen before it is kept. */
export async function readBody(req: IncomingMessage): Promise<Uint8Array | null> {
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
  return size > MAX_BODY_BYTES ? null : Buffer.concat(chunks);
}

/** A JSON-RPC error that belongs to no request, with its HTTP status. */
export function faultHttp(
  status: number,
  fault: MessageFault,
  headers: Record<string, string> = {},
): Response {
  return Response.json(faultResponse(fault), { status, headers });
}

export function tooMany(why: string): Response {
  const message = `Too Many Requests: ${why}`;
  return faultHttp(429, { code: TRANSPORT_ERROR, message, id: null }, { "retry-after": "1" });
}

/** What the SDK needs of a request whose body was read already. */
export function bodyless(req: IncomingMessage) {
  const { method = "GET", url = "/", headers } = req;
  return { method, url, headers, [Symbol.asyncIterator]: () => req[Symbol.asyncIterator]() };
}

/** A body that was read already: text or bytes of it, or what they say. */
export function givenBody(body: unknown): ReadMessage {
  if (typeof body === "string") return readMessage(body);
  return body instanceof Uint8Array
    ? readMessage(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8"))
    : checkMessage(body);
}

/** Bytes of an image turned into base64 at a time; whole triples, so that the pieces join. */
const PIECE_BYTES = 3 * 64 * 1024;

/**
 * Writes a Response out as fast as the client reads. When the client goes away its stream is cancelled at once, so
 * that it can come back without meeting its own ghost ("only one SSE stream per session"). `slots`: the images that stand
 * in it as tokens. They are let go at its end: a connection that is kept alive holds on to the context of its last
 * request, these included.
 */
export async function sendResponse(
  res: ServerResponse,
  response: Response,
  slots: ImageSlots,
): Promise<void> {
  try {
    await writeResponse(res, response, slots);
  } finally {
    slots.clear();
  }
}

async function writeResponse(res: ServerResponse, response: Response, slots: ImageSlots): Promise<void> {
  response.headers.forEach((value, name) => {
    res.setHeader(name, value);
  });
  res.statusCode = response.status;
  if (response.body === null) {
    res.end();
    return;
  }
  if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) {
    const parts = slots.split(Buffer.from(await response.arrayBuffer()));
    const [only] = parts;
    if (parts.length === 1 && only?.kind === "text") {
      // One write with its length: the shortest way for the answers that are not streams.
      res.end(only.bytes);
      return;
    }
    res.setHeader(
      "content-length",
      parts.reduce((sum, part) => sum + wireBytes(part), 0),
    );
    await writeParts(res, parts);
    res.end();
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
      const chunk: Uint8Array = part.value;
      await writeParts(res, slots.split(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)));
    }
  } finally {
    res.off("close", onClose);
    res.end();
  }
}

/** As fast as the client reads, and of an image one piece in each turn of the event loop. */
export async function writeParts(res: ServerResponse, parts: readonly BodyPart[]): Promise<void> {
  for (const { kind, bytes } of parts) {
    if (kind === "text") {
      await write(res, bytes);
      continue;
    }
    for (let from = 0; from < bytes.length && !res.destroyed; from += PIECE_BYTES) {
      if (from > 0) await nextTurn();
      await write(res, base64Of(bytes.subarray(from, from + PIECE_BYTES)));
    }
  }
}

/** A string is of base64: as it stands it needs no memory beside its own. */
async function write(res: ServerResponse, part: Uint8Array | string): Promise<void> {
  const isRoom = typeof part === "string" ? res.write(part, "latin1") : res.write(part);
  if (!isRoom && !res.destroyed) await drained(res);
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
