import { createServer, type Socket } from "node:net";
import { hello } from "../../protocols/rfb/client/server-bytes.ts";

interface Owner {
  teardown(work: () => Promise<void>): void;
}

/** A VNC server on a port of 127.0.0.1 that a test plays by hand: it greets whoever comes and says what it is told. */
export class TcpTarget {
  readonly sockets: Socket[] = [];
  /** Everything that every client said, in order. */
  readonly heard: number[] = [];
  /** Whom it greets; others are cut off. */
  admits: (index: number) => boolean = () => true;
  readonly #server = createServer((socket) => this.#greet(socket));
  readonly #size: readonly [number, number];
  #port = 0;

  private constructor(width: number, height: number) {
    this.#size = [width, height];
  }

  static async start(owner: Owner, width = 8, height = 8): Promise<TcpTarget> {
    const target = new TcpTarget(width, height);
    target.#server.listen(0, "127.0.0.1");
    await new Promise((resolve) => target.#server.once("listening", resolve));
    const address = target.#server.address();
    if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
    target.#port = address.port;
    owner.teardown(async () => {
      for (const socket of target.sockets) socket.destroy();
      await new Promise((resolve) => target.#server.close(resolve));
    });
    return target;
  }

  get port(): number {
    return this.#port;
  }

  /** Resolves when the bytes have left this process. Default: to the newest client. */
  say(bytes: Uint8Array, socket: Socket | undefined = this.sockets.at(-1)): Promise<void> {
    return new Promise((resolve, reject) => {
      if (socket === undefined) throw new Error("nobody is connected");
      socket.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }

  #greet(socket: Socket): void {
    const index = this.sockets.push(socket) - 1;
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => this.heard.push(...bytes));
    if (this.admits(index)) socket.write(hello(...this.#size));
    else socket.destroy();
  }
}
