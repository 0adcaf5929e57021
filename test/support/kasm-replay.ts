import { createServer, type Socket } from "node:net";
import type { Recording } from "../protocols/kasmvnc/recording.ts";
import { acceptWebSocket, KasmBlacklist } from "./kasm-front.ts";
import type { Owner } from "./program.ts";

/** Message type of the bell: an RFB message that is over with its type. */
const BELL = 2;

/**
 * A server that says what a real one said on a recorded session's first connection, over a real WebSocket, up to a
 * line and then rings. Gives its port on 127.0.0.1. What the client says is read up to its ClientInit, which is as
 * long whoever says it, and passed over from there.
 */
export async function replayOverWebSocket(
  owner: Owner,
  recording: Recording,
  lastLine: number,
): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
    play(socket, recording, lastLine).catch(() => socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  owner.teardown(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
  return address.port;
}

async function play(socket: Socket, { lines }: Recording, lastLine: number): Promise<void> {
  const accepted = await acceptWebSocket(socket, null, new KasmBlacklist(), () => undefined);
  if (accepted === null) {
    socket.destroy();
    return;
  }
  const { wire } = accepted;
  const said = lines.filter(
    ({ isHttp, connection, number }) => !isHttp && connection === 1 && number <= lastLine,
  );
  const isInit = said.findIndex(
    ({ isFromServer, bytes }, i) =>
      !isFromServer && bytes.length === 1 && said[i + 1]?.bytes.length !== 16 && i > 4,
  );
  for (const [i, { isFromServer, bytes }] of said.entries()) {
    if (isFromServer) wire.write(bytes);
    else if (i <= isInit) await wire.read(bytes.length);
  }
  wire.write(Buffer.of(BELL));
  // Whatever else it says; ends when it has gone.
  for (;;) await wire.read(1);
}
