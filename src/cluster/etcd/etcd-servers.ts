import type * as z from "zod";
import { type Clock, delay } from "../../platform/clock.ts";
import { StoreError } from "../error.ts";
import { type EtcdAnswer, EtcdServer, type EtcdTls, NotSent } from "./etcd-server.ts";
import { FAULT, TOKEN_ANSWER } from "./etcd-wire.ts";

export interface EtcdLimits {
  /** A server that does not answer within that is asked no more. */
  readonly answerMs: number;
  /** All tries of one call. */
  readonly callMs: number;
}

/** A leader that is gone is missed for 1.4 to 1.7 s. */
const QUICK: EtcdLimits = { answerMs: 1000, callMs: 3000 };
/** For who would rather wait than ask another one. */
export const PATIENT: EtcdLimits = { answerMs: 10_000, callMs: 15_000 };

const AGAIN_AFTER_MS = 50;

export interface EtcdOptions {
  /** https://HOST:PORT of each server. */
  readonly endpoints: readonly string[];
  readonly tls: EtcdTls;
  /** null where etcd has no users. */
  readonly login: { readonly name: string; readonly password: string } | null;
  readonly clock: Clock;
  /** Default: those of a server that cannot wait. */
  readonly limits?: EtcdLimits;
}

interface Call<T> {
  readonly path: string;
  readonly body: object;
  readonly answer: z.ZodType<T>;
  /** What was sent and not answered may have been done: it is not tried again here. */
  readonly isWrite: boolean;
}

/** gRPC's status codes, as the gateway says them. */
const CODE = {
  invalidArgument: 3,
  deadlineExceeded: 4,
  permissionDenied: 7,
  resourceExhausted: 8,
  outOfRange: 11,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** The store forgot the revision that was asked for. */
export class Compacted extends Error {
  override readonly name = "Compacted";
}

/** What is known of a try that did not succeed. */
type Failure =
  | { readonly kind: "not_done"; readonly why: string }
  | { readonly kind: "unknown"; readonly why: string }
  | { readonly kind: "signed_out" };

/** The servers of one etcd: whom to ask, and whom next. */
export class EtcdServers {
  readonly all: readonly EtcdServer[];
  readonly #options: EtcdOptions;
  readonly #limits: EtcdLimits;
  #current = 0;
  #isClosed = false;

  /** Throws StoreError for endpoints that are none. */
  constructor(options: EtcdOptions) {
    const { endpoints, tls, clock } = options;
    if (endpoints.length === 0) throw new StoreError("invalid", "got no endpoint, expected one or more");
    this.#options = options;
    this.#limits = options.limits ?? QUICK;
    this.all = endpoints.map((url) => new EtcdServer(url, tls, clock));
  }

  /** Asks one server after the other until one answers. Throws StoreError or Compacted. */
  async call<T>(call: Call<T>): Promise<T> {
    const { clock } = this.#options;
    const untilMs = clock.nowMs() + this.#limits.callMs;
    let signIns = 0;
    for (;;) {
      if (this.#isClosed) throw new StoreError("closed", "the store is closed");
      const server = this.at(this.#current);
      const tried = await this.try(server, call);
      if ("value" in tried) return tried.value;
      const { failure } = tried;
      if (failure.kind === "signed_out" && signIns++ < this.all.length) {
        server.token = null;
        continue;
      }
      this.#current++;
      const why = failure.kind === "signed_out" ? "it takes no token that it gave" : failure.why;
      if (failure.kind === "unknown" && call.isWrite) {
        throw new StoreError("outcome_unknown", `${server.url} was sent a change and gave no answer: ${why}`);
      }
      if (clock.nowMs() >= untilMs) {
        throw new StoreError("unavailable", `no etcd answers, ${server.url} as the last: ${why}`);
      }
      await delay(clock, AGAIN_AFTER_MS);
    }
  }

  at(index: number): EtcdServer {
    const server = this.all[index % this.all.length];
    if (server === undefined) throw new StoreError("invalid", "got no endpoint");
    return server;
  }

  /** Of one server, once. Throws StoreError or Compacted where no other would say anything else. */
  async try<T>(
    server: EtcdServer,
    { path, body, answer }: Pick<Call<T>, "path" | "body" | "answer">,
  ): Promise<{ readonly value: T } | { readonly failure: Failure }> {
    try {
      await this.signIn(server);
      const { status, text } = await this.#ask(server, path, body);
      if (status !== 200) return { failure: failureOf(status, text) };
      return { value: parsed(text, answer) };
    } catch (error) {
      if (error instanceof StoreError || error instanceof Compacted) throw error;
      const why = error instanceof Error ? error.message : String(error);
      if (error instanceof NotSent) return { failure: { kind: "not_done", why } };
      server.drop();
      return { failure: { kind: "unknown", why } };
    }
  }

  /** Nothing where it is signed in, or nobody must be. Throws StoreError `refused`, NotSent. */
  async signIn(server: EtcdServer): Promise<void> {
    const { login } = this.#options;
    if (login === null || server.token !== null) return;
    let answer: EtcdAnswer;
    try {
      answer = await this.#ask(server, "/v3/auth/authenticate", login);
    } catch (cause) {
      if (cause instanceof NotSent) throw cause;
      server.drop();
      throw new NotSent("it does not answer who signs in", { cause });
    }
    if (answer.status === 200) {
      server.token = parsed(answer.text, TOKEN_ANSWER).token;
      return;
    }
    const failure = failureOf(answer.status, answer.text);
    throw new NotSent(failure.kind === "signed_out" ? "it signs nobody in" : failure.why);
  }

  close(): void {
    this.#isClosed = true;
    for (const server of this.all) server.drop();
  }

  async #ask(server: EtcdServer, path: string, body: object): Promise<EtcdAnswer> {
    const limit = new AbortController();
    const { answerMs } = this.#limits;
    const cancel = this.#options.clock.after(answerMs, () =>
      limit.abort(new Error(`no answer within ${answerMs} ms`)),
    );
    try {
      return await server.ask(path, body, limit.signal);
    } catch (error) {
      // Node says only that it was aborted.
      throw limit.signal.aborted && !(error instanceof NotSent) ? limit.signal.reason : error;
    } finally {
      cancel();
    }
  }
}

/** Throws StoreError or Compacted where another try or server would say the same. */
function failureOf(status: number, text: string): Failure {
  const fault = FAULT.safeParse(json(text));
  if (!fault.success)
    throw new StoreError("bad_answer", `HTTP ${status} without etcd's words: is that etcd?`);
  const { code, message } = fault.data;
  switch (code) {
    case CODE.unauthenticated:
      return { kind: "signed_out" };
    case CODE.permissionDenied:
      throw new StoreError("refused", `${message}: give the user of this store the rights of its keys`);
    case CODE.outOfRange:
      throw new Compacted(message);
    case CODE.resourceExhausted:
      if (message.includes("too many requests")) return { kind: "not_done", why: message };
      throw new StoreError("full", `${message}: compact and defragment etcd, then disarm its alarm`);
    case CODE.invalidArgument:
      if (message.includes("auth store is old")) return { kind: "signed_out" };
      if (message.includes("authentication failed") || message.includes("user name is empty")) {
        throw new StoreError("refused", `${message}: check the user and the password of this store`);
      }
      throw new StoreError("bad_answer", message);
    case CODE.unavailable:
      // Said before anything is proposed.
      if (message === "etcdserver: no leader") return { kind: "not_done", why: message };
      return { kind: "unknown", why: message };
    case CODE.deadlineExceeded:
      return { kind: "unknown", why: message };
    default:
      throw new StoreError("bad_answer", `${message} (gRPC code ${code})`);
  }
}

function parsed<T>(text: string, schema: z.ZodType<T>): T {
  const answer = schema.safeParse(json(text));
  if (answer.success) return answer.data;
  throw new StoreError("bad_answer", "an answer of another form than etcd's: is that etcd 3.4 or later?");
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
