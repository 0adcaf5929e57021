import type { X509Certificate } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { type Duplex, finished } from "node:stream";
import { TLSSocket } from "node:tls";
import {
  ALIVE_PATH,
  CALL_HEADER,
  type Call,
  type CallsTls,
  isFor,
  MOST_HEADER_BYTES,
  REFUSED_HEADER,
  readCall,
} from "./call.ts";

const HANDSHAKE_WITHIN_MS = 5000;
const HEADERS_WITHIN_MS = 10_000;
const REQUEST_WITHIN_MS = 30_000;
/** Longer than callers keep theirs: who closes first must be the one that sends. */
const IDLE_MS = 60_000;
const MOST_CONNECTIONS = 4096;

interface CallsServerOptions {
  readonly tls: CallsTls;
  /** Whether a node of that name lives. */
  isNode(name: string): boolean;
  /** What answers: an HTTP server that need not listen. */
  readonly app: Server;
  /** Somebody was refused, for a reason that tells nothing of what they sent. */
  onRefused(reason: string, address: string): void;
}

/**
 * Where other nodes call this one. INVARIANT: nothing of a request is looked at but by who showed a certificate of the fleet's authority in the
 * handshake, and nothing is done but for a node of the table whose name the certificate has.
 */
export class CallsServer {
  readonly #options: CallsServerOptions;
  readonly #server: Server;
  readonly #calls = new WeakMap<IncomingMessage, Call>();
  readonly #open = new Set<Duplex>();

  private constructor(options: CallsServerOptions) {
    this.#options = options;
    const { tls, onRefused } = options;
    const server = createServer({
      ...tls,
      ...{ requestCert: true, rejectUnauthorized: true, minVersion: "TLSv1.3" },
      handshakeTimeout: HANDSHAKE_WITHIN_MS,
      headersTimeout: HEADERS_WITHIN_MS,
      requestTimeout: REQUEST_WITHIN_MS,
      keepAliveTimeout: IDLE_MS,
      maxHeaderSize: MOST_HEADER_BYTES,
    });
    server.maxConnections = MOST_CONNECTIONS;
    server.on("connection", (socket: Duplex) => {
      this.#open.add(socket);
      finished(socket, () => this.#open.delete(socket));
    });
    server.on("tlsClientError", (error, socket) => onRefused(reasonOf(error), socket.remoteAddress ?? ""));
    server.on("request", (request, response) => this.#answer(request, response));
    server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    this.#server = server;
  }

  /** Resolves when it listens. Rejects where the address is taken, or is none of this machine. */
  static async listen(options: CallsServerOptions, host: string, port: number): Promise<CallsServer> {
    const calls = new CallsServer(options);
    await new Promise<void>((resolve, reject) => {
      calls.#server.once("error", reject).listen({ host, port }, () => {
        calls.#server.off("error", reject);
        resolve();
      });
    });
    return calls;
  }

  get port(): number {
    const address = this.#server.address();
    return address !== null && typeof address === "object" ? address.port : 0;
  }

  /** The call that a request came by; null: it came by none. */
  of(request: IncomingMessage): Call | null {
    return this.#calls.get(request) ?? null;
  }

  /** Ends all that is open. */
  close(): void {
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const refusal = this.#refusalOf(request);
    if (refusal === null && request.url !== ALIVE_PATH) {
      this.#options.app.emit("request", request, response);
      return;
    }
    if (refusal === null) response.writeHead(204);
    else response.writeHead(403, { [REFUSED_HEADER]: refusal, connection: "close" });
    response.end();
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refusal = this.#refusalOf(request);
    if (refusal === null) {
      this.#options.app.emit("upgrade", request, socket, head);
      return;
    }
    socket.on("error", () => socket.destroy());
    socket.end(`HTTP/1.1 403 Forbidden\r\n${REFUSED_HEADER}: ${refusal}\r\nconnection: close\r\n\r\n`);
  }

  /** Why it is not answered; null: it is, and what `of` tells of it holds. */
  #refusalOf(request: IncomingMessage): string | null {
    const call = readCall(request.headers[CALL_HEADER]);
    const refusal = this.#judge(call, certificateOf(request));
    if (refusal !== null) this.#options.onRefused(refusal, request.socket.remoteAddress ?? "");
    else if (call !== null) this.#calls.set(request, call);
    return refusal;
  }

  #judge(call: Call | null, certificate: X509Certificate | undefined): string | null {
    if (call === null) return "the request does not say which node it comes from";
    if (certificate === undefined || !isFor(certificate, call.node)) {
      return "the certificate is not for the node that the request names: expected that name as its CN or a DNS name";
    }
    return this.#options.isNode(call.node) ? null : "no node of that name is in the table of the fleet";
  }
}

function certificateOf({ socket }: IncomingMessage): X509Certificate | undefined {
  return socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
}

function reasonOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "no TLS";
}
