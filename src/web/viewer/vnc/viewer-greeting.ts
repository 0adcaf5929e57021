import { RfbError } from "../../../protocols/rfb/error.ts";
import { RfbGreeting } from "../../../protocols/rfb/server/rfb-greeting.ts";
import type { RfbServerPorts, ServerSecurity } from "../../../protocols/rfb/server/rfb-server.ts";
import type { ViewerLog } from "../log.ts";
import { CLOSE_CODE, type TransportListener, type ViewerTransport } from "../transport.ts";

/** What a viewer may say before it is shown anything: one that knows RFB says nothing. */
const MOST_EARLY_BYTES = 4096;

export interface ViewerGreetingPorts {
  readonly rfb: RfbServerPorts;
  readonly log: ViewerLog;
  /** What the port shows, for the log. */
  readonly desktopId: string;
  readonly security: readonly ServerSecurity[];
}

/**
 * The transport of a viewer that signs in before it is known what it is shown. `welcomed` is called once, when it has; who
 * then listens goes on with what it said since. One that is not let in, or breaks the protocol, is closed.
 */
export class ViewerGreeting implements ViewerTransport {
  readonly #transport: ViewerTransport;
  readonly #ports: ViewerGreetingPorts;
  readonly #welcomed: () => void;
  readonly #greeting: RfbGreeting;
  #isWelcome = false;
  #isOver = false;
  #early: Uint8Array[] = [];
  #listener: TransportListener | null = null;

  constructor(transport: ViewerTransport, ports: ViewerGreetingPorts, welcomed: () => void) {
    this.#transport = transport;
    this.#ports = ports;
    this.#welcomed = welcomed;
    transport.listen({
      receive: (chunk) => this.#receive(chunk),
      drained: () => this.#listener?.drained(),
      closed: () => {
        this.#isOver = true;
        this.#listener?.closed();
      },
    });
    this.#greeting = new RfbGreeting(
      ports.security,
      ports.rfb,
      (bytes) => transport.send(bytes),
      ({ identity }) => {
        if (transport.startTls === undefined)
          throw new Error("VeNCrypt was offered on a transport without TLS");
        transport.startTls(identity);
      },
    );
  }

  /** Nobody is there any more, or nobody is wanted. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get bufferedBytes(): number {
    return this.#transport.bufferedBytes;
  }

  send(bytes: Uint8Array): void {
    this.#transport.send(bytes);
  }

  close(code: number, reason: string): void {
    this.#isOver = true;
    this.#transport.close(code, reason);
  }

  listen(listener: TransportListener): void {
    this.#listener = listener;
    const early = this.#early;
    this.#early = [];
    for (const chunk of early) listener.receive(chunk);
  }

  #receive(chunk: Uint8Array): void {
    this.#listener?.receive(chunk);
    if (this.#listener !== null || this.#isOver) return;
    try {
      if (this.#isWelcome) this.#keep(chunk);
      else this.#greet(chunk);
    } catch (error) {
      this.#fail(error);
    }
  }

  #greet(chunk: Uint8Array): void {
    const rest = this.#greeting.receive(chunk);
    if (rest === null) return;
    this.#isWelcome = true;
    this.#keep(rest);
    this.#welcomed();
  }

  #keep(chunk: Uint8Array): void {
    this.#early.push(chunk.slice());
    if (this.#early.reduce((sum, { length }) => sum + length, 0) <= MOST_EARLY_BYTES) return;
    throw new RfbError("too_large", "message", `got more than ${MOST_EARLY_BYTES} bytes before ServerInit`);
  }

  #fail(error: unknown): void {
    const { log, desktopId: desktop } = this.#ports;
    if (error instanceof RfbError) {
      const { code, phase, offset } = error;
      log.warn({ desktop, code, phase, offset }, "Viewer broke the protocol");
      this.close(code === "auth_failed" ? CLOSE_CODE.policy : CLOSE_CODE.protocolError, code);
    } else {
      log.error({ desktop, err: error }, "Viewer failed");
      this.close(CLOSE_CODE.internal, "internal error");
    }
  }
}
