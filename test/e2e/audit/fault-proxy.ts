import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { Owner } from "../../support/program.ts";

/**
 * pass: nothing fails. refuse: nobody listens. silent: takes what is sent and never answers. request: cuts the connection
 * in the middle of what is sent. answer: passes all of it on, and cuts the connection before the answer.
 */
export type Fault = "pass" | "refuse" | "silent" | "request" | "answer";

/** A TCP proxy in front of a receiver, which fails as it is told. */
export class FaultProxy {
  readonly port: number;
  /** Connections that came, by what was done to them. */
  readonly counts = new Map<Fault, number>();
  readonly #to: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #fault: Fault = "pass";

  private constructor(server: Server, port: number, to: number) {
    this.#server = server;
    this.port = port;
    this.#to = to;
    server.on("connection", (socket) => this.#serve(socket));
  }

  static async open(owner: Owner, to: number): Promise<FaultProxy> {
    // One direction may end before the other.
    const server = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
    const proxy = new FaultProxy(server, address.port, to);
    owner.teardown(() => {
      proxy.#cutAll();
      server.close();
    });
    return proxy;
  }

  /** From now on, for those who are connected too. */
  async set(fault: Fault): Promise<void> {
    if (fault === this.#fault) return;
    this.#fault = fault;
    this.#cutAll();
    if (fault === "refuse") {
      this.#server.close();
    } else if (!this.#server.listening) {
      this.#server.listen(this.port, "127.0.0.1");
      await once(this.#server, "listening");
    }
  }

  #cutAll(): void {
    for (const socket of this.#sockets) reset(socket);
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => this.#sockets.delete(socket));
    return socket;
  }

  #serve(socket: Socket): void {
    const fault = this.#fault;
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
    this.#keep(socket);
    if (fault === "silent") {
      socket.resume();
      return;
    }
    const behind = this.#keep(connect({ port: this.#to, host: "127.0.0.1", allowHalfOpen: true }));
    // By a reset: an orderly end is what syslog takes as a receipt.
    const cut = (): void => {
      reset(socket);
      reset(behind);
    };
    // A reset of one side resets the other.
    for (const end of [socket, behind]) end.once("close", (hadError) => hadError && cut());
    if (fault === "request") {
      // Enough for a TLS handshake; less than a batch.
      let left = 3000;
      socket.on("data", (chunk) => {
        behind.write(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0) cut();
      });
      socket.once("end", cut);
      behind.pipe(socket);
      return;
    }
    socket.pipe(behind);
    if (fault === "answer") {
      // The receiver has all of it when the sender has ended its side, or when an HTTP answer begins.
      let isSaid = false;
      socket.once("end", () => {
        isSaid = true;
      });
      behind.on("data", (chunk) => {
        if (isSaid || chunk.subarray(0, 5).toString("latin1") === "HTTP/") cut();
        else socket.write(chunk);
      });
      behind.once("end", cut);
      return;
    }
    behind.pipe(socket);
  }
}

/**
 * Ends a connection by a reset. One whose own end is under way is closed instead: Node 20 to 26 keep the handle of such a
 * one when it is reset, and the process with it.
 */
function reset(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}
