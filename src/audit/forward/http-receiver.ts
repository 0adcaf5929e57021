import type { SentLine } from "./log-reader.ts";
import { ANSWER_WITHIN_MS, type Receiver, ReceiverError } from "./receiver.ts";

export interface HttpReceiverOptions {
  readonly endpoint: string;
  /** Sent as a Bearer token; null: none. */
  readonly apiKey: string | null;
}

const LONGEST_ANSWER = 64 * 1024;

/** Lines as newline-delimited JSON in the body of a POST. */
export class HttpReceiver implements Receiver {
  readonly name = "http";
  readonly #options: HttpReceiverOptions;

  constructor(options: HttpReceiverOptions) {
    this.#options = options;
  }

  async send(lines: readonly SentLine[]): Promise<{ readonly refused: number }> {
    const { endpoint, apiKey } = this.#options;
    await post(endpoint, "application/x-ndjson", lines.map(({ text }) => `${text}\n`).join(""), apiKey);
    return { refused: 0 };
  }
}

/** Resolves with the answer's text where its status says yes. Throws ReceiverError. */
export async function post(
  endpoint: string,
  type: string,
  body: string,
  apiKey: string | null,
): Promise<string> {
  let response: Response;
  try {
    response = await fetch(endpoint, {
      method: "POST",
      headers: { "content-type": type, ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }) },
      body,
      // A redirect would take the key to who knows where.
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
  } catch (cause) {
    throw new ReceiverError(`cannot be reached: ${reasonOf(cause)}`, { cause });
  }
  const { status } = response;
  const text = await textOf(response);
  if (status >= 200 && status < 300) return text;
  const pauseS = Number(response.headers.get("retry-after"));
  throw new ReceiverError(`answered ${status}, expected 200 to 299`, {
    pauseMs: Number.isFinite(pauseS) && pauseS > 0 ? pauseS * 1000 : 0,
    isTooLarge: status === 413,
  });
}

/** Of a long one, its begin: nobody fills our memory with an answer. */
async function textOf({ body }: Response): Promise<string> {
  if (body === null) return "";
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > LONGEST_ANSWER) break;
    }
  } catch (cause) {
    throw new ReceiverError(`broke off its answer: ${reasonOf(cause)}`, { cause });
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** fetch says "fetch failed", and why only in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== "" ? error.cause.message : error.message;
}
