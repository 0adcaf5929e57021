import { GuardError, type GuardedAnswer, type GuardedRequest } from "../../desktop/links/guarded-request.ts";
import type { SentLine } from "./log-reader.ts";
import { type Receiver, ReceiverError } from "./receiver.ts";

/** `guardedRequest`, with where it may go. Throws GuardError. */
export type SendGuarded = (request: GuardedRequest) => Promise<GuardedAnswer>;

export interface HttpReceiverOptions {
  readonly endpoint: string;
  /** Sent as a Bearer token; null: none. */
  readonly apiKey: string | null;
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
    const { endpoint, apiKey, send } = this.#options;
    await post(send, endpoint, "application/x-ndjson", lines.map(({ text }) => `${text}\n`).join(""), apiKey);
    return { refused: 0 };
  }
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
