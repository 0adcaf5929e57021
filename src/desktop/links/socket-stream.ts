import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/**
 * A stream over a socket that is found first. `reach` gives a socket that is up or on its way up; it is told by the
 * signal that nobody waits any more. Emits "connect" when it is up, and "error" with what `reach` or the socket said.
 */
export class SocketStream extends Duplex {
  readonly #given = new AbortController();
  #socket: Socket | null = null;

  constructor(reach: (signal: AbortSignal) => Promise<Socket>) {
    super({ allowHalfOpen: false });
    reach(this.#given.signal).then(
      (socket) => this.#adopt(socket),
      (error: unknown) => this.destroy(error instanceof Error ? error : new Error("the target was refused")),
    );
  }

  override _read(): void {
    this.#socket?.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#socket === null) done(new Error("the socket is not up"));
    else this.#socket.write(chunk, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#given.abort();
    this.#socket?.destroy();
    done(error);
  }

  #adopt(socket: Socket): void {
    if (this.destroyed) {
      socket.destroy();
      return;
    }
    this.#socket = socket;
    if (socket.connecting) socket.once("connect", () => this.emit("connect"));
    else this.emit("connect");
    socket.on("data", (chunk) => {
      if (!this.push(chunk)) socket.pause();
    });
    socket.once("end", () => this.push(null));
    socket.once("error", (error) => this.destroy(error));
    socket.once("close", () => this.destroy());
  }
}
