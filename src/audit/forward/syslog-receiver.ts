import { connect, isIP, type Socket } from "node:net";
import { hostname } from "node:os";
import { connect as connectTls } from "node:tls";
import { LinkError } from "../../desktop/error.ts";
import type { Clock } from "../../platform/clock.ts";
import { auditEventSchema } from "../audit-event.ts";
import type { SentLine } from "./log-reader.ts";
import { ANSWER_WITHIN_MS, type Receiver, ReceiverError } from "./receiver.ts";

export interface SyslogReceiverOptions {
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  /** Which address may be connected to. Throws LinkError where none may. */
  readonly judge: (host: string, port: number) => Promise<{ readonly address: string }>;
  /** PEM of the authorities that its certificate is checked against; undefined: those of Node. null: no TLS. */
  readonly tls: { readonly ca: string | undefined } | null;
}

/**
 * So long, and two ways there and back, it is waited between the last byte and our end: whoever was gone before the first
 * byte came, or is killed with bytes unread, is heard of within that, and its end is not taken for an answer to ours.
 */
const REST_MS = 30;

/** RFC 5424 section 6.2.1: facility "log audit". */
const FACILITY = 13;
const SEVERITY = { error: 3, warning: 4, notice: 5, info: 6 } as const;

/**
 * RFC 5424 messages with octet counts, over TCP (RFC 6587) or TLS (RFC 5425). Syslog knows no receipt, so each batch is a
 * connection that we end: only when the receiver has read all of it and ended it too, was it had. Who is killed
 * before that resets it, and gets all of the batch again.
 */
export class SyslogReceiver implements Receiver {
  readonly name = "syslog";
  readonly #options: SyslogReceiverOptions;

  constructor(options: SyslogReceiverOptions) {
    this.#options = options;
  }

  async send(lines: readonly SentLine[]): Promise<{ readonly refused: number }> {
    const frames = lines.map(({ text }) => frameOf(text)).join("");
    await this.#deliver(Buffer.from(frames));
    return { refused: 0 };
  }

  async #deliver(bytes: Buffer): Promise<void> {
    const { host: name, port, judge, tls, clock } = this.#options;
    const { address: host } = await judge(name, port).catch(refused);
    // Its certificate is for the name, which an address has none of.
    const servername = isIP(name) === 0 ? { servername: name } : {};
    const startMs = clock.nowMs();
    return new Promise((resolve, reject) => {
      const fail = (reason: string, cause?: unknown): void => {
        socket.destroy();
        reject(new ReceiverError(reason, { cause }));
      };
      const socket: Socket =
        tls === null
          ? connect({ host, port, allowHalfOpen: true })
          : connectTls({ host, port, ...servername, ...(tls.ca === undefined ? {} : { ca: tls.ca }) });
      let isEnded = false;
      let cancel = (): void => {};
      socket.setTimeout(ANSWER_WITHIN_MS, () => fail(`did not answer within ${ANSWER_WITHIN_MS / 1000} s`));
      socket.once(tls === null ? "connect" : "secureConnect", () => {
        const wayMs = clock.nowMs() - startMs;
        socket.write(bytes, () => {
          cancel = clock.after(REST_MS + 2 * wayMs, () => {
            isEnded = true;
            socket.end();
          });
        });
      });
      socket.once("error", (error) => fail(`cannot be reached: ${error.message}`, error));
      socket.once("end", () => {
        if (!isEnded) fail("ended the connection before it had all");
      });
      socket.once("close", () => {
        cancel();
        if (isEnded) resolve();
        else fail("ended the connection before it had all");
      });
      // What it says is nothing to us; unread, its end would not be seen.
      socket.resume();
    });
  }
}

function refused(cause: unknown): never {
  if (!(cause instanceof LinkError)) throw cause;
  const isForbidden = cause.code === "target_forbidden";
  const reason = isForbidden ? "lies where nothing is sent to" : "has a host name that is not known";
  throw new ReceiverError(reason, { cause });
}

/** `MSG-LEN SP SYSLOG-MSG`, RFC 6587 section 3.4.1. */
function frameOf(text: string): string {
  const event = auditEventSchema.safeParse(JSON.parse(text));
  const { severity, timestamp, type } = event.success
    ? { ...event.data, type: event.data.event_type }
    : { severity: "info" as const, timestamp: "-", type: "-" };
  const priority = FACILITY * 8 + SEVERITY[severity];
  const header = `<${priority}>1 ${timestamp} ${hostname()} overlay-companion ${process.pid} ${type} -`;
  const message = `${header} ${text}`;
  return `${Buffer.byteLength(message)} ${message}`;
}
