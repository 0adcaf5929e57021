import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod";
import { Audit } from "../../src/audit/audit.ts";
import type { AuditRotation } from "../../src/audit/chained-file.ts";
import { Forwarder, type ForwarderOptions } from "../../src/audit/forward/forwarder.ts";
import { HttpReceiver, type SendGuarded } from "../../src/audit/forward/http-receiver.ts";
import type { Receiver } from "../../src/audit/forward/receiver.ts";
import { NO_LIMITS } from "../../src/desktop/connections/target-rules.ts";
import { guardedRequest } from "../../src/desktop/links/guarded-request.ts";
import { FakeClock } from "../fake-clock.ts";
import { fileSink } from "./file-sink.ts";

interface Owner {
  teardown(call: () => unknown): void;
}

const lineSchema = z.looseObject({
  event_id: z.string(),
  event_type: z.string(),
  action: z.string().nullable(),
  counts: z.record(z.string(), z.number()).nullable(),
  chain: z.looseObject({ seq: z.number() }),
});
export type Line = z.infer<typeof lineSchema>;

export function linesOfText(text: string): Line[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => lineSchema.parse(JSON.parse(line)));
}

/** A receiver of NDJSON that keeps what it said yes to. */
export class Collector {
  readonly had: Line[] = [];
  /** What it answers; the default takes all. */
  status: (lines: readonly Line[]) => number = () => 200;
  readonly types: (string | undefined)[] = [];
  readonly keys: (string | undefined)[] = [];
  readonly #server: Server;
  #port = 0;

  private constructor(owner: Owner) {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("error", () => undefined);
      request.on("end", () => {
        const lines = linesOfText(Buffer.concat(chunks).toString("utf8"));
        const status = this.status(lines);
        this.types.push(request.headers["content-type"]);
        this.keys.push(request.headers.authorization);
        if (status === 200) this.had.push(...lines);
        response.writeHead(status, { connection: "close" }).end();
      });
    });
    owner.teardown(() => this.down());
  }

  static async open(owner: Owner): Promise<Collector> {
    const collector = new Collector(owner);
    await collector.up();
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/ingest`;
  }

  get port(): number {
    return this.#port;
  }

  /** Each line once, in the order in which it came first. */
  get unique(): number[] {
    return [...new Set(this.had.map(({ chain }) => chain.seq))];
  }

  async up(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = portOf(this.#server.address());
  }

  async down(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
  return address.port;
}

/** A log with one receiver, on a clock that the test moves. */
export async function forwarded(
  owner: Owner,
  dir: string,
  receiver: Receiver,
  changes: Partial<Pick<ForwarderOptions, "delivery" | "spoolBytes">> & {
    readonly rotation?: Partial<AuditRotation>;
  } = {},
) {
  const clock = new FakeClock();
  const told: boolean[] = [];
  let forwarder: Forwarder | null = null;
  const audit = new Audit({
    sink: await fileSink(dir, { clock, rotation: changes.rotation ?? {} }),
    clock,
    version: "1",
    refusal: () => forwarder?.refusal ?? null,
    onWritten: () => forwarder?.written(),
  });
  const made = new Forwarder({
    ...{ dir, receiver, clock, delivery: "best_effort", spoolBytes: 2 ** 30, ...changes },
    record: (entry) => audit.record(entry),
    onChange: (isWorking) => told.push(isWorking),
  });
  forwarder = made;
  made.open();
  owner.teardown(async () => {
    // Time goes on where nobody moves it: what waits to be told is not waited for.
    const ending = Promise.all([audit.close(), made.close()]);
    const timer = setInterval(() => clock.advance(1000), 5);
    await ending.finally(() => clearInterval(timer));
  });
  /** Writes so many events, and resolves when they are in the log and what can be sent is. */
  const write = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) audit.record({ type: "connection.added", action: `n${n}` });
    await audit.flush();
    await made.flush();
  };
  /** Lets time pass in steps, with what is due in each. */
  const pass = async (ms: number, stepMs = 10_000): Promise<void> => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      clock.advance(stepMs);
      await made.flush();
      await audit.flush();
    }
    await made.flush();
  };
  return { audit, clock, forwarder: made, told, write, pass };
}

/** Nowhere is forbidden by an operator. */
export const sendAnywhere: SendGuarded = (request) => guardedRequest(request, { ...NO_LIMITS, own: [] });

export function httpTo(collector: Collector, apiKey: string | null = null): HttpReceiver {
  return new HttpReceiver({ endpoint: collector.url, apiKey, send: sendAnywhere });
}
