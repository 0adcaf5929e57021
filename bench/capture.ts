import { connect, createServer, type Server, type Socket } from "node:net";
import { PLATFORM } from "../src/appliance/open-links.ts";
import { PLAIN_RFB } from "../src/protocols/rfb/client/plain-rfb.ts";
import { RfbClient } from "../src/protocols/rfb/client/rfb-client.ts";
import type { Owner } from "../test/support/program.ts";

/** What a real server sent: all of it, from its version on. */
export interface Capture {
  readonly handshake: Uint8Array;
  /** After ServerInit. */
  readonly traffic: Uint8Array;
  readonly updates: number;
  /** Where each of them ends in the traffic. */
  readonly ends: readonly number[];
  readonly sizeBytes: number;
}

/** RFB 3.8 with security None: version 12, U8 count and type, U32 result; then ServerInit with its name. */
const BEFORE_INIT_BYTES = 12 + 2 + 4;
const INIT_BYTES = 24;

/** Records `updates` updates of the server at `port`, which wants no password and offers None alone. */
export function capture(port: number, encodings: readonly number[], updates: number): Promise<Capture> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, "127.0.0.1");
    const ends: number[] = [];
    let [seen, receivedBytes] = [0, 0];
    const client = new RfbClient(
      { password: null, encodings, dialect: { ...PLAIN_RFB, pseudoEncodings: [] } },
      PLATFORM,
      (bytes) => socket.write(Buffer.from(bytes)),
      (event) => {
        if (event.type === "ready") client.requestUpdate(false);
        if (event.type !== "update") return;
        seen++;
        // Nothing comes of the next one before it is asked for.
        ends.push(receivedBytes);
        if (seen < updates) {
          client.requestUpdate(true);
          return;
        }
        socket.destroy();
        client.close();
        resolve(split(Buffer.concat(chunks), ends));
      },
    );
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      receivedBytes += chunk.length;
      client.receive(chunk, performance.now());
    });
    socket.once("error", reject);
  });
}

function split(bytes: Buffer, ends: readonly number[]): Capture {
  const nameBytes = bytes.readUInt32BE(BEFORE_INIT_BYTES + INIT_BYTES - 4);
  const start = BEFORE_INIT_BYTES + INIT_BYTES + nameBytes;
  const traffic = bytes.subarray(start);
  return {
    ...{ handshake: bytes.subarray(0, start), traffic, sizeBytes: traffic.length },
    ...{ updates: ends.length, ends: ends.map((end) => end - start) },
  };
}

/** Bytes of a viewer up to and with ClientInit: version, security type, shared flag. */
const VIEWER_HANDSHAKE_BYTES = 12 + 1 + 1;

/**
 * Plays a capture to whoever connects, once to each, as fast as it is read, or as `feed` does; gives the port. The
 * handshake is played in the server's turns, since a viewer may not be told what it has not yet asked.
 */
export async function replay(
  owner: Owner,
  { handshake, traffic }: Capture,
  feed: (socket: Socket) => void = (socket) => void socket.write(traffic),
): Promise<number> {
  const server: Server = createServer((socket) => {
    let heard = 0;
    let said = 0;
    const say = (end: number): void => {
      if (end <= said) return;
      socket.write(handshake.subarray(said, end));
      said = end;
    };
    say(12);
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      heard += chunk.length;
      if (heard >= 12) say(14);
      if (heard >= 13) say(18);
      if (heard >= VIEWER_HANDSHAKE_BYTES && said < handshake.length) {
        say(handshake.length);
        feed(socket);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  owner.teardown(() => server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
  return address.port;
}
