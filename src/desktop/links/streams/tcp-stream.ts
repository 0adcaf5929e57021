import { connect } from "node:net";
import { guardTarget, type OwnListener } from "../../connections/target-guard.ts";
import { SocketStream } from "./socket-stream.ts";

/**
 * A TCP stream to a target whose address is resolved and judged first. Emits "connect" when it is up, and "error"
 * with the LinkError or socket error that says why it is not.
 */
export class TcpStream extends SocketStream {
  constructor(host: string, port: number, own: readonly OwnListener[]) {
    super(async () => {
      const { address, family } = await guardTarget(host, port, own);
      return connect({ host: address, port, family, noDelay: true, keepAlive: true });
    });
  }
}
