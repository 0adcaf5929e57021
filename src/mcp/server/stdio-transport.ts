import type { Writable } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { StdioGate } from "./stdio-gate.ts";

/** stdio that says when it ended, and tells the gate which requests were answered. */
export class StdioTransport extends StdioServerTransport {
  readonly closed: Promise<void>;
  readonly #gate: StdioGate;
  #resolve: () => void = () => {};

  constructor(gate: StdioGate, stdout: Writable) {
    super(gate, stdout);
    this.#gate = gate;
    this.closed = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    if (!("method" in message)) this.#gate.answered(message.id);
  }

  override async close(): Promise<void> {
    await super.close();
    this.#resolve();
  }
}
