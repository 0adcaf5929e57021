import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import type { RawData, WebSocket } from "ws";
import type { TlsIdentity } from "../../protocols/rfb/server/rfb-server.ts";
import { ReadThrottle } from "./read-throttle.ts";
import type { ViewerTls } from "./tls.ts";
import { hasPlainFrames, writeFrame } from "./ws-frame.ts";

/** Who hears of a transport: called from the event loop, never from within `send`. */
export interface TransportListener {
  receive(chunk: Uint8Array): void;
  /** Some of what was sent has left this process. */
  drained(): void;
  /** The end, said once. */
  closed(): void;
}

/** A byte pipe to one viewer. Sending never waits; who sends looks at `bufferedBytes` first. */
export interface ViewerTransport {
  /** Sent, but still in the memory of this process. */
  readonly bufferedBytes: number;
  send(bytes: Uint8Array): void;
  /** Ends it after what was sent has left, or by force soon after. `code`: as in a WebSocket's close frame. */
  close(code: number, reason: string): void;
  /** From now on both ways through TLS, where the transport can; what was sent before went as it was. */
  startTls?(identity: TlsIdentity): void;
  /** Call once, before anything else. */
  listen(listener: TransportListener): void;
}

/** Codes of a WebSocket's close frame, RFC 6455 section 7.4.1. */
export const CLOSE_CODE = {
  goingAway: 1001,
  protocolError: 1002,
  notBinary: 1003,
  policy: 1008,
  internal: 1011,
  tryAgainLater: 1013,
} as const;

/** Written in pieces of this size, so that a slow viewer's progress shows. */
const PIECE_BYTES = 64 * 1024;
/** What a frame is counted as beside what it holds. */
const FRAME_COST_BYTES = 16;
/** How long a viewer may take to read the rest before its socket is destroyed. */
const LINGER_MS = 2000;

/** Pieces of what goes to several viewers. What is sent to many is known by being the same. */
const cut = new WeakMap<Uint8Array, readonly Uint8Array[]>();

/** The part that both kinds have in common: cuts what is sent, counts what is on its way. */
class Outbox {
  readonly #write: (piece: Uint8Array, done: () => void) => void;
  /** Lengths of pieces, which leave in order: one function for all costs a stream less than one for each. */
  readonly #sizes: number[] = [];
  #bufferedBytes = 0;
  #onDrained: () => void = () => {};

  constructor(write: (piece: Uint8Array, done: () => void) => void) {
    this.#write = write;
  }

  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  onDrained(call: () => void): void {
    this.#onDrained = call;
  }

  send(bytes: Uint8Array): void {
    this.#bufferedBytes += bytes.length;
    if (bytes.length <= PIECE_BYTES) this.#post(bytes);
    else for (const piece of piecesOf(bytes)) this.#post(piece);
  }

  #post(piece: Uint8Array): void {
    this.#sizes.push(piece.length);
    this.#write(piece, this.#left);
  }

  readonly #left = (): void => {
    this.#bufferedBytes -= this.#sizes.shift() ?? 0;
    this.#onDrained();
  };
}

function piecesOf(bytes: Uint8Array): readonly Uint8Array[] {
  const known = cut.get(bytes);
  if (known !== undefined) return known;
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) pieces.push(bytes.subarray(at, at + PIECE_BYTES));
  cut.set(bytes, pieces);
  return pieces;
}

/**
 * RFB in binary WebSocket frames; how they are cut means nothing. `stream`: what lies below the socket, where that is
 * known: then what goes to many viewers is put into a frame once.
 */
export function webSocketTransport(socket: WebSocket, stream: Writable | null = null): ViewerTransport {
  return new WebSocketTransport(socket, stream);
}

/** RFB over TCP, with `tls` for viewers that ask for VeNCrypt. */
export function tcpTransport(socket: Socket, tls: ViewerTls | null = null): ViewerTransport {
  return new TcpTransport(socket, tls);
}

class WebSocketTransport implements ViewerTransport {
  readonly #socket: WebSocket;
  readonly #outbox: Outbox;

  constructor(socket: WebSocket, stream: Writable | null) {
    this.#socket = socket;
    // Of a socket that is open: what it agreed on stays.
    const below = hasPlainFrames(socket) ? stream : null;
    this.#outbox = new Outbox((piece, done) => {
      if (below !== null && writeFrame(socket, below, piece, done)) return;
      socket.send(piece, { binary: true }, done);
    });
  }

  get bufferedBytes(): number {
    return this.#outbox.bufferedBytes;
  }

  send(bytes: Uint8Array): void {
    this.#outbox.send(bytes);
  }

  close(code: number, reason: string): void {
    const socket = this.#socket;
    socket.close(code, reason);
    unlessBefore(socket, () => socket.terminate());
  }

  listen(listener: TransportListener): void {
    const socket = this.#socket;
    this.#outbox.onDrained(() => listener.drained());
    const throttle = new ReadThrottle(socket);
    socket.on("message", (data, isBinary) => {
      if (!isBinary) {
        socket.close(CLOSE_CODE.notBinary, "binary frames only");
        return;
      }
      const chunk = bytesOf(data);
      // A small frame costs more than its bytes.
      throttle.took(chunk.length + FRAME_COST_BYTES);
      listener.receive(chunk);
    });
    socket.on("ping", (data) => throttle.took(data.length + FRAME_COST_BYTES));
    socket.once("close", () => throttle.close());
    // What went wrong is of no use to anybody; "close" always follows.
    socket.on("error", () => {});
    socket.once("close", () => listener.closed());
  }
}

class TcpTransport implements ViewerTransport {
  readonly #socket: Socket;
  readonly #tls: ViewerTls | null;
  readonly #outbox: Outbox;
  /** The socket, or TLS over it. */
  #stream: Socket;
  #onData: (chunk: Uint8Array) => void = () => {};

  constructor(socket: Socket, tls: ViewerTls | null) {
    this.#socket = socket;
    this.#tls = tls;
    this.#stream = socket;
    this.#outbox = new Outbox((piece, done) => void this.#stream.write(piece, done));
    socket.setNoDelay(true);
  }

  get bufferedBytes(): number {
    return this.#outbox.bufferedBytes;
  }

  send(bytes: Uint8Array): void {
    if (this.#stream.writable) this.#outbox.send(bytes);
  }

  close(): void {
    const socket = this.#socket;
    this.#stream.end();
    unlessBefore(socket, () => socket.destroy());
  }

  startTls(identity: TlsIdentity): void {
    const socket = this.#socket;
    if (this.#tls === null) throw new Error("VeNCrypt was offered without TLS");
    socket.removeListener("data", this.#onData);
    const stream = this.#tls.wrap(socket, identity);
    this.#stream = stream;
    // Who cannot agree on TLS, or breaks it, is gone: there is no clear text to tell it in.
    stream.on("error", () => socket.destroy());
    stream.on("data", this.#onData);
  }

  listen(listener: TransportListener): void {
    const socket = this.#socket;
    this.#outbox.onDrained(() => listener.drained());
    const throttle = new ReadThrottle({
      pause: () => this.#stream.pause(),
      resume: () => this.#stream.resume(),
    });
    this.#onData = (chunk) => {
      throttle.took(chunk.length);
      listener.receive(chunk);
    };
    socket.on("data", this.#onData);
    socket.once("close", () => throttle.close());
    socket.on("error", () => {});
    socket.once("close", () => listener.closed());
  }
}

function unlessBefore(socket: Socket | WebSocket, force: () => void): void {
  const timer = setTimeout(force, LINGER_MS);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}
