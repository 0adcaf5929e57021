import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import type { RawData, WebSocket } from "ws";
import type { TlsIdentity } from "../protocols/rfb/server/rfb-server.ts";
import { writeFrame } from "./viewer-frames.ts";
import { ViewerPace } from "./viewer-pace.ts";
import type { ViewerTls } from "./viewer-tls.ts";

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

/** The part that both kinds have in common: cuts what is sent, counts what is on its way. */
class Outbox {
  readonly #write: (piece: Uint8Array, done: () => void) => void;
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
    // As it is, and not as a view of it: what is sent to many is known by being the same.
    if (bytes.length <= PIECE_BYTES) {
      this.#post(bytes);
      return;
    }
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      this.#post(bytes.subarray(at, at + PIECE_BYTES));
    }
  }

  #post(piece: Uint8Array): void {
    this.#write(piece, () => {
      this.#bufferedBytes -= piece.length;
      this.#onDrained();
    });
  }
}

/**
 * RFB in binary WebSocket frames; how they are cut means nothing. `stream`: what lies below the socket, where that is
 * known: then what goes to many viewers is put into a frame once.
 */
export function webSocketTransport(socket: WebSocket, stream: Writable | null = null): ViewerTransport {
  const outbox = new Outbox((piece, done) => {
    if (stream !== null && writeFrame(socket, stream, piece, done)) return;
    socket.send(piece, { binary: true }, done);
  });
  return {
    get bufferedBytes() {
      return outbox.bufferedBytes;
    },
    send: (bytes) => outbox.send(bytes),
    close(code, reason) {
      socket.close(code, reason);
      unlessBefore(socket, () => socket.terminate());
    },
    listen(listener) {
      outbox.onDrained(() => listener.drained());
      const pace = new ViewerPace(socket);
      socket.on("message", (data, isBinary) => {
        if (!isBinary) {
          socket.close(CLOSE_CODE.notBinary, "binary frames only");
          return;
        }
        const chunk = bytesOf(data);
        // A small frame costs more than its bytes.
        pace.took(chunk.length + FRAME_COST_BYTES);
        listener.receive(chunk);
      });
      socket.on("ping", (data) => pace.took(data.length + FRAME_COST_BYTES));
      socket.once("close", () => pace.close());
      // What went wrong is of no use to anybody; "close" always follows.
      socket.on("error", () => {});
      socket.once("close", () => listener.closed());
    },
  };
}

/** RFB over TCP, with `tls` for viewers that ask for VeNCrypt. */
export function tcpTransport(socket: Socket, tls: ViewerTls | null = null): ViewerTransport {
  let stream = socket;
  let onData: (chunk: Uint8Array) => void = () => {};
  const outbox = new Outbox((piece, done) => void stream.write(piece, done));
  socket.setNoDelay(true);
  return {
    get bufferedBytes() {
      return outbox.bufferedBytes;
    },
    send(bytes) {
      if (stream.writable) outbox.send(bytes);
    },
    close() {
      stream.end();
      unlessBefore(socket, () => socket.destroy());
    },
    startTls(identity) {
      if (tls === null) throw new Error("VeNCrypt was offered without TLS");
      socket.removeListener("data", onData);
      stream = tls.wrap(socket, identity);
      // Who cannot agree on TLS, or breaks it, is gone: there is no clear text to tell it in.
      stream.on("error", () => socket.destroy());
      stream.on("data", onData);
    },
    listen(listener) {
      outbox.onDrained(() => listener.drained());
      const pace = new ViewerPace({ pause: () => stream.pause(), resume: () => stream.resume() });
      onData = (chunk) => {
        pace.took(chunk.length);
        listener.receive(chunk);
      };
      socket.on("data", onData);
      socket.once("close", () => pace.close());
      socket.on("error", () => {});
      socket.once("close", () => listener.closed());
    },
  };
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
