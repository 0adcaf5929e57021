import { heard } from "../language/language.ts";
import { backOffMs } from "./back-off.ts";
import { openSocket } from "./open-socket.ts";

/** What a LiveSocket tells its owner. */
export interface LiveSocketEvents<Message> {
  message(message: Message): void;
  /** True once the socket is open, false as soon as it is lost. */
  open(isOpen: boolean): void;
}

/**
 * A WebSocket of JSON messages that comes back by itself: after a loss with a back-off, at once when the computer is
 * online again. The server sends its whole state first, so nothing is lost that matters.
 */
export class LiveSocket<Message> {
  readonly #path: string;
  readonly #events: LiveSocketEvents<Message>;
  readonly #onOnline = (): void => this.#retryNow();
  #socket: WebSocket | null = null;
  #timer: number | undefined;
  #attempt = 0;
  #isClosed = false;

  /** `path`: of this server, with its query; connects at once. */
  constructor(path: string, events: LiveSocketEvents<Message>) {
    this.#path = path;
    this.#events = events;
    addEventListener("online", this.#onOnline);
    this.#connect();
  }

  /** False when there is no open socket: the message was not sent. */
  send(message: object): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    removeEventListener("online", this.#onOnline);
    this.#socket?.close(1000);
    this.#socket = null;
  }

  #connect(): void {
    const { socket, begin } = openSocket(this.#path);
    this.#socket = socket;
    const opened = (): void => {
      if (this.#socket !== socket) return;
      this.#attempt = 0;
      this.#events.open(true);
    };
    if (socket.readyState === WebSocket.OPEN) opened();
    else socket.addEventListener("open", opened);
    socket.addEventListener("message", (event: MessageEvent<string>) => {
      if (this.#socket !== socket) return;
      this.#events.message(heard(event.data));
    });
    socket.addEventListener("close", () => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      this.#events.open(false);
      if (this.#isClosed) return;
      this.#timer = setTimeout(() => this.#connect(), backOffMs(this.#attempt++, Math.random()));
    });
    begin();
  }

  #retryNow(): void {
    if (this.#socket || this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#connect();
  }
}
