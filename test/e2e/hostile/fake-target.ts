import { createServer, type Socket } from "node:net";
import type { Owner } from "../../support/program.ts";

/** What a target does with one connection; throws or returns to close it. */
export type Script = (wire: Wire) => Promise<void>;

/** A VNC server of the tests' own, for what real ones never do. Gives its port on 127.0.0.1. */
export async function startFakeTarget(owner: Owner, script: Script): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // The other side may go at any time: `read` and `write` say so.
    socket.on("error", () => undefined);
    script(new Wire(socket)).then(
      () => socket.destroy(),
      () => socket.destroy(),
    );
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

/** One connection, read by the byte. Its promises reject once the other side has gone. */
export class Wire {
  readonly #socket: Socket;
  readonly #chunks: AsyncIterator<Buffer>;
  #held = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#chunks = socket[Symbol.asyncIterator]();
  }

  async read(count: number): Promise<Buffer> {
    while (this.#held.length < count) {
      const { value, done } = await this.#chunks.next();
      if (done) throw new Error("the client has gone");
      this.#held = Buffer.concat([this.#held, value]);
    }
    const bytes = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return bytes;
  }

  /** Resolves when the bytes have left this process's memory. */
  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      const onClose = (): void => reject(new Error("the client has gone"));
      if (this.#socket.destroyed) onClose();
      this.#socket.once("close", onClose);
      this.#socket.write(bytes, (error) => {
        this.#socket.off("close", onClose);
        if (error) reject(error);
        else resolve();
      });
    });
  }

  /** RFB 3.8 with security None up to ServerInit, RFC 6143 section 7.1 to 7.3. */
  async shakeHands(width: number, height: number, nameLength?: number): Promise<void> {
    await this.write(Buffer.from("RFB 003.008\n"));
    await this.read(12);
    await this.write(Uint8Array.of(1, 1));
    await this.read(1);
    await this.write(Uint8Array.of(0, 0, 0, 0));
    await this.read(1);
    const init = Buffer.alloc(24);
    init.writeUInt16BE(width, 0);
    init.writeUInt16BE(height, 2);
    Buffer.from([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0]).copy(init, 4);
    init.writeUInt32BE(nameLength ?? 4, 20);
    await this.write(init);
    if (nameLength === undefined) await this.write(Buffer.from("fake"));
  }

  /** Reads what the client says until it asks for an update. The sizes are those of RFC 6143 section 7.5. */
  async nextRequest(): Promise<void> {
    for (;;) {
      const [type] = await this.read(1);
      if (type === 3) {
        await this.read(9);
        return;
      }
      if (type === 0) await this.read(19);
      else if (type === 2) await this.read(4 * (await this.read(3)).readUInt16BE(1));
      else if (type === 4) await this.read(7);
      else if (type === 5) await this.read(5);
      else if (type === 6) await this.read(Math.abs((await this.read(7)).readInt32BE(3)));
      else throw new Error(`client message ${type}, which this server never offered`);
    }
  }

  /** Writes zeros, and calls `onMegabyte` between them, until `total` bytes went or the client hung up. */
  async flood(total: number, onMegabyte: () => void): Promise<void> {
    const megabyte = Buffer.alloc(1 << 20);
    for (let sent = 0; sent < total; sent += megabyte.length) {
      await this.write(megabyte);
      onMegabyte();
    }
  }
}

/** FramebufferUpdate of one Raw rectangle, RFC 6143 section 7.6.1; `pixels` bytes follow. */
export function rawUpdateHeader(x: number, y: number, width: number, height: number): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt16BE(1, 2);
  [x, y, width, height].forEach((value, index) => {
    header.writeUInt16BE(value, 4 + 2 * index);
  });
  return header;
}

const FRAME_MS = 20;

/** A target that behaves: every answer is a square of another colour. */
export const healthyScript: Script = async (wire) => {
  await wire.shakeHands(320, 240);
  for (let frame = 0; ; frame++) {
    await wire.nextRequest();
    const isFirst = frame === 0;
    const [width, height] = isFirst ? [320, 240] : [16, 16];
    await wire.write(
      Buffer.concat([rawUpdateHeader(0, 0, width, height), Buffer.alloc(width * height * 4, frame)]),
    );
    await tick();
  }
};

/** The pace of a display: without it two processes would do nothing but answer each other. */
function tick(): Promise<void> {
  return new Promise((over) => setTimeout(over, FRAME_MS));
}
