import { ByteQueue, type Parser, readOn } from "../../byte-queue.ts";
import { readHandshake } from "./handshake.ts";
import type { RfbServerEvent, RfbServerPorts, ServerContext, ServerSecurity } from "./server-context.ts";

type StartTls = Extract<RfbServerEvent, { readonly type: "startTls" }>;

/**
 * The handshake of a viewer by itself, up to its ClientInit, sans I/O: for who knows what to show only once it is known who looks. An
 * RfbServer with `isGreeted` goes on. `receive` throws RfbError where the viewer breaks the protocol, or is not let in.
 */
export class RfbGreeting {
  readonly #from = new ByteQueue();
  readonly #parser: Parser<void>;
  #needed: number | null = 0;

  constructor(
    security: readonly ServerSecurity[],
    ports: RfbServerPorts,
    send: (bytes: Uint8Array) => void,
    startTls: (event: StartTls) => void,
  ) {
    const context: ServerContext = {
      from: this.#from,
      options: { name: "", width: 1, height: 1, screens: [], security },
      ports,
      send,
      emit: (event) => {
        if (event.type === "startTls") startTls(event);
      },
    };
    this.#parser = readHandshake(context);
    this.#needed = readOn(this.#parser, this.#from, this.#needed);
  }

  /** What came behind the ClientInit, once that is there; null before. */
  receive(chunk: Uint8Array): Uint8Array | null {
    this.#from.push(chunk);
    this.#needed = readOn(this.#parser, this.#from, this.#needed);
    return this.#needed === null ? this.#from.take(this.#from.size) : null;
  }
}
