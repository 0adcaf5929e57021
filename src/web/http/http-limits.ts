import type { RequestListener, Server } from "node:http";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connectionArrived, isForArrivals } from "../../imaging/loop-turns.ts";

/** What a client may cost before it has said who it is. */
export const HTTP_LIMITS = {
  bodyBytes: 1024 * 1024,
  /** The whole request, first byte to last. */
  requestTimeoutMs: 30_000,
  headersTimeoutMs: 10_000,
  /** Silence on a connection while we answer; event streams lift it. */
  silenceTimeoutMs: 60_000,
  keepAliveTimeoutMs: 10_000,
  /** How often slow requests are looked for. */
  checkEveryMs: 5000,
  headerBytes: 16 * 1024,
  requestsPerConnection: 1000,
  connections: 4096,
  /** Routing, judging and beginning a request takes up to half a millisecond of the loop. */
  requestsPerTurn: 8,
} as const;

/** No frame of a viewer is larger: noVNC sends at most 10 KiB at once, websockify at most 64 KiB. */
export const SOCKET_LIMITS = {
  maxPayload: 64 * 1024,
  // A bomb of a few bytes would unpack to the limit each time; pixels are compressed already.
  perMessageDeflate: false,
} as const;

/** What people stop agents with. It goes before all others: it does little, and is what ends a flood. */
const STOP = /^\/api\/v1\/desktops\/[^/?]+\/stop(?:\?|$)/;

/**
 * `handler`, called for so many requests in a turn of the event loop, in the order of their coming: hundreds that arrive
 * at once would hold it for all together. Who connects goes first, and a stop waits for nobody.
 */
export function inTurns(
  handler: RequestListener,
  requestsPerTurn: number = HTTP_LIMITS.requestsPerTurn,
): RequestListener {
  const waiting: Parameters<RequestListener>[] = [];
  let begun = 0;
  let isDue = false;
  const nextTurn = (): void => {
    isDue = false;
    if (waiting.length > 0 && isForArrivals()) {
      setDue();
      return;
    }
    begun = 0;
    for (const request of waiting.splice(0, requestsPerTurn)) begin(request);
  };
  const setDue = (): void => {
    if (!isDue) setImmediate(nextTurn);
    isDue = true;
  };
  const begin = (request: Parameters<RequestListener>): void => {
    setDue();
    begun++;
    handler(...request);
  };
  return (...request) => {
    if (STOP.test(request[0].url ?? "")) handler(...request);
    else if (waiting.length === 0 && begun < requestsPerTurn) begin(request);
    else waiting.push(request);
  };
}

/** The HTTP server that the app listens with; TLS where a certificate is given. */
export function makeServer(
  tls: { readonly cert: string; readonly key: string } | null,
  handler: RequestListener,
): Server {
  const listener = inTurns(handler);
  const options = {
    requestTimeout: HTTP_LIMITS.requestTimeoutMs,
    headersTimeout: HTTP_LIMITS.headersTimeoutMs,
    keepAliveTimeout: HTTP_LIMITS.keepAliveTimeoutMs,
    connectionsCheckingInterval: HTTP_LIMITS.checkEveryMs,
    maxHeaderSize: HTTP_LIMITS.headerBytes,
  };
  const server =
    tls === null
      ? createServer(options, listener)
      : createTlsServer({ ...options, cert: tls.cert, key: tls.key, minVersion: "TLSv1.2" }, listener);
  server.on("connection", connectionArrived);
  server.maxRequestsPerSocket = HTTP_LIMITS.requestsPerConnection;
  server.maxConnections = HTTP_LIMITS.connections;
  server.setTimeout(HTTP_LIMITS.silenceTimeoutMs);
  return server;
}
