import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { guardTarget, type TargetReach } from "../connections/target-guard.ts";
import { LinkError } from "../error.ts";

/** One that does not answer is one that is down. */
const ANSWER_WITHIN_MS = 10_000;
const LONGEST_ANSWER = 64 * 1024;

export interface GuardedRequest {
  readonly url: string;
  readonly method: "POST" | "HEAD";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export interface GuardedAnswer {
  readonly status: number;
  /** What Retry-After asks for; 0: nothing. */
  readonly pauseMs: number;
  /** Of a long one, its begin: nobody fills our memory with an answer. */
  readonly text: string;
}

/** It was not sent, or not answered. Its message names no address, which may be a secret. */
export class GuardError extends Error {
  override readonly name = "GuardError";
  /** The rules of targets let nothing be sent there. */
  readonly isForbidden: boolean;

  constructor(message: string, isForbidden: boolean, cause: unknown) {
    super(message, { cause });
    this.isForbidden = isForbidden;
  }
}

/**
 * An HTTP request to where something may be sent: addresses are judged as those of desktops are, and the one that was judged is
 * connected to. Redirects are not followed, for they would take the message to who knows where. Throws GuardError.
 */
export async function guardedRequest(
  { url, method, headers, body }: GuardedRequest,
  reach: TargetReach,
): Promise<GuardedAnswer> {
  const { isTls, lookup } = await guardedRoute(url, reach);
  const length = Buffer.byteLength(body);
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void =>
      reject(new GuardError(`cannot be reached: ${reasonOf(cause)}`, false, cause));
    const request = (isTls ? requestHttps : requestHttp)(
      url,
      {
        ...{ method, lookup, agent: false, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) },
        headers: { ...headers, "content-length": String(length) },
      },
      (answer) => {
        const pauseS = Number(answer.headers["retry-after"]);
        const pauseMs = Number.isFinite(pauseS) && pauseS > 0 ? pauseS * 1000 : 0;
        readBegin(answer).then((text) => resolve({ status: answer.statusCode ?? 0, pauseMs, text }), fail);
      },
    );
    request.on("error", fail);
    request.end(body);
  });
}

/** How to connect to the address that was judged, and to no other. Throws GuardError. */
export async function guardedRoute(
  url: string,
  reach: TargetReach,
): Promise<{ readonly isTls: boolean; readonly lookup: LookupFunction }> {
  const { protocol, hostname, port } = new URL(url);
  const isTls = protocol === "https:";
  const host = hostname.replace(/^\[|\]$/g, "");
  const { address, family } = await judged(host, port === "" ? (isTls ? 443 : 80) : Number(port), reach);
  const lookup: LookupFunction = (_host, { all }, done) =>
    all === true ? done(null, [{ address, family }]) : done(null, address, family);
  return { isTls, lookup };
}

/** Of a long answer its begin. Rejects where it breaks off. */
export function readBegin(answer: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const end = (): void => resolve(Buffer.concat(chunks).toString("utf8"));
    answer.once("error", reject).once("end", end);
    answer.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length <= LONGEST_ANSWER) return;
      end();
      answer.destroy();
    });
  });
}

async function judged(host: string, port: number, reach: TargetReach) {
  try {
    return await guardTarget({ protocol: "https", host, port }, reach);
  } catch (cause) {
    if (!(cause instanceof LinkError)) throw cause;
    const isForbidden = cause.code === "target_forbidden";
    const message = isForbidden ? "lies where nothing is sent to" : "has a host name that is not known";
    throw new GuardError(message, isForbidden, cause);
  }
}

/** The code of an error, or its name: no address. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
