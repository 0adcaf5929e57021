import type { Writable } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { StdioGate } from "./stdio-gate.ts";
import { StdioListening, type StdioListeningPorts } from "./stdio-listening.ts";

/** stdio that says when it ended, tells the gate which requests were answered, and tells those who listen of changes. */
export class StdioTransport extends StdioServerTransport {
  readonly closed: Promise<void>;
  readonly #gate: StdioGate;
  readonly #listening: StdioListening;
  #resolve: () => void = () => {};

  constructor(gate: StdioGate, stdout: Writable, follow: StdioListeningPorts["follow"]) {
    super(gate, stdout);
    this.#gate = gate;
    this.#listening = new StdioListening({ follow, send: (message) => super.send(message) });
    this.closed = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Whoever starts it has said by then who is handed its messages. */
  override start(): Promise<void> {
    const deliver = this.onmessage;
    this.onmessage = (message) => {
      this.#listening.received(message);
      deliver?.(message);
    };
    return super.start();
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    // What is listened to is answered at its end, which nobody waits for: that it is acknowledged will do.
    const answered = this.#listening.sent(message);
    if (answered !== null) this.#gate.answered(answered);
  }

  override async close(): Promise<void> {
    this.#listening.close();
    await super.close();
    this.#resolve();
  }
}
