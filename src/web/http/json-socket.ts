import type { WebSocket } from "ws";

/** What a reader may be behind; a page that stopped reading is closed and starts over with the whole state. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/** Close codes, RFC 6455 section 7.4.1 and the IANA registry. */
const UNSUPPORTED_DATA = 1003;
const POLICY_VIOLATION = 1008;
const TRY_AGAIN_LATER = 1013;

/** Messages a peer may send at once; they come back at five a second. */
const MAX_MESSAGES = 20;
const MESSAGE_EVERY_MS = 200;

/** A WebSocket of JSON texts that never keeps more for a slow reader than a megabyte. */
export class JsonSocket {
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** Sends a text that is JSON already, so that one text serves many sockets. */
  send(json: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > MAX_BUFFERED_BYTES) {
      this.#socket.close(TRY_AGAIN_LATER, "too slow");
      // The close message queues behind what is not read, so it would never get there.
      this.#socket.terminate();
      return;
    }
    this.#socket.send(json);
  }

  /** `nowMs` counts what the peer sends; a binary, malformed or unknown message or a flood ends the socket. */
  onMessage(nowMs: () => number, take: (message: unknown) => boolean): void {
    let tokens = MAX_MESSAGES;
    let atMs = nowMs();
    this.#socket.on("message", (data, isBinary) => {
      const elapsedMs = nowMs() - atMs;
      atMs += elapsedMs;
      tokens = Math.min(MAX_MESSAGES, tokens + elapsedMs / MESSAGE_EVERY_MS) - 1;
      if (tokens < 0) {
        this.#socket.close(POLICY_VIOLATION, "too many messages");
        return;
      }
      const message = isBinary ? undefined : parseJson(String(data));
      if (message === undefined) this.#socket.close(UNSUPPORTED_DATA, "expected JSON text");
      else if (!take(message)) this.#socket.close(POLICY_VIOLATION, "unknown message");
    });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
