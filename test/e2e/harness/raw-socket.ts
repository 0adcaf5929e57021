import { connect, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";

/** A bare TCP connection that speaks whatever it is told to, and reads only when it is asked to. */
export class RawSocket {
  readonly #socket: Socket;
  /** How it ended: resolves with the time since `mark`, in milliseconds. */
  readonly closed: Promise<number>;
  #markMs = performance.now();
  #hasEnded = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("error", () => undefined);
    this.closed = new Promise((resolve) => {
      const end = (): void => {
        this.#hasEnded = true;
        resolve(performance.now() - this.#markMs);
      };
      socket.once("end", end).once("close", end);
    });
  }

  static async connect(port: number, localAddress = "127.0.0.1"): Promise<RawSocket> {
    const socket = connect({ port, host: "127.0.0.1", localAddress, noDelay: true });
    await new Promise((resolve, reject) => {
      socket.once("connect", resolve).once("error", reject);
    });
    return new RawSocket(socket);
  }

  /** A WebSocket after its upgrade, subprotocol `binary`; the answer's head is in `head`. */
  static async upgrade(
    url: string,
    path: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ readonly socket: RawSocket; readonly head: string }> {
    const { port, host } = new URL(url);
    const socket = await RawSocket.connect(Number(port));
    const lines = Object.entries({
      ...{ host, connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" },
      ...{ "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==", "sec-websocket-protocol": "binary" },
      "sec-websocket-extensions": "permessage-deflate",
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    await socket.write(Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`));
    return { socket, head: await socket.readHead() };
  }

  get isOpen(): boolean {
    return !this.#hasEnded;
  }

  /** From here on `closed` counts. */
  mark(): void {
    this.#markMs = performance.now();
  }

  /** Resolves when the bytes have left this process, or cannot. */
  write(bytes: Uint8Array): Promise<void> {
    if (!this.isOpen) return Promise.resolve();
    return new Promise((resolve) => {
      this.#socket.once("close", resolve);
      this.#socket.write(bytes, () => {
        this.#socket.off("close", resolve);
        resolve();
      });
    });
  }

  /** Writes again and again until `total` bytes went, the other side hung up, or `isOver`. */
  async flood(piece: Uint8Array, total: number, isOver: () => boolean = () => false): Promise<void> {
    for (let sent = 0; sent < total && this.isOpen && !isOver(); sent += piece.length) {
      await Promise.race([this.write(piece), this.closed]);
      await turn(); // small writes end at once, and nothing would be read
    }
  }

  /** Reads and drops all that comes. */
  drain(): void {
    this.#socket.resume();
  }

  /** What came up to the empty line of an HTTP head. */
  readHead(): Promise<string> {
    return this.readUntil((text) => text.includes("\r\n\r\n"));
  }

  /** What came, once that is enough or the other side hung up; nothing is read after it. */
  readUntil(isEnough: (text: string) => boolean): Promise<string> {
    return new Promise((resolve) => {
      let text = "";
      const end = (): void => {
        this.#socket.off("data", onData).off("close", end);
        this.#socket.pause();
        resolve(text);
      };
      const onData = (chunk: Buffer): void => {
        text += chunk.toString("latin1");
        if (isEnough(text)) end();
      };
      this.#socket.on("data", onData).once("close", end);
    });
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/** A frame of a WebSocket client, RFC 6455 section 5.2, masked with zeros; `length` may be a lie. */
export function frame(
  payload: Uint8Array,
  { opcode = 2, isFinal = true, length = payload.length } = {},
): Buffer {
  const first = (isFinal ? 0x80 : 0) | opcode;
  const mask = Buffer.alloc(4);
  if (length < 126) return Buffer.concat([Buffer.from([first, 0x80 | length]), mask, payload]);
  const extended = Buffer.alloc(10);
  extended.writeUInt8(first, 0);
  extended.writeUInt8(0x80 | 127, 1);
  extended.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([extended, mask, payload]);
}
