import { GuardError, type GuardedAnswer, type GuardedRequest } from "../../desktop/links/guarded-request.ts";
import { auditEventSchema } from "../audit-event.ts";
import { ecsOf } from "../mapping/ecs.ts";
import { ocsfOf } from "../mapping/ocsf.ts";
import type { SentLine } from "./log-reader.ts";
import { type Receiver, ReceiverError } from "./receiver.ts";

/** How an event is written: as in the log, or by Elastic's or the Open Cybersecurity Schema Framework's schema. */
export const AUDIT_FORMATS = ["native", "ecs", "ocsf"] as const;
type AuditFormat = (typeof AUDIT_FORMATS)[number];

/** `guardedRequest`, with where it may go. Throws GuardError. */
export type SendGuarded = (request: GuardedRequest) => Promise<GuardedAnswer>;

export interface HttpReceiverOptions {
  readonly endpoint: string;
  /** Sent as a Bearer token; null: none. */
  readonly apiKey: string | null;
  /** As the log has them, or in the words of a schema. */
  readonly format?: AuditFormat;
  readonly send: SendGuarded;
}

/** Lines as newline-delimited JSON in the body of a POST. */
export class HttpReceiver implements Receiver {
  readonly name = "http";
  readonly #options: HttpReceiverOptions;

  constructor(options: HttpReceiverOptions) {
    this.#options = options;
  }

  async send(lines: readonly SentLine[]): Promise<{ readonly refused: number }> {
    const { endpoint, apiKey, send, format = "native" } = this.#options;
    await post(
      send,
      endpoint,
      "application/x-ndjson",
      lines.map(({ text }) => `${inFormat(text, format)}\n`).join(""),
      apiKey,
    );
    return { refused: 0 };
  }
}

/** A line that is no event of this version goes as it is: it is missed by nobody. */
function inFormat(text: string, format: AuditFormat): string {
  if (format === "native") return text;
  const event = auditEventSchema.safeParse(JSON.parse(text));
  if (!event.success) return text;
  return JSON.stringify(format === "ecs" ? ecsOf(event.data) : ocsfOf(event.data));
}

/** Resolves with the answer's text where its status says yes. Throws ReceiverError. */
export async function post(
  send: SendGuarded,
  endpoint: string,
  type: string,
  body: string,
  apiKey: string | null,
): Promise<string> {
  const headers = { "content-type": type, ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }) };
  const { status, pauseMs, text } = await send({ url: endpoint, method: "POST", headers, body }).catch(
    refused,
  );
  if (status >= 200 && status < 300) return text;
  throw new ReceiverError(`answered ${status}, expected 200 to 299`, { pauseMs, isTooLarge: status === 413 });
}

function refused(cause: unknown): never {
  throw cause instanceof GuardError ? new ReceiverError(cause.message, { cause }) : cause;
}
