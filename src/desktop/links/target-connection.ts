import type { Duplex } from "node:stream";
import type { Clock } from "../../platform/clock.ts";
import { LinkError } from "../error.ts";
import { linkErrorOf } from "./link-error.ts";
import { SocketStream } from "./streams/socket-stream.ts";

/** Connecting and the whole handshake. */
const CONNECT_MS = 10_000;
const HANDSHAKE_MS = 15_000;
/** What was said last has so long to leave. */
const GOODBYE_MS = 1000;
/** More unsent input than this means that the target no longer reads. */
const MAX_UNSENT_BYTES = 4 * 1024 * 1024;

export interface TargetConnectionPorts {
  /** The socket to the target is up. */
  up(): void;
  /** The uppermost stream's bytes. */
  data(chunk: Uint8Array, stream: Duplex): void;
  /** True where `data` needs a chunk no longer than until it returns, after which its memory is written over. */
  readonly readsInPlace?: boolean;
  /** What an error of the uppermost stream means. */
  errorOf(error: unknown): LinkError;
  /** What it means that the target closed the uppermost stream. */
  closedByTarget(): LinkError;
  /** Why the handshake was not over in time. */
  handshakeMessage(): string;
  /** This connection has to end; `release` is called by who hears it. */
  failed(error: LinkError): void;
}

export interface OpenOptions {
  /** False for streams that are up when made; else they emit "connect". Default true. */
  readonly emitsConnect?: boolean;
  /** False where the target connects to us, at a time of its own (reverse connections). Default true. */
  readonly hasConnectLimit?: boolean | undefined;
}

/**
 * The byte stream to a target, whatever is spoken over it: its deadlines, what is laid over it (TLS), batched writes,
 * the limit of what a target leaves unread, and the goodbye.
 */
export class TargetConnection {
  readonly #ports: TargetConnectionPorts;
  readonly #clock: Clock;
  #stream: Duplex | null = null;
  #cancelPhase: (() => void) | null = null;
  #stopHearing: (() => void) | null = null;
  #outbox: Buffer[] = [];

  constructor(ports: TargetConnectionPorts, clock: Clock) {
    this.#ports = ports;
    this.#clock = clock;
  }

  /** The uppermost stream; null while there is none. */
  get stream(): Duplex | null {
    return this.#stream;
  }

  /** Something was written that has not been given to the stream. */
  get hasUnflushed(): boolean {
    return this.#outbox.length > 0;
  }

  open(connect: () => Duplex, { emitsConnect = true, hasConnectLimit = true }: OpenOptions = {}): void {
    let stream: Duplex;
    try {
      stream = connect();
    } catch (cause) {
      // Later, so that no callback comes before `open` has returned.
      this.#clock.after(0, () => this.#ports.failed(linkErrorOf(cause)));
      return;
    }
    this.#stream = stream;
    if (hasConnectLimit) {
      this.#limit(CONNECT_MS, "unreachable", () => "the target did not accept the connection within 10 s");
    }
    const onUp = (): void => {
      this.#limit(HANDSHAKE_MS, "handshake_timeout", () => this.#ports.handshakeMessage());
      this.#ports.up();
    };
    if (emitsConnect) stream.once("connect", onUp);
    else onUp();
    this.hear(stream);
  }

  /** The handshake is over: no deadline any more. */
  established(): void {
    this.#cancelPhase?.();
    this.#cancelPhase = null;
  }

  /** From here on `stream` is the uppermost one: one below it may end while the last bytes are still being opened. */
  hear(stream: Duplex): void {
    this.stopHearing();
    this.#stream = stream;
    const onData = (chunk: Uint8Array): void => this.#ports.data(chunk, stream);
    const onError = (error: unknown): void => this.#ports.failed(this.#ports.errorOf(error));
    const onEnd = (): void => this.#ports.failed(this.#ports.closedByTarget());
    stream.once("error", onError).once("close", onEnd).once("end", onEnd);
    const stopReading = this.#read(stream, onData);
    this.#stopHearing = () => {
      stream.on("error", () => undefined); // late errors of a stream that nobody hears any more
      stopReading();
      stream.off("error", onError).off("close", onEnd).off("end", onEnd);
    };
  }

  #read(stream: Duplex, onData: (chunk: Uint8Array) => void): () => void {
    if (this.#ports.readsInPlace === true && stream instanceof SocketStream)
      return stream.readInPlace(onData);
    stream.on("data", onData);
    return () => stream.off("data", onData);
  }

  /** Something is laid over the stream, which reads it now. */
  stopHearing(): void {
    this.#stopHearing?.();
    this.#stopHearing = null;
  }

  /**
   * Messages of one turn leave together, after it: fewer packets, and an in-process peer that answers at once never
   * finds the parser running. One microtask later than the viewers, so that what answers an update (a fence, the next
   * request) does not hold up the update on its way to them: a write to a socket takes 0.1 to 0.2 ms.
   */
  write(bytes: Uint8Array): void {
    if (this.#outbox.length === 0) queueMicrotask(() => queueMicrotask(() => this.flush()));
    this.#outbox.push(Buffer.from(bytes)); // a copy: writers reuse their memory
  }

  flush(): void {
    if (this.#outbox.length === 0) return;
    const bytes = Buffer.concat(this.#outbox);
    this.#outbox = [];
    const stream = this.#stream;
    if (stream === null || stream.destroyed) return;
    stream.write(bytes);
    if (stream.writableLength > MAX_UNSENT_BYTES) {
      const message = "the target stopped reading: more than 4 MiB of input are unsent";
      this.#ports.failed(new LinkError("stalled", message));
    }
  }

  /** Lets go of the stream; `saysGoodbye`: what was said last still leaves, where the target takes it in time. */
  release(saysGoodbye: boolean): void {
    this.established();
    const stream = this.#stream;
    this.#stream = null;
    if (stream === null) return;
    this.stopHearing();
    if (!saysGoodbye) {
      stream.destroy();
      return;
    }
    const cancel = this.#clock.after(GOODBYE_MS, () => stream.destroy());
    stream.once("close", cancel);
    stream.end(() => stream.destroy());
  }

  /** Ends the connection unless the phase is over in time. */
  #limit(limitMs: number, code: "unreachable" | "handshake_timeout", message: () => string): void {
    this.#cancelPhase?.();
    this.#cancelPhase = this.#clock.after(limitMs, () => this.#ports.failed(new LinkError(code, message())));
  }
}
