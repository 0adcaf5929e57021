import type { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage, ServerResponse } from "node:http";
import { toWebRequest } from "@modelcontextprotocol/node";
import { type JSONRPCMessage, parseJSONRPCMessage } from "@modelcontextprotocol/server";
import type { Clock } from "../../platform/clock.ts";
import type { ImageSlots } from "../tool/image-slots.ts";
import type { Arrivals } from "./arrivals.ts";
import { bodyless, faultHttp, tooMany } from "./http.ts";
import { INVALID_REQUEST, SESSION_NOT_FOUND, TRANSPORT_ERROR } from "./json-rpc.ts";
import { SseTransport } from "./sse-transport.ts";

const STREAM_PATH = "/sse";
const MESSAGE_PATH = "/message";

interface SsePorts {
  readonly clock: Clock;
  readonly slots: AsyncLocalStorage<ImageSlots>;
  readonly arrivals: Arrivals;
  /** The open stream of that id, where it is this principal's. */
  find(id: string, principalId: string): SseTransport | null;
}

/** A request of the transport of 2024-11-05. */
export interface SseRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly body: unknown;
  readonly principalId: string;
  /** Scheme, host and base as the caller reaches us. */
  readonly baseUrl: string | null;
  readonly signal: AbortSignal;
}

/** Whether a request is of the transport of 2024-11-05, by its path. */
export function isSsePath(url: string | undefined): boolean {
  const [path] = (url ?? "").split("?");
  return path === STREAM_PATH || path === MESSAGE_PATH;
}

/**
 * `GET /sse` and `POST /message?sessionId=`, "HTTP with SSE" of MCP 2024-11-05: for clients that know no other. A thin
 * adapter: what is posted goes to a server object of the same kind as every other session's, and the answer to the stream.
 */
export class SseFace {
  readonly #ports: SsePorts;

  constructor(ports: SsePorts) {
    this.#ports = ports;
  }

  /** A transport for the stream that is asked for; a refusal where this is no request for one. */
  transportFor({ req, res, baseUrl }: SseRequest): SseTransport | Response {
    if (req.method !== "GET") {
      const text = "Method Not Allowed: GET opens the event stream, Streamable HTTP is at /mcp";
      return faultHttp(405, { code: TRANSPORT_ERROR, message: text, id: null }, { allow: "GET" });
    }
    const base = baseUrl === null ? "" : new URL(baseUrl).pathname.replace(/\/$/, "");
    const { clock, slots } = this.#ports;
    return new SseTransport({ res, clock, slots, messagePath: `${base}${MESSAGE_PATH}` });
  }

  /** Whether it is a message to an open stream, and no stream to open. */
  isMessage({ req }: SseRequest): boolean {
    return req.url?.startsWith(MESSAGE_PATH) === true;
  }

  /** Takes one message; its answer goes to the stream. */
  async deliver({ req, body, principalId, signal }: SseRequest): Promise<Response> {
    const { searchParams } = new URL(req.url ?? "/", "http://unused");
    // The official SDK says sessionId, other servers and their clients session_id.
    const id = searchParams.get("sessionId") ?? searchParams.get("session_id");
    const transport = id === null ? null : this.#ports.find(id, principalId);
    if (transport === null) return noStream();
    const arrival = await this.#ports.arrivals.take(req, body, principalId, signal);
    if (arrival.refusal !== null) return arrival.refusal;
    const { message, leave } = arrival;
    const request = await toWebRequest(bodyless(req), message);
    const single = singleMessage(message);
    const refusal = single === null ? notOne() : refusalOf(transport, single);
    if (refusal !== null || single === null) {
      leave();
      return refusal ?? notOne();
    }
    transport.receive(single, request, leave);
    return new Response("Accepted", { status: 202 });
  }
}

function noStream(): Response {
  const text = "Session not found: its event stream has ended or is not yours, open GET /sse anew";
  return faultHttp(404, { code: SESSION_NOT_FOUND, message: text, id: null });
}

function notOne(): Response {
  const text = "Invalid Request: expected one JSON-RPC 2.0 message, no batch";
  return faultHttp(400, { code: INVALID_REQUEST, message: text, id: null });
}

function refusalOf(transport: SseTransport, message: JSONRPCMessage): Response | null {
  // While the message waited for its turn the stream may have ended.
  if (transport.isClosed) return noStream();
  const why = transport.refusalOf(message);
  return why === null ? null : tooMany(why);
}

function singleMessage(message: object): JSONRPCMessage | null {
  try {
    return parseJSONRPCMessage(message);
  } catch {
    return null;
  }
}
