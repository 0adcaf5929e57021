import { timingSafeEqual } from "node:crypto";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { addressKey } from "../auth/address.ts";
import { Lockout } from "../auth/lockout.ts";
import type { Clock } from "../desktop/clock.ts";
import { vncAuthResponse } from "../protocols/rfb/security/vnc-auth.ts";
import type { RfbServerPorts, ServerSecurity } from "../protocols/rfb/server/rfb-server.ts";
import type { ViewerLog } from "./viewer-log.ts";
import { refuseViewer } from "./viewer-refusal.ts";
import type { ViewedDesktop, ViewerSession } from "./viewer-session.ts";
import type { ViewerSessions } from "./viewer-sessions.ts";
import { CLOSE_CODE, tcpTransport } from "./viewer-transport.ts";

export interface VncListenerPorts {
  readonly sessions: ViewerSessions;
  readonly rfb: RfbServerPorts;
  readonly clock: Clock;
  readonly log: ViewerLog;
  /** The desktop to show to a viewer that comes now; throws where there is none. */
  activeDesktop(): ViewedDesktop;
}

export interface VncListenerOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** `none`: anybody who reaches the port may watch, and only watch. */
  readonly security: { readonly type: "none" } | { readonly type: "password"; readonly password: string };
}

/** Sockets that have not signed in yet, in all and of one address. */
const MAX_UNKNOWN = 100;
const MAX_UNKNOWN_PER_ADDRESS = 10;
/** Viewers in all. */
const MAX_VIEWERS = 256;
/** From the connection to ClientInit. */
const HANDSHAKE_MS = 10_000;

/** Ordinary VNC viewers over TCP: the active desktop with overlays and masks drawn in. */
export class VncListener {
  readonly #ports: VncListenerPorts;
  readonly #options: VncListenerOptions;
  readonly #server: Server;
  readonly #lockout: Lockout;
  /** Sockets that have not signed in, by the key of their address. */
  readonly #unknown = new Map<string, number>();
  readonly #sockets = new Set<Socket>();
  #unknownCount = 0;
  #viewers = 0;

  constructor(ports: VncListenerPorts, options: VncListenerOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#lockout = new Lockout(ports.clock);
    this.#server = createServer({ noDelay: true, keepAlive: true }, (socket) => this.#onSocket(socket));
  }

  /** Sockets that have not signed in yet. */
  get unknownSockets(): number {
    return this.#unknownCount;
  }

  /** Resolves with where it listens; rejects where the port cannot be had. */
  listen(): Promise<AddressInfo> {
    const { host, port, security } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        this.#server.off("error", reject);
        this.#server.on("error", (err) => this.#ports.log.error({ err }, "VNC listener failed"));
        const address = this.#server.address();
        if (address === null || typeof address === "string") {
          reject(new Error(`listening on ${String(address)}, expected a TCP port`));
          return;
        }
        const fields = { host: address.address, port: address.port, security: security.type };
        this.#ports.log.info(fields, "VNC viewers may connect");
        resolve(address);
      });
    });
  }

  /** Stops listening and drops every viewer. */
  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    return closed;
  }

  #onSocket(socket: Socket): void {
    const address = socket.remoteAddress;
    if (address === undefined) {
      socket.destroy();
      return;
    }
    const key = addressKey(address);
    const ofAddress = this.#unknown.get(key) ?? 0;
    if (this.#unknownCount >= MAX_UNKNOWN || ofAddress >= MAX_UNKNOWN_PER_ADDRESS) {
      // No word: that would be work for who asks too much.
      socket.on("error", () => {});
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    const known = this.#countUnknown(key);
    const cancelTimer = this.#ports.clock.after(HANDSHAKE_MS, () => socket.destroy());
    const settle = (): void => {
      cancelTimer();
      known();
    };
    socket.once("close", () => {
      this.#sockets.delete(socket);
      settle();
    });
    this.#admit(socket, address, settle);
  }

  #admit(socket: Socket, address: string, settle: () => void): void {
    const waitMs = this.#lockout.waitMs(address);
    if (waitMs > 0) {
      this.#refuse(socket, `too many wrong passwords, wait ${Math.ceil(waitMs / 1000)} s`);
      return;
    }
    if (this.#viewers >= MAX_VIEWERS) {
      this.#refuse(socket, `there are ${MAX_VIEWERS} viewers already`);
      return;
    }
    let desktop: ViewedDesktop;
    try {
      desktop = this.#ports.activeDesktop();
    } catch {
      this.#refuse(socket, "there is no desktop to show: add one first");
      return;
    }
    this.#serve(socket, address, desktop, settle);
  }

  #serve(socket: Socket, address: string, desktop: ViewedDesktop, settle: () => void): ViewerSession {
    let isViewer = false;
    return this.#ports.sessions.admit(tcpTransport(socket), desktop, {
      actor: { kind: "human", id: `vnc:${addressKey(address)}`, name: `VNC viewer at ${address}` },
      security: [this.#security(address)],
      isComposited: true,
      viewport: null,
      isViewOnly: this.#options.security.type === "none",
      hasClipboard: this.#options.security.type !== "none",
      readyTimeoutMs: HANDSHAKE_MS / 2,
      onReady: () => {
        isViewer = true;
        this.#viewers++;
        settle();
      },
      onClosed: () => {
        if (isViewer) this.#viewers--;
      },
    });
  }

  #security(address: string): ServerSecurity {
    const { security } = this.#options;
    if (security.type === "none") return security;
    return {
      type: "vncAuth",
      verify: (challenge, response) => {
        // Sockets opened before the lock must not be so many more guesses.
        if (this.#lockout.waitMs(address) > 0) return false;
        const expected = vncAuthResponse(this.#ports.rfb.crypto, security.password, challenge);
        if (response.length === expected.length && timingSafeEqual(response, expected)) {
          this.#lockout.succeed(address);
          return true;
        }
        const waitMs = this.#lockout.fail(address);
        this.#ports.log.warn({ address, waitMs }, "VNC viewer gave a wrong password");
        return false;
      },
    };
  }

  #refuse(socket: Socket, reason: string): void {
    const transport = tcpTransport(socket);
    let receive: (chunk: Uint8Array) => void = () => {};
    transport.listen({ receive: (chunk) => receive(chunk), drained: () => {}, closed: () => {} });
    const refusal = refuseViewer(transport, this.#ports.rfb, CLOSE_CODE.tryAgainLater, reason);
    receive = (chunk) => refusal.receive(chunk);
  }

  #countUnknown(key: string): () => void {
    this.#unknownCount++;
    this.#unknown.set(key, (this.#unknown.get(key) ?? 0) + 1);
    let isCounted = true;
    return () => {
      if (!isCounted) return;
      isCounted = false;
      this.#unknownCount--;
      const left = (this.#unknown.get(key) ?? 1) - 1;
      if (left > 0) this.#unknown.set(key, left);
      else this.#unknown.delete(key);
    };
  }
}
