import { connect } from "node:net";
import { SocketStream } from "./socket-stream.ts";

/** A stream to a Unix socket of this machine. Emits "connect" when it is up, and "error" where it is not. */
export class UnixStream extends SocketStream {
  /** `path`: absolute. */
  constructor(path: string) {
    super(async () => connect({ path }));
  }
}
