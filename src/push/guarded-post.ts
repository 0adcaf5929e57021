import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { guardTarget, type TargetReach } from "../desktop/connections/target-guard.ts";
import { LinkError } from "../desktop/error.ts";
import { PushError } from "./receiver.ts";

/** One that does not answer is one that is down. */
const ANSWER_WITHIN_MS = 10_000;
const LONGEST_ANSWER = 64 * 1024;
/** Statuses that may be others the next time. */
const PASSING = new Set([408, 409, 425, 429]);

export interface GuardedPost {
  readonly url: string;
  readonly method?: "POST" | "HEAD";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/**
 * Sends a body to where it may be sent: addresses are judged as those of desktops are, and the one that was judged is
 * connected to. A redirect is no yes, for it would take the message to who knows where. Throws PushError with the status
 * where there was one; never the address, which may be a secret.
 */
export async function guardedPost(post: GuardedPost, reach: TargetReach): Promise<void> {
  const status = await statusOf(post, reach);
  if (status.code >= 200 && status.code < 300) return;
  throw new PushError(`answered ${status.code}, expected 200 to 299`, {
    isFinal: status.code < 500 && !PASSING.has(status.code),
    ...{ pauseMs: status.pauseMs, status: status.code },
  });
}

/** Resolves where something answers, whatever it says. Throws PushError. */
export async function guardedLook(url: string, reach: TargetReach): Promise<void> {
  await statusOf({ url, method: "HEAD", headers: {}, body: "" }, reach);
}

async function statusOf(
  { url, method = "POST", headers, body }: GuardedPost,
  reach: TargetReach,
): Promise<{ readonly code: number; readonly pauseMs: number }> {
  const { protocol, hostname, port } = new URL(url);
  const isTls = protocol === "https:";
  const host = hostname.replace(/^\[|\]$/g, "");
  const { address, family } = await judged(host, port === "" ? (isTls ? 443 : 80) : Number(port), reach);
  const lookup: LookupFunction = (_host, { all }, done) =>
    all === true ? done(null, [{ address, family }]) : done(null, address, family);
  const length = Buffer.byteLength(body);
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void =>
      reject(new PushError(`cannot be reached: ${reasonOf(cause)}`, { cause }));
    const request = (isTls ? requestHttps : requestHttp)(
      url,
      {
        ...{ method, lookup, agent: false, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) },
        headers: { ...headers, "content-length": String(length) },
      },
      (answer) => {
        const pauseS = Number(answer.headers["retry-after"]);
        const pauseMs = Number.isFinite(pauseS) && pauseS > 0 ? pauseS * 1000 : 0;
        resolve({ code: answer.statusCode ?? 0, pauseMs });
        forget(answer);
      },
    );
    request.on("error", fail);
    request.end(body);
  });
}

/** What it says is read, so that it sees its answer taken, but not for ever. */
function forget(answer: IncomingMessage): void {
  let length = 0;
  answer.on("error", () => undefined);
  answer.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > LONGEST_ANSWER) answer.destroy();
  });
}

async function judged(host: string, port: number, reach: TargetReach) {
  try {
    return await guardTarget({ protocol: "https", host, port }, reach);
  } catch (cause) {
    if (!(cause instanceof LinkError)) throw cause;
    const isFinal = cause.code === "target_forbidden";
    throw new PushError(isFinal ? "lies where nothing is sent to" : "has a host name that is not known", {
      ...{ isFinal, cause },
    });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
