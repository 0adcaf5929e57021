import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import type { Clock } from "../../platform/clock.ts";
import { StoreError } from "../error.ts";

/** One that does not take a connection within that is one that is down. */
const CONNECT_WITHIN_MS = 1000;
/** A page of a listing whose values are all as long as they may be has 9 MiB. */
const LONGEST_ANSWER = 12 * 1024 * 1024;

export interface EtcdTls {
  /** PEM. Who must have signed the servers' certificates. */
  readonly ca: string;
  /** PEM; null where the servers want none. */
  readonly cert: string | null;
  readonly key: string | null;
}

export interface EtcdAnswer {
  readonly status: number;
  readonly text: string;
}

/** No connection came about: nothing was sent. */
export class NotSent extends Error {
  override readonly name = "NotSent";
}

/**
 * One server of etcd: its JSON gateway over HTTP/2, which alone lets a watch ask and be answered on one stream. The
 * connection is made when something is sent.
 */
export class EtcdServer {
  readonly url: string;
  /** What it was signed in with, there. */
  token: string | null = null;
  readonly #tls: EtcdTls;
  readonly #clock: Clock;
  #session: Promise<ClientHttp2Session> | null = null;

  /** Throws StoreError for what is no https URL of a server. */
  constructor(url: string, tls: EtcdTls, clock: Clock) {
    const parsed = URL.canParse(url) ? new URL(url) : null;
    if (
      parsed === null ||
      parsed.protocol !== "https:" ||
      parsed.pathname !== "/" ||
      parsed.username !== ""
    ) {
      throw new StoreError(
        "invalid",
        "got an endpoint that is not https://HOST:PORT: etcd is asked by TLS alone",
      );
    }
    this.url = parsed.origin;
    this.#tls = tls;
    this.#clock = clock;
  }

  /** Rejects with NotSent where it cannot be reached; with what ended it, or the signal's reason, after it was sent. */
  async ask(path: string, body: object, signal: AbortSignal): Promise<EtcdAnswer> {
    const stream = await this.open(path, signal);
    stream.end(JSON.stringify(body));
    return await readAnswer(stream);
  }

  /** A stream to write lines to and read them from. */
  async open(path: string, signal: AbortSignal): Promise<ClientHttp2Stream> {
    const session = await this.#connected();
    if (signal.aborted) throw new NotSent("given up", { cause: signal.reason });
    try {
      const stream = session.request(
        {
          ...{ ":method": "POST", ":path": path, "content-type": "application/json" },
          // A server that knows no leader says so at once.
          "grpc-metadata-hasleader": "true",
          ...(this.token === null ? {} : { authorization: this.token }),
        },
        { signal },
      );
      // Who reads it is told as well, but not who stopped reading.
      stream.on("error", () => undefined);
      return stream;
    } catch (cause) {
      throw new NotSent("the connection is closing", { cause });
    }
  }

  /** Ends the connection, and with it all that waits on it; the next request makes a new one. */
  drop(): void {
    this.#session?.then(
      (session) => session.destroy(),
      () => undefined,
    );
    this.#session = null;
  }

  #connected(): Promise<ClientHttp2Session> {
    if (this.#session !== null) return this.#session;
    const opening = this.#connect();
    this.#session = opening;
    const forget = (): void => {
      if (this.#session === opening) this.#session = null;
    };
    opening.then((session) => session.once("close", forget).once("goaway", forget), forget);
    return opening;
  }

  #connect(): Promise<ClientHttp2Session> {
    const { ca, cert, key } = this.#tls;
    return new Promise((resolve, reject) => {
      const own = cert === null || key === null ? {} : { cert, key };
      const session = connect(this.url, { ca, ...own });
      const cancel = this.#clock.after(CONNECT_WITHIN_MS, () =>
        session.destroy(new Error(`no connection within ${CONNECT_WITHIN_MS} ms`)),
      );
      session.on("error", (cause) => {
        cancel();
        reject(new NotSent(`cannot be reached: ${cause.message}`, { cause }));
      });
      session.once("close", () => reject(new NotSent("the connection ended as it was made")));
      session.once("connect", () => {
        cancel();
        // The process need not live for a connection on which nothing is asked.
        session.unref();
        resolve(session);
      });
    });
  }
}

function readAnswer(stream: ClientHttp2Stream): Promise<EtcdAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let status = 0;
    stream.on("response", (headers) => {
      status = headers[":status"] ?? 0;
    });
    stream.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= LONGEST_ANSWER) chunks.push(chunk);
      else {
        stream.destroy(
          new StoreError("bad_answer", `the answer has more than ${LONGEST_ANSWER} bytes: is that etcd?`),
        );
      }
    });
    stream.once("error", reject);
    stream.once("close", () => reject(new Error("the connection ended before the answer")));
    stream.once("end", () => {
      if (status !== 0) resolve({ status, text: Buffer.concat(chunks).toString("utf8") });
    });
  });
}
