import type { ClientHttp2Stream } from "node:http2";
import { type Clock, delay } from "../../platform/clock.ts";
import { StoreError } from "../error.ts";
import type { Watch, WatchListener } from "../store/store.ts";
import type { EtcdServers } from "./etcd-servers.ts";
import { base64, commitsOf, endOf, WATCH_LINE } from "./etcd-wire.ts";

const ASK_EVERY_MS = 1000;
/** A server that says nothing for that long, or only what is old, is left. */
const LEFT_AFTER_MS = 2500;
const AGAIN_AFTER_MS = 100;
/** Changes of a transaction, each as long as it may be. */
const LONGEST_LINE = 12 * 1024 * 1024;

interface EtcdWatchOptions {
  readonly servers: EtcdServers;
  readonly clock: Clock;
  readonly prefix: string;
  readonly after: bigint;
  readonly listener: WatchListener;
  /** The newest revision that any answer had. */
  newest(): bigint;
}

/** A watch over all servers: where one is lost, or cut off from the others, the next goes on behind the last change told. */
export class EtcdWatch implements Watch {
  readonly #options: EtcdWatchOptions;
  readonly #closed = new AbortController();
  /** Of the last change told. */
  #after: bigint;
  #server = 0;
  #refusals = 0;

  constructor(options: EtcdWatchOptions) {
    this.#options = options;
    this.#after = options.after;
    void this.#run();
  }

  close(): void {
    this.#closed.abort();
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { clock, listener } = this.#options;
    const { signal } = this.#closed;
    while (!signal.aborted) {
      try {
        const ended = await this.#follow();
        if (ended === "compacted") {
          this.close();
          listener.onCompacted();
          return;
        }
      } catch (error) {
        if (error instanceof StoreError && !signal.aborted) {
          this.close();
          listener.onFailed(error);
          return;
        }
      }
      this.#server++;
      await delay(clock, AGAIN_AFTER_MS, signal).catch(() => undefined);
    }
  }

  /** Until this stream ends. Throws StoreError where no other would do better. */
  async #follow(): Promise<"compacted" | "lost"> {
    const { servers, prefix, clock } = this.#options;
    const server = servers.at(this.#server);
    await servers.signIn(server);
    const gone = new AbortController();
    const signal = AbortSignal.any([this.#closed.signal, gone.signal]);
    const stream = await server.open("/v3/watch", signal);
    const pulse = new Pulse(stream, clock, this.#options.newest, () => {
      // A new watch begins on a new connection.
      server.drop();
      gone.abort();
    });
    try {
      const request = {
        create_request: {
          ...{ key: base64(prefix), range_end: base64(endOf(prefix)) },
          start_revision: String(this.#after + 1n),
        },
      };
      stream.write(`${JSON.stringify(request)}\n`);
      for await (const line of linesOf(stream)) {
        const ended = this.#take(line, pulse);
        if (ended === null) continue;
        if (ended === "refused") {
          server.token = null;
          if (++this.#refusals > servers.all.length) {
            throw new StoreError(
              "refused",
              "etcd lets this user watch nothing there: give it the rights of its keys",
            );
          }
          return "lost";
        }
        return ended;
      }
      return "lost";
    } catch (error) {
      if (error instanceof StoreError) throw error;
      return "lost";
    } finally {
      pulse.stop();
      stream.destroy();
    }
  }

  #take(line: string, pulse: Pulse): "compacted" | "lost" | "refused" | null {
    const said = WATCH_LINE.safeParse(JSON.parse(line));
    if (!said.success) throw new StoreError("bad_answer", "a watch was told what etcd does not tell");
    const { result } = said.data;
    if (result === undefined) return "lost";
    if (result.canceled) {
      if (result.compact_revision > 0n) return "compacted";
      return /ermission|auth/.test(result.cancel_reason) ? "refused" : "lost";
    }
    const { listener } = this.#options;
    this.#refusals = 0;
    for (const [revision, changes] of commitsOf(result.events)) {
      if (this.#closed.signal.aborted) return "lost";
      // Told by the server before, at the edge of two connections.
      if (revision <= this.#after) continue;
      this.#after = revision;
      listener.onChanges(changes, revision);
    }
    if (result.events.length > 0 || result.created) return null;
    if (pulse.answered(result.header.revision)) listener.onProgress(result.header.revision);
    return null;
  }
}

/** Asks a stream again and again how far it is. */
class Pulse {
  readonly #stream: ClientHttp2Stream;
  readonly #clock: Clock;
  readonly #newest: () => bigint;
  readonly #onSilent: () => void;
  /** What was known when the last question was put: not every one is answered. */
  #asked = 0n;
  #cancelAsk = (): void => {};
  #cancelSilent = (): void => {};

  constructor(stream: ClientHttp2Stream, clock: Clock, newest: () => bigint, onSilent: () => void) {
    this.#stream = stream;
    this.#clock = clock;
    this.#newest = newest;
    this.#onSilent = onSilent;
    this.#expect();
    this.#askLater();
  }

  /** False where the server is behind what was known before it was asked. */
  answered(revision: bigint): boolean {
    if (revision < this.#asked) return false;
    this.#cancelSilent();
    this.#expect();
    return true;
  }

  stop(): void {
    this.#cancelAsk();
    this.#cancelSilent();
  }

  #expect(): void {
    this.#cancelSilent = this.#clock.after(LEFT_AFTER_MS, this.#onSilent, { isIdle: true });
  }

  #askLater(): void {
    this.#cancelAsk = this.#clock.after(
      ASK_EVERY_MS,
      () => {
        this.#asked = this.#newest();
        this.#stream.write('{"progress_request":{}}\n');
        this.#askLater();
      },
      { isIdle: true },
    );
  }
}

async function* linesOf(stream: ClientHttp2Stream): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...rest, chunk.subarray(from, at)]).toString("utf8");
      [rest, length, from] = [[], 0, at + 1];
      if (line.trim() !== "") yield line;
    }
    rest.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > LONGEST_LINE)
      throw new StoreError("bad_answer", `a watch was told more than ${LONGEST_LINE} bytes at once`);
  }
}
