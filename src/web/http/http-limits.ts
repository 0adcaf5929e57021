import type { RequestListener, Server } from "node:http";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { loopTurns } from "../../platform/loop-turns.ts";

/** What a client may cost before it has said who it is. */
export const HTTP_LIMITS = {
  bodyBytes: 1024 * 1024,
  /** The whole request, first byte to last. */
  requestTimeoutMs: 30_000,
  headersTimeoutMs: 10_000,
  /** Silence on a connection while we answer; event streams lift it. */
  silenceTimeoutMs: 60_000,
  /**
   * An idle connection is kept so long, and the answer says so. Proxies and load balancers keep theirs to us for 60 s
   * (nginx `keepalive_timeout` of an upstream, AWS ALB), and who closes first must be the one that sends: a request that
   * meets our end on its way is lost, and no client repeats a POST. Fastify's own default.
   */
  keepAliveTimeoutMs: 72_000,
  /** How often slow requests are looked for. */
  checkEveryMs: 5000,
  headerBytes: 16 * 1024,
  requestsPerConnection: 1000,
  connections: 4096,
  /** Routing, judging and beginning a request takes up to half a millisecond of the loop. */
  requestsPerTurn: 8,
  stopsPerTurn: 8,
} as const;

/** No frame of a viewer is larger: noVNC sends at most 10 KiB at once, websockify at most 64 KiB. */
export const SOCKET_LIMITS = {
  maxPayload: 64 * 1024,
  // A bomb of a few bytes would unpack to the limit each time; pixels are compressed already.
  perMessageDeflate: false,
} as const;

/** What people stop agents with: it is what ends a flood. */
const STOP = /^\/api\/v1\/desktops\/[^/?]+\/stop(?:\?|$)/;

type Request = Parameters<RequestListener>;

interface Line {
  readonly perTurn: number;
  readonly waiting: Request[];
  begun: number;
}

/**
 * `handler`, called for so many requests in a turn of the event loop, in the order of their coming: hundreds that arrive
 * at once would hold it for all together. Who connects goes before them, and stops before both: they are counted by
 * themselves, as nobody knows yet who sends them. Of a connection one request is answered at a time, whatever it
 * sends ahead: an answer that waits for the one before it never hears that the connection was closed.
 */
export function inTurns(
  handler: RequestListener,
  requestsPerTurn: number = HTTP_LIMITS.requestsPerTurn,
  stopsPerTurn: number = HTTP_LIMITS.stopsPerTurn,
): RequestListener {
  const requests: Line = { perTurn: requestsPerTurn, waiting: [], begun: 0 };
  const stops: Line = { perTurn: stopsPerTurn, waiting: [], begun: 0 };
  let isDue = false;
  const nextTurn = (): void => {
    isDue = false;
    beginNext(stops);
    if (requests.waiting.length > 0 && loopTurns.isForArrivals) setDue();
    else beginNext(requests);
  };
  const setDue = (): void => {
    if (!isDue) setImmediate(nextTurn);
    isDue = true;
  };
  const beginNext = (line: Line): void => {
    line.begun = 0;
    for (const request of line.waiting.splice(0, line.perTurn)) begin(line, request);
  };
  const begin = (line: Line, request: Request): void => {
    setDue();
    line.begun++;
    handler(...request);
  };
  return (...request) => {
    const [{ method, url }, response] = request;
    const line = method === "POST" && STOP.test(url ?? "") ? stops : requests;
    const wait = (): void => {
      line.waiting.push(request);
      setDue();
    };
    if (response.socket === null) response.once("socket", wait);
    else if (line.waiting.length === 0 && line.begun < line.perTurn) begin(line, request);
    else wait();
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
  server.on("connection", () => loopTurns.arrived());
  server.maxRequestsPerSocket = HTTP_LIMITS.requestsPerConnection;
  server.maxConnections = HTTP_LIMITS.connections;
  server.setTimeout(HTTP_LIMITS.silenceTimeoutMs);
  return server;
}
