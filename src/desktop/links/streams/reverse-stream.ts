import { lookup } from "node:dns/promises";
import { createServer, type Server, type Socket } from "node:net";
import { guardPeer, isLoopback, type TargetReach } from "../../connections/target-guard.ts";
import { LinkError } from "../../error.ts";
import { SocketStream } from "./socket-stream.ts";

/** Where servers that connect by themselves may reach us. */
export const REVERSE_LISTEN = ["loopback", "any"] as const;
export type ReverseListen = (typeof REVERSE_LISTEN)[number];

export interface ReverseLimits {
  /** Beyond loopback only where it is "any". */
  readonly listen: ReverseListen;
  /** Whose servers are taken; the others are cut, and waited on for the next. */
  readonly reach: TargetReach;
}

/**
 * A stream to a VNC server that connects to us ("reverse connection", "listening viewer"). Listens on one address
 * until the first one came, and no longer. Emits "connect" then, and "error" where it cannot listen.
 */
export class ReverseStream extends SocketStream {
  /** `host`: the address of ours to listen on. */
  constructor(host: string, port: number, { listen, reach }: ReverseLimits) {
    super(async (signal) => {
      const { address } = await lookup(host);
      if (listen === "any" || isLoopback(address)) return await acceptOne(address, port, reach, signal);
      throw new LinkError(
        "target_forbidden",
        `${host} is an address that other machines reach: set targets.reverse_listen to any to let servers connect from there`,
        { isFinal: true },
      );
    });
  }
}

function acceptOne(host: string, port: number, reach: TargetReach, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const server: Server = createServer({ noDelay: true, keepAlive: true });
    signal.addEventListener("abort", () => server.close(), { once: true });
    server.once("error", reject);
    let isTaken = false;
    const self = { port };
    server.once("listening", () => reach.own.push(self));
    server.once("close", () => {
      const at = reach.own.indexOf(self);
      if (at !== -1) reach.own.splice(at, 1);
    });
    server.on("connection", (socket) => {
      // Whoever came in the same moment finds it taken.
      if (isTaken || !isWelcome(socket, port, reach)) {
        socket.destroy();
        return;
      }
      isTaken = true;
      server.close();
      resolve(socket);
    });
    if (signal.aborted) reject(new LinkError("target_closed", "the connection was closed here"));
    else server.listen({ host, port, exclusive: true });
  });
}

function isWelcome({ remoteAddress }: Socket, port: number, reach: TargetReach): boolean {
  // One that has gone already has no address.
  if (remoteAddress === undefined) return false;
  try {
    guardPeer("vnc", remoteAddress, port, reach);
    return true;
  } catch (error) {
    if (error instanceof LinkError) return false;
    throw error;
  }
}
