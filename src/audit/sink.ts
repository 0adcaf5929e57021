import type { Writable } from "node:stream";
import type { AuditEvent } from "./audit-event.ts";

/** Where events go. `write` resolves once they are handed over, and rejects when they may not have arrived. */
export interface AuditSink {
  write(events: readonly AuditEvent[]): Promise<void>;
  close(): Promise<void>;
}

/** Writes a line of JSON each to stdout or stderr, waiting while the reader is behind; does not close it. */
export class StreamSink implements AuditSink {
  readonly #stream: Writable;

  constructor(stream: Writable) {
    this.#stream = stream;
    // A reader that went away is told by `write`; unheard, it would end the process.
    stream.on("error", () => undefined);
  }

  write(events: readonly AuditEvent[]): Promise<void> {
    const text = events.map((event) => `${JSON.stringify(event)}\n`).join("");
    return new Promise((resolve, reject) => {
      this.#stream.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
