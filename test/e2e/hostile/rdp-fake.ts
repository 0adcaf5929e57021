import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { createSecureContext, TLSSocket } from "node:tls";
import type { Owner } from "../../support/program.ts";
import { Wire } from "./fake-target.ts";
import {
  attachUserConfirm,
  bitmap,
  channelJoinConfirm,
  concat,
  connectionConfirm,
  connectResponse,
  DRDYNVC_CHANNEL,
  demandActive,
  finalisation,
  validClient,
} from "./rdp-fake-bytes.ts";

/** How far a host lets its client come before it says what a test is about. */
const STAGES = ["connected", "secured", "joined", "licensed", "live"] as const;
export type Stage = (typeof STAGES)[number];

/** PEM files. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

const SIDE = 64;

export type RdpScript = (host: RdpFakeHost) => Promise<void>;

/** What is chosen of the ways in, MS-RDPBCGR 2.2.1.2.1. */
const WAY_IN = { tls: 1, nla: 2 } as const;
export type WayIn = keyof typeof WAY_IN;

export interface RdpFake {
  readonly port: number;
  /** Of the next connection on. */
  identity: Identity;
}

/** A desktop is live once it has shown something. */
function picture(): Buffer {
  const place = { left: 0, top: 0, right: SIDE - 1, bottom: SIDE - 1, width: SIDE, height: SIDE };
  return bitmap(place, 32, false, Buffer.alloc(SIDE * SIDE * 4, 0x55));
}

/** An RDP server of the tests' own, for what real ones never do; `script` is what it does with one connection. */
export async function startRdpFake(
  owner: Owner,
  identity: Identity,
  script: RdpScript,
  wayIn: WayIn = "tls",
): Promise<RdpFake> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    const end = (): void => void socket.destroy();
    script(new RdpFakeHost(socket, fake.identity, wayIn)).then(end, end);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  owner.teardown(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
  const fake: RdpFake = { port: address.port, identity };
  return fake;
}

/** The host's end of one connection. */
export class RdpFakeHost {
  readonly #socket: Socket;
  readonly #identity: Identity;
  readonly #wayIn: WayIn;
  #wire: Wire | null = null;
  #reached = 0;
  /** What the client said before TLS. */
  plain: Buffer = Buffer.alloc(0);
  /** Messages of the client on the dynamic channels' channel and the clipboard's, heard by `listen`. */
  readonly messages: { readonly channel: number; readonly data: Buffer }[] = [];

  constructor(socket: Socket, identity: Identity, wayIn: WayIn) {
    this.#socket = socket;
    this.#identity = identity;
    this.#wayIn = wayIn;
  }

  /** Resolves when the bytes have left this process's memory, rejects once the client has gone. */
  async say(bytes: Uint8Array): Promise<void> {
    if (this.#wire !== null) return await this.#wire.write(bytes);
    await new Promise<void>((resolve, reject) => {
      const gone = (): void => reject(new Error("the client has gone"));
      this.#socket.once("close", gone);
      this.#socket.write(bytes, (error) => {
        this.#socket.off("close", gone);
        if (error) reject(error);
        else resolve();
      });
    });
  }

  /** Plays the handshake on to there. */
  async reach(stage: Stage): Promise<void> {
    const steps: Readonly<Record<Stage, () => Promise<void>>> = {
      connected: async () => {
        const [request]: Buffer[] = await once(this.#socket, "data");
        this.plain = request ?? this.plain;
      },
      secured: () => this.#secure(),
      joined: () => this.#join(),
      licensed: async () => {
        await this.#next();
        await this.say(validClient());
      },
      live: async () => {
        await this.say(demandActive(SIDE, SIDE));
        // Confirm Active, Synchronise, Control twice, Font List.
        for (let i = 0; i < 5; i++) await this.#next();
        await this.say(concat(finalisation(), picture()));
      },
    };
    const from = this.#reached;
    this.#reached = STAGES.indexOf(stage) + 1;
    for (const step of STAGES.slice(from, this.#reached)) await steps[step]();
  }

  /** Resolves when the client has gone. */
  async gone(): Promise<void> {
    if (!this.#socket.destroyed) await once(this.#socket, "close");
  }

  /** The client's next message of CredSSP, a DER element, once TLS is up. */
  async tsRequest(): Promise<Buffer> {
    const wire = this.#wire;
    if (wire === null) throw new Error("there is no TLS yet");
    const start = await wire.read(2);
    const more = start.readUInt8(1) & 0x80 ? await wire.read(start.readUInt8(1) & 0x7f) : Buffer.alloc(0);
    const length = more.length === 0 ? start.readUInt8(1) : more.readUIntBE(0, more.length);
    return concat(start, more, await wire.read(length));
  }

  /** Hears the client to its end. */
  async listen(): Promise<void> {
    for (;;) await this.#next();
  }

  /** The same bytes again and again, until so many have gone or the client has. */
  async flood(bytes: Uint8Array, total: number): Promise<void> {
    const piece = Buffer.alloc(Math.max(1, Math.ceil((1 << 16) / bytes.length)) * bytes.length);
    for (let at = 0; at < piece.length; at += bytes.length) piece.set(bytes, at);
    for (let sent = 0; sent < total; sent += piece.length) {
      await this.say(piece);
      await turn();
    }
  }

  async #secure(): Promise<void> {
    await this.say(connectionConfirm(2, WAY_IN[this.#wayIn]));
    const secureContext = createSecureContext({
      cert: readFileSync(this.#identity.certificate),
      key: readFileSync(this.#identity.key),
    });
    const secure = new TLSSocket(this.#socket, { isServer: true, secureContext });
    secure.on("error", () => undefined);
    this.#wire = new Wire(secure);
    await once(secure, "secure");
  }

  async #join(): Promise<void> {
    await this.#next();
    await this.say(connectResponse());
    await this.#next(); // Erect Domain
    await this.#next();
    await this.say(attachUserConfirm());
    for (let i = 0; i < 5; i++) {
      const request = await this.#next();
      await this.say(channelJoinConfirm(request.readUInt16BE(request.length - 2)));
    }
  }

  /** The client's next frame without its TPKT, or its next fast-path frame. */
  async #next(): Promise<Buffer> {
    const wire = this.#wire;
    if (wire === null) throw new Error("there is no TLS yet");
    const [first = 0, second = 0] = await wire.read(2);
    if (first === 3) {
      const body = await wire.read((await wire.read(2)).readUInt16BE(0) - 4);
      this.#note(body);
      return body;
    }
    const length = second & 0x80 ? ((second & 0x7f) << 8) | (await wire.read(1)).readUInt8(0) : second;
    return await wire.read(length - (second & 0x80 ? 3 : 2));
  }

  /** Send Data Request on a static channel: X.224 3, U8 0x64, U16 user, U16 channel, U8 flags, U16 length, part. */
  #note(body: Buffer): void {
    if (body.length < 19 || body.readUInt8(3) !== 0x64) return;
    const channel = body.readUInt16BE(6);
    if (channel > DRDYNVC_CHANNEL || channel < DRDYNVC_CHANNEL - 1) return;
    this.messages.push({ channel, data: Buffer.from(body.subarray(19)) });
  }
}
