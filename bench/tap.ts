import { connect, createServer, type Server, type Socket } from "node:net";
import type { Owner } from "../test/support/program.ts";

/** A TCP port that passes everything on, and knows when the target said something. */
export class Tap {
  readonly port: number;
  readonly #heardAtMs: number[] = [];
  readonly #near = new Set<Socket>();

  private constructor(port: number, server: Server, targetPort: number) {
    this.port = port;
    server.on("connection", (near) => {
      const far = connect(targetPort, "127.0.0.1");
      this.#near.add(near);
      near.on("close", () => this.#near.delete(near));
      near.setNoDelay(true);
      far.setNoDelay(true);
      far.on("data", (chunk) => {
        this.#heardAtMs.push(performance.now());
        near.write(chunk);
      });
      near.on("data", (chunk) => far.write(chunk));
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        one.on("error", () => other.destroy());
        one.on("close", () => other.destroy());
      }
    });
  }

  static async open(owner: Owner, targetPort: number): Promise<Tap> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    owner.teardown(() => server.close());
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
    return new Tap(address.port, server, targetPort);
  }

  /** Ends all connections; new ones are taken. */
  cut(): void {
    for (const socket of this.#near) socket.destroy();
  }

  /** When the target first said something after `atMs`, by performance.now(); throws where it never did. */
  firstAfter(atMs: number): number {
    const found = this.#heardAtMs.find((heardAtMs) => heardAtMs > atMs);
    if (found === undefined) throw new Error("the target has said nothing since");
    return found;
  }
}
