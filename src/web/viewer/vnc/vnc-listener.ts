import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { addressKey } from "../../../auth/address.ts";
import type { Principal } from "../../../auth/principal.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { RfbServerPorts } from "../../../protocols/rfb/server/rfb-server.ts";
import { codeOf } from "../input.ts";
import type { ViewerLog } from "../log.ts";
import { refuseViewer } from "../refusal.ts";
import { rightsOf } from "../rights.ts";
import { usesUsers } from "../security.ts";
import type { ViewedDesktop, ViewerSession } from "../session.ts";
import type { Admission, ViewerSessions } from "../sessions.ts";
import type { ViewerSignIn, ViewerSignInAttempt } from "../sign-in.ts";
import type { ViewerTls } from "../tls.ts";
import { CLOSE_CODE, tcpTransport, type ViewerTransport } from "../transport.ts";
import { HandshakeQueue } from "./handshake-queue.ts";
import { ViewerGreeting } from "./viewer-greeting.ts";

/** A desktop of another server, which shows it to those who signed in here. */
export interface FarChoice {
  readonly id: string;
  /** Resolves when that server let them in; `ended`: it ends it. Rejects where it does not. */
  join(principal: Principal, ended: () => void): Promise<{ readonly desktop: ViewedDesktop; leave(): void }>;
}

export interface VncListenerPorts {
  readonly sessions: ViewerSessions;
  readonly rfb: RfbServerPorts;
  readonly clock: Clock;
  readonly log: ViewerLog;
  readonly signIn: ViewerSignIn;
  readonly tls: ViewerTls;
  /** The desktop to show to a viewer that comes now; throws where there is none. */
  activeDesktop(): ViewedDesktop | FarChoice;
}

export interface VncListenerOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

/** One who comes by a socket. */
interface Visit {
  readonly address: string;
  readonly entrance: ViewerSignInAttempt;
  /** They have signed in, and are shown something. */
  settle(): void;
}

/** Viewers in all. */
const MAX_VIEWERS = 256;
/** How long a viewer is kept waiting for a desktop's first picture: less than a handshake may take. */
const READY_MS = 5000;

/** Ordinary VNC viewers over TCP: one desktop with overlays and masks drawn in. */
export class VncListener {
  readonly #ports: VncListenerPorts;
  readonly #options: VncListenerOptions;
  readonly #server: Server;
  readonly #line: HandshakeQueue;
  readonly #sockets = new Set<Socket>();
  /** Those who signed in, and what ends watching their tokens. */
  readonly #visitors = new Map<ViewerSession, () => void>();

  constructor(ports: VncListenerPorts, options: VncListenerOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#line = new HandshakeQueue(ports.clock, (socket, settle) => this.#admit(socket, settle));
    this.#server = createServer({ noDelay: true, keepAlive: true }, (socket) => this.#onSocket(socket));
  }

  /** Sockets that have not signed in: those being talked to, and those in line. */
  get unknownSockets(): number {
    return this.#line.handshakes + this.#line.waiting;
  }

  /** Resolves with where it listens; rejects where the port cannot be had. */
  listen(): Promise<AddressInfo> {
    const { host, port } = this.#options;
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
        const fields = { host: address.address, port: address.port, security: this.#ports.signIn.security };
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
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    this.#line.arrive(socket, addressKey(address));
  }

  #admit(socket: Socket, settle: () => void): void {
    const { signIn, tls } = this.#ports;
    const address = socket.remoteAddress;
    if (address === undefined) {
      socket.destroy();
      return;
    }
    const waitMs = signIn.waitMs(address);
    // A token is right or wrong whatever others behind the same address guess.
    if (waitMs > 0 && !signIn.security.some(usesUsers)) {
      this.#refuse(socket, `too many wrong passwords, wait ${Math.ceil(waitMs / 1000)} s`);
      return;
    }
    if (this.#visitors.size >= MAX_VIEWERS) {
      this.#refuse(socket, `there are ${MAX_VIEWERS} viewers already`);
      return;
    }
    let desktop: ViewedDesktop | FarChoice;
    try {
      desktop = this.#ports.activeDesktop();
    } catch {
      this.#refuse(socket, "there is no desktop to show: add one first");
      return;
    }
    const visit = { address, settle, entrance: signIn.enter(address, desktop.id) };
    const transport = tcpTransport(socket, tls);
    if ("join" in desktop) this.#greet(transport, desktop, visit);
    else this.#serve(transport, desktop, visit, { way: "vnc" });
  }

  /** What another server shows depends on who they are. */
  #greet(transport: ViewerTransport, far: FarChoice, visit: Visit): void {
    const { rfb, log } = this.#ports;
    const { security } = visit.entrance;
    const greeting = new ViewerGreeting(transport, { rfb, log, security, desktopId: far.id }, () => {
      this.#join(greeting, far, visit).catch((error: unknown) => {
        log.info({ desktop: far.id, code: codeOf(error) }, "Another server does not show its desktop");
        greeting.close(CLOSE_CODE.tryAgainLater, "the server that has the desktop does not show it");
      });
    });
  }

  async #join(greeting: ViewerGreeting, far: FarChoice, visit: Visit): Promise<void> {
    const { address, entrance } = visit;
    const principal = { ...entrance.visitor().principal, ip: address, door: "vnc" } as const;
    const { desktop, leave } = await far.join(principal, () =>
      greeting.close(CLOSE_CODE.goingAway, "the server that has the desktop ended it"),
    );
    if (greeting.isOver) leave();
    else this.#serve(greeting, desktop, visit, { way: "far", isGreeted: true, onClosed: leave });
  }

  #serve(
    transport: ViewerTransport,
    desktop: ViewedDesktop,
    { address, entrance, settle }: Visit,
    { onClosed, ...admission }: Pick<Admission, "way" | "isGreeted" | "onClosed">,
  ): void {
    const { sessions, signIn } = this.#ports;
    const session = sessions.admit(transport, desktop, {
      ...admission,
      security: entrance.security,
      rights: () => rightsOf(entrance.visitor().principal, false, address),
      isComposited: true,
      viewport: null,
      readyTimeoutMs: READY_MS,
      onReady: () => {
        const onVoid = (): void => session.close(CLOSE_CODE.policy, "the token was revoked");
        this.#visitors.set(session, signIn.whenVoid(entrance.visitor(), onVoid));
        settle();
      },
      onClosed: () => {
        this.#visitors.get(session)?.();
        this.#visitors.delete(session);
        onClosed?.();
      },
    });
  }

  #refuse(socket: Socket, reason: string): void {
    const transport = tcpTransport(socket);
    let receive: (chunk: Uint8Array) => void = () => {};
    transport.listen({ receive: (chunk) => receive(chunk), drained: () => {}, closed: () => {} });
    const refusal = refuseViewer(transport, this.#ports.rfb, CLOSE_CODE.tryAgainLater, reason);
    receive = (chunk) => refusal.receive(chunk);
  }
}
