import type { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { WebSocket } from "ws";
import { type Clock, delay } from "../../../platform/clock.ts";
import {
  guardTarget,
  isLoopback,
  type TargetPlace,
  type TargetReach,
} from "../../connections/target-guard.ts";
import type { TargetTrust } from "../../connections/trust-policy.ts";
import { LinkError } from "../../error.ts";
import { startTargetTls } from "./target-tls.ts";

/** A server without TLS may wait for more instead of closing. */
const TLS_MS = 4000;

/** How a server's WebSocket is reached, and what it asks of those who want it. */
export interface WebSocketTarget {
  readonly protocol: TargetPlace["protocol"];
  readonly host: string;
  readonly port: number;
  /** Path and query, with its slash. */
  readonly path: string;
  /** "auto": TLS, and without only to this machine itself. */
  readonly tls: "auto" | "always" | "never";
  /** Beside those of the WebSocket itself; never logged. */
  readonly headers: Readonly<Record<string, string>>;
  /** The largest message to send and to take. */
  readonly mostSentBytes: number;
  readonly mostTakenBytes: number;
  /** What it means that the server answers with a page. */
  readonly refusalOf: (response: IncomingMessage) => LinkError;
}

/**
 * The byte stream inside a WebSocket: subprotocol `binary`, no compression, no redirects, one request and never a
 * second. Emits "connect" when TCP, or TLS, is up.
 */
export class WebSocketStream extends Duplex {
  readonly #target: WebSocketTarget;
  readonly #trust: TargetTrust;
  readonly #clock: Clock;
  #socket: Duplex | null = null;
  #ws: WebSocket | null = null;

  constructor(target: WebSocketTarget, reach: TargetReach, trust: TargetTrust, clock: Clock) {
    super({ allowHalfOpen: false });
    this.#target = target;
    this.#trust = trust;
    this.#clock = clock;
    this.#open(reach).catch((error: unknown) =>
      this.destroy(error instanceof Error ? error : new Error("the target was refused")),
    );
  }

  override _read(): void {
    if (this.#ws?.isPaused) this.#ws.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const ws = this.#ws;
    if (ws === null || ws.readyState !== WebSocket.OPEN) {
      done(new LinkError("target_closed", "the target closed the connection"));
      return;
    }
    const { mostSentBytes } = this.#target;
    for (let at = 0; at < chunk.length; at += mostSentBytes) {
      const isLast = at + mostSentBytes >= chunk.length;
      const frame = chunk.subarray(at, at + mostSentBytes);
      ws.send(frame, { binary: true }, isLast ? (error) => done(error ?? null) : undefined);
    }
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#ws?.terminate();
    this.#socket?.destroy();
    done(error);
  }

  async #open(reachable: TargetReach): Promise<void> {
    const { port, tls } = this.#target;
    const { address, family } = await guardTarget(this.#target, reachable);
    const reach = (): Promise<Socket> => this.#keep(connect({ host: address, port, family, noDelay: true }));
    const plain = await reach();
    if (tls === "never") {
      this.#upgrade(plain, false);
      return;
    }
    const secured = await this.#secure(plain);
    if (secured !== null) this.#upgrade(secured, true);
    // One that proved who it is before is not believed without doing so again.
    else if (tls === "auto" && isLoopback(address) && !this.#trust.needsIdentity) {
      this.#upgrade(await reach(), false);
    } else {
      throw new LinkError(
        "unreachable",
        "the target does not speak TLS, and name and password are not sent in clear to another machine: turn TLS on there, or choose the transport ws",
        { isFinal: true },
      );
    }
  }

  /** The socket once it is up; it is destroyed with this stream. */
  #keep(socket: Socket): Promise<Socket> {
    if (this.destroyed) socket.destroy();
    this.#socket = socket;
    socket.on("error", () => undefined); // "close" follows, and says the rest
    return new Promise((resolve, reject) => {
      socket.once("connect", () => resolve(socket));
      socket.once("error", reject);
      socket.once("close", () => reject(new LinkError("target_closed", "the target closed the connection")));
    });
  }

  /** TLS, its certificate judged before a byte is sent; null where the other side has none. */
  async #secure(plain: Socket): Promise<Duplex | null> {
    const patience = new AbortController();
    delay(this.#clock, TLS_MS, patience.signal).then(
      () => plain.destroy(),
      () => undefined,
    );
    try {
      const socket = await startTargetTls(plain, this.#target.host, false, this.#trust);
      this.#socket = socket;
      return socket;
    } catch (error) {
      // What was shown and is not believed is final; anything else means that nothing was shown.
      if (error instanceof LinkError && error.isFinal) throw error;
      plain.destroy();
      return null;
    } finally {
      patience.abort();
    }
  }

  #upgrade(socket: Duplex, isSecure: boolean): void {
    if (this.destroyed) {
      socket.destroy();
      return;
    }
    this.emit("connect");
    const { host, port, path, headers, mostTakenBytes, refusalOf } = this.#target;
    const place = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    const ws = new WebSocket(`${isSecure ? "wss" : "ws"}://${place}${path}`, ["binary"], {
      // Without Origin and a subprotocol KasmVNC takes it for a request for a web page.
      origin: `${isSecure ? "https" : "http"}://${place}`,
      headers,
      perMessageDeflate: false,
      followRedirects: false,
      maxPayload: mostTakenBytes,
      createConnection: () => socket,
    });
    this.#ws = ws;
    ws.binaryType = "nodebuffer";
    ws.on("message", (data, isBinary) => {
      if (!isBinary || !Buffer.isBuffer(data)) {
        this.destroy(new LinkError("protocol_error", "got a text frame, expected binary ones"));
      } else if (!this.push(data)) ws.pause();
    });
    ws.on("unexpected-response", (request, response) => {
      request.destroy();
      this.destroy(refusalOf(response));
    });
    ws.on("error", (error) => this.destroy(isFrameError(error) ? frameError(error) : error));
    // Some servers end TCP without a closing handshake, which is an ordinary end here.
    ws.on("close", () => {
      this.push(null);
      this.destroy();
    });
  }
}

function isFrameError(error: Error): boolean {
  return "code" in error && typeof error.code === "string" && error.code.startsWith("WS_ERR_");
}

function frameError(cause: Error): LinkError {
  return new LinkError("protocol_error", "got a damaged WebSocket frame", { cause });
}
