import { connect, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { guardTarget, type OwnListener } from "../target-guard.ts";

/**
 * A TCP stream to a target whose address is resolved and judged first. Emits "connect" when it is up, and "error"
 * with the LinkError or socket error that says why it is not.
 */
export class TcpStream extends Duplex {
  #socket: Socket | null = null;

  constructor(host: string, port: number, own: readonly OwnListener[]) {
    super({ allowHalfOpen: false });
    guardTarget(host, port, own).then(
      ({ address, family }) => this.#connect(address, family, port),
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
    this.#socket?.destroy();
    done(error);
  }

  #connect(host: string, family: 4 | 6, port: number): void {
    if (this.destroyed) return;
    const socket = connect({ host, port, family, noDelay: true, keepAlive: true });
    this.#socket = socket;
    socket.once("connect", () => this.emit("connect"));
    socket.on("data", (chunk) => {
      if (!this.push(chunk)) socket.pause();
    });
    socket.once("end", () => this.push(null));
    socket.once("error", (error) => this.destroy(error));
    socket.once("close", () => this.destroy());
  }
}
