import type { IncomingMessage } from "node:http";
import { connect, isIP, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { WebSocket } from "ws";
import { LinkError } from "../error.ts";
import { guardTarget, isLoopback, type OwnListener } from "../target-guard.ts";

/** The server closes at frames of 64 KB and more. */
const MOST_FRAME_BYTES = 32 * 1024;

/** Its own frames stay below 50 KB (KasmVNC 1.5.0, 2026-11-21). */
const MOST_SERVER_FRAME_BYTES = 1024 * 1024;

/** What its web server reads of the header with name and password. */
const MOST_CREDENTIAL_BYTES = 256;

/** A server without TLS may wait for more instead of closing. */
const TLS_MS = 4000;

export interface KasmTarget {
  readonly host: string;
  readonly port: number;
  /** For HTTP Basic only; null: none is sent. */
  readonly username: string | null;
  readonly password: string | null;
  /** "auto": TLS, and without only to this machine itself. */
  readonly tls: "auto" | "always" | "never";
}

/** Is this the certificate of that server? Rejects with a LinkError where it is not. */
export type JudgeCertificate = (socket: TLSSocket, host: string, port: number) => Promise<void>;

/** One that an authority this machine trusts has signed for that host; on this machine itself any will do. */
export const judgeByAuthorities: JudgeCertificate = async (socket, host, port) => {
  if (socket.authorized || isLoopback(socket.remoteAddress ?? "")) return;
  const why = socket.authorizationError?.message ?? "no reason given";
  throw new LinkError(
    "refused",
    `the certificate of ${host}:${port} is not trusted (${why}): have this machine trust its authority`,
    { isFinal: true },
  );
};

/**
 * The byte stream inside a KasmVNC server's WebSocket. One request with name and password, never a second: each
 * refused one counts towards being locked out. No pings, which it does not answer. Emits "connect" when TCP, or TLS,
 * is up.
 */
export class KasmSocket extends Duplex {
  readonly #target: KasmTarget;
  readonly #judge: JudgeCertificate;
  #socket: Socket | null = null;
  #ws: WebSocket | null = null;

  constructor(target: KasmTarget, own: readonly OwnListener[], judge: JudgeCertificate) {
    super({ allowHalfOpen: false });
    this.#target = target;
    this.#judge = judge;
    this.#open(own).catch((error: unknown) =>
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
    for (let at = 0; at < chunk.length; at += MOST_FRAME_BYTES) {
      const isLast = at + MOST_FRAME_BYTES >= chunk.length;
      const frame = chunk.subarray(at, at + MOST_FRAME_BYTES);
      ws.send(frame, { binary: true }, isLast ? (error) => done(error ?? null) : undefined);
    }
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#ws?.terminate();
    this.#socket?.destroy();
    done(error);
  }

  async #open(own: readonly OwnListener[]): Promise<void> {
    const { host, port, tls } = this.#target;
    const authorization = authorizationOf(this.#target);
    const { address, family } = await guardTarget(host, port, own);
    const reach = (): Promise<Socket> => this.#keep(connect({ host: address, port, family, noDelay: true }));
    let socket = await reach();
    let isSecure = tls !== "never";
    if (isSecure) {
      const secured = await this.#secure(socket);
      if (secured !== null) socket = secured;
      else if (tls === "auto" && isLoopback(address)) {
        isSecure = false;
        socket = await reach();
      } else {
        throw new LinkError(
          "unreachable",
          "the target does not speak TLS, and name and password are not sent in clear to another machine: turn TLS on there",
          { isFinal: true },
        );
      }
    }
    this.emit("connect");
    this.#upgrade(socket, isSecure, authorization);
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
  async #secure(plain: Socket): Promise<TLSSocket | null> {
    const { host, port } = this.#target;
    const socket = connectTls({
      socket: plain,
      host,
      rejectUnauthorized: false, // the certificate is judged below, by our own rules
      ...(isIP(host) === 0 ? { servername: host } : {}),
    });
    socket.on("error", () => undefined);
    const isUp = await new Promise<boolean>((resolve) => {
      socket.once("secureConnect", () => resolve(true));
      socket.once("close", () => resolve(false));
      socket.setTimeout(TLS_MS, () => socket.destroy());
    });
    socket.setTimeout(0);
    if (!isUp) {
      socket.destroy();
      return null;
    }
    this.#socket = socket;
    await this.#judge(socket, host, port);
    return socket;
  }

  #upgrade(socket: Socket, isSecure: boolean, authorization: string | null): void {
    if (this.destroyed) return;
    const { host, port } = this.#target;
    const place = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    const ws = new WebSocket(`${isSecure ? "wss" : "ws"}://${place}/websockify`, ["binary"], {
      // Without Origin and a subprotocol the server takes it for a request for a web page.
      origin: `${isSecure ? "https" : "http"}://${place}`,
      headers: authorization === null ? {} : { authorization },
      perMessageDeflate: false,
      followRedirects: false,
      maxPayload: MOST_SERVER_FRAME_BYTES,
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
      this.destroy(refusalOf(response, authorization !== null));
    });
    ws.on("error", (error) => this.destroy(isFrameError(error) ? frameError(error) : error));
    // The server ends TCP without a closing handshake, which is an ordinary end here.
    ws.on("close", () => {
      this.push(null);
      this.destroy();
    });
  }
}

function authorizationOf({ username, password }: KasmTarget): string | null {
  if (username === null) return null;
  if (username.includes(":")) {
    throw new LinkError("auth_failed", "the user name has a colon, which HTTP Basic cannot send", {
      isFinal: true,
    });
  }
  const header = `Basic ${Buffer.from(`${username}:${password ?? ""}`, "utf8").toString("base64")}`;
  if (header.length <= MOST_CREDENTIAL_BYTES) return header;
  throw new LinkError("auth_failed", "user name and password are longer than KasmVNC reads", {
    isFinal: true,
  });
}

/** Every refusal of the name or the password is final: another try counts towards being locked out. */
function refusalOf({ statusCode = 0, headers }: IncomingMessage, hasCredentials: boolean): LinkError {
  if (statusCode === 401 && !hasCredentials) {
    return new LinkError("password_required", "the server asks for a user name and none is configured", {
      isFinal: true,
    });
  }
  if (statusCode === 401 && headers["www-authenticate"] === undefined) {
    return new LinkError(
      "auth_failed",
      "the server refused the user name or the password, or has locked this address out after refused ones: correct them and wait 10 s",
      { isFinal: true },
    );
  }
  if (statusCode === 401 || statusCode === 403) {
    return new LinkError("auth_failed", "the server refused the user name or the password", {
      isFinal: true,
    });
  }
  return new LinkError(
    "protocol_error",
    `got HTTP status ${statusCode}, expected a WebSocket: is this the port of a KasmVNC server?`,
  );
}

function isFrameError(error: Error): boolean {
  return "code" in error && typeof error.code === "string" && error.code.startsWith("WS_ERR_");
}

function frameError(cause: Error): LinkError {
  return new LinkError("protocol_error", "got a damaged WebSocket frame", { cause });
}
