import { connect } from "node:net";
import { guardTarget, type TargetPlace, type TargetReach } from "../../connections/target-guard.ts";
import { SocketStream } from "./socket-stream.ts";

/**
 * A TCP stream to a target whose address is resolved and judged first. Emits "connect" when it is up, and "error"
 * with the LinkError or socket error that says why it is not.
 */
export class TcpStream extends SocketStream {
  constructor(place: TargetPlace, reach: TargetReach) {
    super(async (_signal, onread) => {
      const { address, family } = await guardTarget(place, reach);
      return connect({ host: address, port: place.port, family, noDelay: true, keepAlive: true, onread });
    });
  }
}
