import { createHash } from "node:crypto";
import type { Socket } from "node:net";

export interface KasmUser {
  readonly password: string;
  /** Of "r" (look), "w" (act) and "o" (own); may change while the user is connected. */
  rights: string;
}

/** KasmVNC 1.5.0's blacklist: five failures, none forgiven by a success, block an address for 10 s. */
export class KasmBlacklist {
  #failures = 0;
  #blockedUntilMs = 0;

  get failures(): number {
    return this.#failures;
  }

  /** Every try while blocked begins the 10 s anew. */
  isBlocked(): boolean {
    if (performance.now() >= this.#blockedUntilMs) return false;
    this.#blockedUntilMs = performance.now() + 10_000;
    return true;
  }

  fail(): void {
    this.#failures++;
    if (this.#failures >= 5) this.#blockedUntilMs = performance.now() + 10_000;
  }
}

/** Its web server: who may in, and whether it is a WebSocket that is asked for. Null where it answered itself. */
export async function acceptWebSocket(
  socket: Socket,
  users: ReadonlyMap<string, KasmUser> | null,
  blacklist: KasmBlacklist,
  onRequest: (head: string) => void,
): Promise<{ readonly user: string; readonly wire: KasmWire } | null> {
  const chunks = socket[Symbol.asyncIterator]();
  let held = Buffer.alloc(0);
  while (!held.includes("\r\n\r\n")) {
    const { value, done } = await chunks.next();
    if (done || held.length > 16 * 1024) return null;
    held = Buffer.concat([held, value]);
    // TLS where there is no certificate: told by its first byte.
    if (held[0] === 0x16 || held[0] === 0x80) return null;
  }
  const end = held.indexOf("\r\n\r\n") + 4;
  const head = held.subarray(0, end).toString("latin1");
  onRequest(head);
  const fields = new Map(
    head
      .split("\r\n")
      .slice(1)
      .map((line): [string, string] => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
  );
  let name = "";
  if (users !== null) {
    if (blacklist.isBlocked()) return answer(socket, "HTTP/1.1 401 Forbidden\r\n\r\n");
    const given = fields.get("authorization");
    if (given === undefined) {
      blacklist.fail();
      return answer(
        socket,
        'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="Websockify"\r\nConnection: close\r\n\r\n401',
      );
    }
    const [user = "", password] = Buffer.from(given.replace(/^Basic /, ""), "base64")
      .toString("utf8")
      .split(":");
    if (password === undefined || users.get(user)?.password !== password) {
      blacklist.fail();
      return answer(socket, "HTTP/1.1 401 Forbidden\r\nServer: KasmVNC/4.0\r\nConnection: close\r\n\r\n401");
    }
    name = user;
  }
  const needed = ["host", "origin", "connection", "sec-websocket-version", "sec-websocket-key"];
  const protocols = fields.get("sec-websocket-protocol");
  if (protocols === undefined || needed.some((field) => !fields.has(field))) {
    return answer(socket, "HTTP/1.1 404 Not Found\r\nServer: KasmVNC/4.0\r\nConnection: close\r\n\r\n404");
  }
  const accept = createHash("sha1")
    .update(`${fields.get("sec-websocket-key")}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest("base64");
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nServer: KasmVNC/4.0\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ${protocols.split(",")[0]?.trim()}\r\n\r\n`,
  );
  return { user: name, wire: new KasmWire(socket, chunks, held.subarray(end)) };
}

function answer(socket: Socket, text: string): null {
  socket.end(text);
  return null;
}

/** The byte stream in its WebSocket frames, with all that its reader leaves out. */
export class KasmWire {
  /** Opcodes of the client's frames, and how long each was. */
  readonly frames: { readonly opcode: number; readonly isFinal: boolean; readonly size: number }[] = [];
  readonly #socket: Socket;
  readonly #chunks: AsyncIterator<Buffer>;
  #raw: Buffer;
  #bytes = Buffer.alloc(0);

  constructor(socket: Socket, chunks: AsyncIterator<Buffer>, rest: Buffer) {
    this.#socket = socket;
    this.#chunks = chunks;
    this.#raw = rest;
  }

  /** The next bytes of the client; rejects once it has gone, or broke the rules. */
  async read(count: number): Promise<Buffer> {
    while (this.#bytes.length < count) this.#bytes = Buffer.concat([this.#bytes, await this.#frame()]);
    const bytes = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    return bytes;
  }

  /** In frames of at most 49132 bytes. */
  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 49_132) {
      const part = bytes.subarray(at, at + 49_132);
      const head =
        part.length < 126
          ? Buffer.of(0x82, part.length)
          : Buffer.of(0x82, 126, part.length >> 8, part.length & 255);
      if (!this.#socket.destroyed) this.#socket.write(Buffer.concat([head, part]));
    }
  }

  /** TCP ends without a closing handshake. */
  close(): void {
    this.#socket.end();
  }

  async #frame(): Promise<Buffer> {
    const [first = 0, second = 0] = await this.#take(2);
    const opcode = first & 15;
    if ((second & 0x80) === 0) throw new Error("an unmasked frame");
    let size = second & 0x7f;
    if (size === 127) throw new Error("a frame of 64 KB or more");
    if (size === 126) size = (await this.#take(2)).readUInt16BE();
    const mask = await this.#take(4);
    const payload = Buffer.from(await this.#take(size));
    for (let i = 0; i < size; i++) payload[i] = (payload[i] ?? 0) ^ (mask[i & 3] ?? 0);
    this.frames.push({ opcode, isFinal: (first & 0x80) !== 0, size });
    if (opcode === 8) throw new Error("the client closed");
    // Pings get no pong; of a message in parts only the first is read.
    return opcode === 2 ? payload : Buffer.alloc(0);
  }

  async #take(count: number): Promise<Buffer> {
    while (this.#raw.length < count) {
      const { value, done } = await this.#chunks.next();
      if (done) throw new Error("the client has gone");
      this.#raw = Buffer.concat([this.#raw, value]);
    }
    const bytes = this.#raw.subarray(0, count);
    this.#raw = this.#raw.subarray(count);
    return bytes;
  }
}
