import { createCipheriv, randomBytes } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { acceptWebSocket, KasmBlacklist, type KasmUser, type KasmWire } from "./kasm-front.ts";
import type { Owner } from "./program.ts";

// A KasmVNC server of the tests' own, written from what was measured on a real 1.5.0 (the recordings and their notes),
// and sharing no line with the client it is to judge.

export interface KasmServerOptions {
  readonly width?: number;
  readonly height?: number;
  /** None: nobody has to sign in (-disableBasicAuth). */
  readonly users?: Readonly<Record<string, KasmUser>>;
  /** What RFB itself offers; as installed VncAuth, with an empty password. */
  readonly security?: "None" | "VncAuth";
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** What a client did, as the server understood it. */
export type KasmInput =
  | {
      readonly type: "pointer";
      readonly x: number;
      readonly y: number;
      readonly buttons: number;
      readonly scroll: readonly [number, number];
    }
  | { readonly type: "key"; readonly keysym: number; readonly isDown: boolean }
  | { readonly type: "clipboard"; readonly items: readonly (readonly [mime: string, data: string])[] }
  | {
      readonly type: "size";
      readonly width: number;
      readonly height: number;
      readonly screens: readonly KasmScreen[];
    };

export interface KasmScreen {
  readonly id: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

type Colour = readonly [red: number, green: number, blue: number];

const CURSOR: Colour = [255, 0, 255];
const CURSOR_SIDE = 8;

export class KasmServer {
  /** Heads of all HTTP requests. */
  readonly requests: string[] = [];
  readonly input: KasmInput[] = [];
  /** Of each request for changes whether it was incremental. */
  readonly updateRequests: boolean[] = [];
  readonly blacklist = new KasmBlacklist();
  readonly users: ReadonlyMap<string, KasmUser> | null;
  readonly clients = new Set<KasmClient>();
  readonly security: "None" | "VncAuth";
  width: number;
  height: number;
  screens: readonly KasmScreen[];
  /** Red, green, blue of every pixel, without the pointer. */
  pixels: Buffer;
  /** Where the desktop's pointer is. */
  pointer = { x: 20, y: 20 };
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor({ width = 320, height = 200, users, security = "VncAuth", tls }: KasmServerOptions) {
    this.width = width;
    this.height = height;
    this.users = users === undefined ? null : new Map(Object.entries(users));
    this.security = security;
    this.screens = [{ id: 1_804_289_383, x: 0, y: 0, width, height }];
    this.pixels = Buffer.alloc(width * height * 3, 40);
    const onSocket = (socket: Socket): void => {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.once("close", () => this.#sockets.delete(socket));
      this.#serve(socket).then(
        () => socket.end(),
        () => socket.destroy(),
      );
    };
    this.#server = tls === undefined ? createServer(onSocket) : createTlsServer(tls, onSocket);
  }

  /** Listens on a free port of 127.0.0.1 until the owner's teardown. */
  static async start(owner: Owner, options: KasmServerOptions = {}): Promise<KasmServer> {
    const server = new KasmServer(options);
    server.#server.on("tlsClientError", () => undefined).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.#server.once("listening", resolve));
    owner.teardown(() => {
      for (const socket of server.#sockets) socket.destroy();
      return new Promise((resolve) => server.#server.close(resolve));
    });
    return server;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
    return address.port;
  }

  /** Paints a rectangle; clients hear of it when they have asked. */
  paint(x: number, y: number, width: number, height: number, colour: Colour): void {
    for (let row = y; row < y + height; row++) {
      for (let column = x; column < x + width; column++) {
        Buffer.from(colour).copy(this.pixels, (row * this.width + column) * 3);
      }
    }
    for (const client of this.clients) client.damage(x, y, width, height);
  }

  /** Any message to every client. */
  say(...parts: readonly Uint8Array[]): void {
    for (const client of this.clients) client.wire.write(Buffer.concat(parts));
  }

  resize(width: number, height: number, screens: readonly KasmScreen[], by: KasmClient): void {
    const pixels = Buffer.alloc(width * height * 3, 40);
    for (let y = 0; y < Math.min(height, this.height); y++) {
      this.pixels.copy(
        pixels,
        y * width * 3,
        y * this.width * 3,
        (y * this.width + Math.min(width, this.width)) * 3,
      );
    }
    const whole = { id: screens[0]?.id ?? 0, x: 0, y: 0, width, height };
    this.pixels = pixels;
    this.width = width;
    this.height = height;
    this.screens = screens;
    for (const client of this.clients) {
      // As the real one: layouts on the way, then the one that was asked for.
      if (client === by)
        client.tellSize([
          [0, [whole]],
          [0, screens],
          [1, screens],
        ]);
      else client.tellSize([[2, screens]]);
      client.damage(0, 0, width, height);
    }
  }

  async #serve(socket: Socket): Promise<void> {
    const accepted = await acceptWebSocket(socket, this.users, this.blacklist, (head) =>
      this.requests.push(head),
    );
    if (accepted === null) return;
    const client = new KasmClient(this, accepted.user, accepted.wire);
    try {
      await client.run();
    } finally {
      this.clients.delete(client);
      this.announce(254, client);
    }
  }

  /** UserAdded (253) or UserRemoved (254), to all others, unasked. */
  announce(type: number, client: KasmClient): void {
    const name = Buffer.from(client.user);
    for (const other of this.clients) {
      if (other !== client) other.wire.write(Buffer.concat([Buffer.of(type), u32(name.length), name]));
    }
  }
}

/** One connection, from its first RFB byte. */
export class KasmClient {
  readonly user: string;
  readonly wire: KasmWire;
  readonly #server: KasmServer;
  #encodings: readonly number[] = [];
  #shifts: readonly [number, number, number] = [16, 8, 0];
  #isRequested = false;
  #isContinuous = false;
  #damaged: readonly [number, number, number, number] | null = null;
  /** The pointer is in this client's pixels until its first pointer event names another place. */
  #ghost: { readonly x: number; readonly y: number } | null;
  #hasPointed = false;

  constructor(server: KasmServer, user: string, wire: KasmWire) {
    this.#server = server;
    this.user = user;
    this.wire = wire;
    this.#ghost = { ...server.pointer };
  }

  #may(right: string): boolean {
    const { users } = this.#server;
    return users === null || (users.get(this.user)?.rights ?? "").includes(right);
  }

  async run(): Promise<void> {
    const { wire } = this;
    wire.write(Buffer.from("RFB 003.008\n"));
    await wire.read(12);
    await this.#signIn();
    const [isShared = 0] = await wire.read(1);
    if (isShared === 0) for (const client of this.#server.clients) client.wire.close();
    const init = Buffer.alloc(24);
    init.writeUInt16BE(this.#server.width, 0);
    init.writeUInt16BE(this.#server.height, 2);
    Buffer.from([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0]).copy(init, 4);
    init.writeUInt32BE(9, 20);
    wire.write(Buffer.concat([init, Buffer.from("kasm-desk")]));
    this.#server.clients.add(this);
    this.#server.announce(253, this);
    for (;;) await this.#message();
  }

  async #signIn(): Promise<void> {
    const { wire } = this;
    const type = this.#server.security === "None" ? 1 : 2;
    wire.write(Buffer.of(1, type));
    const [chosen] = await wire.read(1);
    if (chosen !== type) throw new Error(`security type ${chosen} was not offered`);
    if (type === 2) {
      const challenge = randomBytes(16);
      wire.write(challenge);
      const cipher = createCipheriv("des-ede3-ecb", Buffer.alloc(24), null).setAutoPadding(false);
      const expected = Buffer.concat([cipher.update(challenge), cipher.final()]);
      if (!expected.equals(await wire.read(16))) {
        const reason = Buffer.from("Authentication failure");
        wire.write(Buffer.concat([u32(1), u32(reason.length), reason]));
        throw new Error("the answer was not made with the empty password");
      }
    }
    wire.write(u32(0));
  }

  async #message(): Promise<void> {
    const { wire } = this;
    const [type] = await wire.read(1);
    switch (type) {
      case 0: {
        const format = await wire.read(19);
        this.#shifts = [format[13] ?? 0, format[14] ?? 0, format[15] ?? 0];
        return;
      }
      case 2: {
        const count = (await wire.read(3)).readUInt16BE(1);
        const list = await wire.read(count * 4);
        this.#encodings = Array.from({ length: count }, (_, i) => list.readInt32BE(i * 4));
        if (this.#encodings.includes(-312)) {
          wire.write(Buffer.from([248, 0, 0, 0, 0x80, 0, 0, 0, 1, 0]));
          if (this.#encodings.includes(-313)) wire.write(Buffer.of(150));
        }
        if (this.#encodings.includes(-308)) this.tellSize([[0, this.#server.screens]]);
        return;
      }
      case 3: {
        const request = await wire.read(9);
        this.#server.updateRequests.push(request[0] !== 0);
        if (!this.#may("r")) return;
        if (request[0] === 0) {
          const [x, y] = [request.readUInt16BE(1), request.readUInt16BE(3)];
          this.damage(x, y, request.readUInt16BE(5), request.readUInt16BE(7));
        }
        this.#isRequested = true;
        this.#update();
        return;
      }
      case 4: {
        const key = await wire.read(7);
        this.#act({ type: "key", keysym: key.readUInt32BE(3), isDown: key[0] !== 0 });
        return;
      }
      case 5:
        this.#point(await wire.read(10));
        return;
      case 6:
        await wire.read(Math.abs((await wire.read(7)).readInt32BE(3)));
        return;
      case 150: {
        this.#isContinuous = (await wire.read(9))[0] !== 0;
        if (!this.#isContinuous) wire.write(Buffer.of(150));
        this.#update();
        return;
      }
      case 179:
        await wire.read(11);
        return;
      case 180:
        this.#act({ type: "clipboard", items: await this.#clipboardItems() });
        return;
      case 248: {
        const head = await wire.read(8);
        const payload = await wire.read(head[7] ?? 0);
        if ((head[3] ?? 0) & 0x80) {
          head.writeUInt32BE(head.readUInt32BE(3) & 7, 3);
          wire.write(Buffer.concat([Buffer.of(248), head, payload]));
        }
        return;
      }
      case 251:
        await this.#resize();
        return;
      case 255:
        await wire.read(11);
        return;
      default:
        throw new Error(`unknown message type ${type}`);
    }
  }

  /** U16 mask, U16 x, U16 y, S16 scroll x, S16 scroll y. */
  #point(body: Buffer): void {
    const [buttons, x, y] = [body.readUInt16BE(0), body.readUInt16BE(2), body.readUInt16BE(4)];
    const ghost = this.#ghost;
    if (!this.#hasPointed && ghost !== null && (ghost.x !== x || ghost.y !== y)) {
      this.#ghost = null;
      this.damage(ghost.x, ghost.y, CURSOR_SIDE, CURSOR_SIDE);
    }
    this.#hasPointed = true;
    this.#server.pointer = { x, y };
    this.#act({ type: "pointer", x, y, buttons, scroll: [body.readInt16BE(6), body.readInt16BE(8)] });
  }

  #act(input: KasmInput): void {
    if (this.#may("w")) this.#server.input.push(input);
  }

  async #clipboardItems(): Promise<(readonly [string, string])[]> {
    const [count = 0] = await this.wire.read(1);
    const items: [string, string][] = [];
    for (let i = 0; i < count; i++) {
      const [nameLength = 0] = await this.wire.read(1);
      const mime = (await this.wire.read(nameLength)).toString("latin1");
      const size = (await this.wire.read(4)).readUInt32BE();
      items.push([mime, (await this.wire.read(size)).toString("utf8")]);
    }
    return items;
  }

  async #resize(): Promise<void> {
    const head = await this.wire.read(7);
    const [width, height] = [head.readUInt16BE(1), head.readUInt16BE(3)];
    const screens: KasmScreen[] = [];
    for (let i = 0; i < (head[5] ?? 0); i++) {
      const s = await this.wire.read(16);
      screens.push({
        id: s.readUInt32BE(0),
        x: s.readUInt16BE(4),
        y: s.readUInt16BE(6),
        width: s.readUInt16BE(8),
        height: s.readUInt16BE(10),
      });
    }
    this.#act({ type: "size", width, height, screens });
    const isOutside = screens.some((s) => s.x + s.width > width || s.y + s.height > height);
    if (!this.#may("w")) this.tellSize([[1, this.#server.screens]], 1);
    else if (screens.length === 0 || isOutside) this.tellSize([[1, screens]], 3);
    else this.#server.resize(width, height, screens, this);
  }

  /** ExtendedDesktopSize rectangles, counted even where LastRect is known. */
  tellSize(
    layouts: readonly (readonly [reason: number, screens: readonly KasmScreen[]])[],
    result = 0,
  ): void {
    const { width, height } = this.#server;
    const rects = layouts.map(([reason, screens]) =>
      Buffer.concat([
        u16(reason, result, width, height),
        i32(-308),
        Buffer.of(screens.length, 0, 0, 0),
        ...screens.map((s) => Buffer.concat([u32(s.id), u16(s.x, s.y, s.width, s.height), u32(0)])),
      ]),
    );
    this.wire.write(Buffer.concat([Buffer.of(0, 0), u16(rects.length), ...rects]));
  }

  damage(x: number, y: number, width: number, height: number): void {
    const [left, top, right, bottom] = this.#damaged ?? [x, y, x + width, y + height];
    this.#damaged = [
      Math.min(left, x),
      Math.min(top, y),
      Math.max(right, x + width),
      Math.max(bottom, y + height),
    ];
    this.#update();
  }

  /** One Raw rectangle of what changed, once there is a request for it. */
  #update(): void {
    if (this.#damaged === null || !(this.#isRequested || this.#isContinuous) || !this.#may("r")) return;
    const { width: most, height: deepest, pixels } = this.#server;
    const [x, y, right, bottom] = this.#damaged;
    const [width, height] = [Math.min(right, most) - x, Math.min(bottom, deepest) - y];
    this.#damaged = null;
    this.#isRequested = false;
    if (width <= 0 || height <= 0) return;
    const body = Buffer.alloc(width * height * 4);
    for (let row = 0; row < height; row++) {
      for (let column = 0; column < width; column++) {
        const colour = this.#isGhost(x + column, y + row)
          ? CURSOR
          : pixels.subarray(((y + row) * most + x + column) * 3);
        const word = this.#shifts.reduce((sum, shift, k) => sum + (colour[k] ?? 0) * 2 ** shift, 0);
        body.writeUInt32LE(word, (row * width + column) * 4);
      }
    }
    const rect = Buffer.concat([u16(x, y, width, height), i32(0), body]);
    const hasLastRect = this.#encodings.includes(-224);
    const last = hasLastRect ? Buffer.concat([u16(0, 0, 0, 0), i32(-224)]) : Buffer.alloc(0);
    this.wire.write(Buffer.concat([Buffer.of(0, 0), u16(hasLastRect ? 0xffff : 1), rect, last]));
  }

  #isGhost(x: number, y: number): boolean {
    const ghost = this.#ghost;
    return (
      ghost !== null && x >= ghost.x && x < ghost.x + CURSOR_SIDE && y >= ghost.y && y < ghost.y + CURSOR_SIDE
    );
  }
}

/** BinaryClipboard from the server: U8 items, of each U32 id, U8 length, MIME type, U32 length, data. */
export function clipboardMessage(...items: readonly (readonly [mime: string, data: string])[]): Buffer {
  return Buffer.concat([
    Buffer.of(180, items.length),
    ...items.map(([mime, text], i) => {
      const data = Buffer.from(text);
      return Buffer.concat([u32(i), Buffer.of(mime.length), Buffer.from(mime), u32(data.length), data]);
    }),
  ]);
}

/** Disconnect notice: U8 graceful, pad 3, U32 length, text. */
export function disconnectNotice(text: string): Buffer {
  return Buffer.concat([Buffer.of(186, 1, 0, 0, 0), u32(Buffer.byteLength(text)), Buffer.from(text)]);
}

function u16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, i) => {
    bytes.writeUInt16BE(value, i * 2);
  });
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function i32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
