import type { Server } from "@modelcontextprotocol/server";

interface Log {
  warn(fields: object, message: string): void;
}

/** The SDK's objects of sessions that last, which can be told something between two requests. */
export class LastingServers {
  readonly #servers = new Set<Server>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** `until`: it is over when that resolves; absent, when `remove` is called. */
  add(server: Server, until?: Promise<void>): Server {
    this.#servers.add(server);
    void until?.then(() => this.remove(server));
    return server;
  }

  remove(server: Server): void {
    this.#servers.delete(server);
  }

  /** The tools of some may be others now; each asks for its own. */
  toolsChanged(): void {
    for (const server of this.#servers) {
      server
        .sendToolListChanged()
        .catch((err: unknown) => this.#log.warn({ err }, "MCP client was not told of its tools"));
    }
  }
}
