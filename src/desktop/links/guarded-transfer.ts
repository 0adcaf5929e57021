import {
  Agent as AgentHttp,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
} from "node:http";
import { Agent as AgentHttps, request as requestHttps } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { TargetReach } from "../connections/target-guard.ts";
import { GuardError, guardedRoute, reasonOf } from "./guarded-request.ts";

/** So long nothing is sent and nothing comes: who is there no longer. */
const SILENCE_MS = 30_000;

/** So long a connection is kept that nobody uses: less than servers keep it. */
const KEPT_MS = 4000;
const MOST_KEPT = 8;

/** Connections that are used again: a seek asks several times, and each new one would cost it two round trips or more. */
export interface KeptConnections {
  readonly http: AgentHttp;
  readonly https: AgentHttps;
  close(): void;
}

export function keptConnections(): KeptConnections {
  const options = { keepAlive: true, maxFreeSockets: MOST_KEPT, timeout: KEPT_MS };
  const [http, https] = [new AgentHttp(options), new AgentHttps(options)];
  return {
    ...{ http, https },
    close: () => {
      http.destroy();
      https.destroy();
    },
  };
}

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
 * `guardedRequest`. `ca`: PEM of the authorities that certificates are checked against; undefined: those of Node. `kept`: where
 * its connection comes from; undefined: one of its own. Throws GuardError; the body of the answer fails with the socket's error.
 */
export async function guardedTransfer(
  transfer: Transfer,
  reach: TargetReach,
  ca?: string,
  kept?: KeptConnections,
): Promise<TransferAnswer> {
  const { url, method, headers, body, signal } = transfer;
  const { isTls, lookup } = await guardedRoute(url, reach);
  const length = body.reduce((sum, { length }) => sum + length, 0);
  // What must not be done twice gets a connection of its own: on one that is used again nobody knows whether it was done.
  const agent = method === "POST" ? undefined : kept?.[isTls ? "https" : "http"];
  return new Promise((resolve, reject) => {
    let isOver = false;
    const fail = (cause: unknown): void => {
      if (isOver) return;
      isOver = true;
      // The peer may close a connection in the moment in which it is used again: nothing was answered on it.
      if (request.reusedSocket && isReset(cause)) guardedTransfer(transfer, reach, ca).then(resolve, reject);
      else reject(new GuardError(`cannot be reached: ${reasonOf(cause)}`, false, cause));
    };
    const request = (isTls ? requestHttps : requestHttp)(
      url,
      {
        ...{ method, lookup, agent: agent ?? false, signal, timeout: SILENCE_MS },
        headers: { ...headers, "content-length": String(length) },
        ...(isTls && ca !== undefined ? { ca } : {}),
      },
      (answer: IncomingMessage) => {
        isOver = true;
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: answer });
      },
    );
    request.on("timeout", () =>
      request.destroy(Object.assign(new Error("no answer"), { code: "ETIMEDOUT" })),
    );
    request.on("error", fail);
    // An answer may come before all was sent: what follows of the body is nobody's fault any more.
    pipeline(Readable.from(body, { objectMode: false }), request).catch(fail);
  });
}

function isReset(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && (cause.code === "ECONNRESET" || cause.code === "EPIPE");
}
