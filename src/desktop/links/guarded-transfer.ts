import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { TargetReach } from "../connections/target-guard.ts";
import { GuardError, guardedRoute, reasonOf } from "./guarded-request.ts";

/** So long nothing is sent and nothing comes: who is there no longer. */
const SILENCE_MS = 30_000;

export interface Transfer {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent one after the other, as the peer takes them. */
  readonly body: readonly Uint8Array[];
  readonly signal: AbortSignal;
}

export interface TransferAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** To be read to its end, or destroyed. */
  readonly body: Readable;
}

/**
 * An HTTP request with a body of any length, and an answer that is read as it comes, to where something may be sent: see
 * `guardedRequest`. `ca`: PEM of the authorities that certificates are checked against; undefined: those of Node.
 * Throws GuardError; the body of the answer fails with the socket's error.
 */
export async function guardedTransfer(
  { url, method, headers, body, signal }: Transfer,
  reach: TargetReach,
  ca?: string,
): Promise<TransferAnswer> {
  const { isTls, lookup } = await guardedRoute(url, reach);
  const length = body.reduce((sum, { length }) => sum + length, 0);
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void =>
      reject(new GuardError(`cannot be reached: ${reasonOf(cause)}`, false, cause));
    const request = (isTls ? requestHttps : requestHttp)(
      url,
      {
        ...{ method, lookup, agent: false, signal, timeout: SILENCE_MS },
        headers: { ...headers, "content-length": String(length) },
        ...(isTls && ca !== undefined ? { ca } : {}),
      },
      (answer: IncomingMessage) =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: answer }),
    );
    request.on("timeout", () =>
      request.destroy(Object.assign(new Error("no answer"), { code: "ETIMEDOUT" })),
    );
    request.on("error", fail);
    // An answer may come before all was sent: what follows of the body is nobody's fault any more.
    pipeline(Readable.from(body, { objectMode: false }), request).catch(fail);
  });
}
