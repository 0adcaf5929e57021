import { lookup } from "node:dns/promises";
import { createServer, type Server, type Socket } from "node:net";
import { isLoopback } from "../../connections/target-guard.ts";
import { LinkError } from "../../error.ts";
import { SocketStream } from "./socket-stream.ts";

/** Where servers that connect by themselves may reach us. */
export const REVERSE_LISTEN = ["loopback", "any"] as const;
export type ReverseListen = (typeof REVERSE_LISTEN)[number];

/**
 * A stream to a VNC server that connects to us ("reverse connection", "listening viewer"). Listens on one address
 * until the first one came, and no longer. Emits "connect" then, and "error" where it cannot listen.
 */
export class ReverseStream extends SocketStream {
  /** `host`: the address of ours to listen on; beyond loopback only where `listen` is "any". */
  constructor(host: string, port: number, listen: ReverseListen) {
    super(async (signal) => {
      const { address } = await lookup(host);
      if (listen === "any" || isLoopback(address)) return await acceptOne(address, port, signal);
      throw new LinkError(
        "target_forbidden",
        `${host} is an address that other machines reach: set targets.reverse_listen to any to let servers connect from there`,
        { isFinal: true },
      );
    });
  }
}

function acceptOne(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const server: Server = createServer({ noDelay: true, keepAlive: true });
    signal.addEventListener("abort", () => server.close(), { once: true });
    server.once("error", reject);
    server.once("connection", (socket) => {
      server.close();
      // Whoever came in the same moment finds it taken.
      server.on("connection", (late) => late.destroy());
      resolve(socket);
    });
    if (signal.aborted) reject(new LinkError("target_closed", "the connection was closed here"));
    else server.listen({ host, port, exclusive: true });
  });
}
