import { PLATFORM } from "../../../../src/appliance/open-links.ts";
import type {
  RfbClientEvent,
  RfbClientOptions,
} from "../../../../src/protocols/rfb/client/client-context.ts";
import { RfbClient } from "../../../../src/protocols/rfb/client/rfb-client.ts";
import { RfbError } from "../../../../src/protocols/rfb/error.ts";
import { join } from "./server-bytes.ts";

type EventOf<Type extends RfbClientEvent["type"]> = Extract<RfbClientEvent, { type: Type }>;

/** A client of ours and, played by hand, its server. */
export class Peer {
  readonly events: RfbClientEvent[] = [];
  readonly client: RfbClient;
  nowMs = 0;
  #sent: number[] = [];

  constructor(options: Partial<RfbClientOptions> = {}) {
    this.client = new RfbClient(
      { password: null, ...options },
      PLATFORM,
      (bytes) => this.#sent.push(...bytes),
      (event) => this.events.push(event),
    );
  }

  say(...parts: readonly Uint8Array[]): this {
    const bytes = Uint8Array.from(join(...parts));
    this.client.receive(bytes, this.nowMs);
    bytes.fill(0xa5); // as a socket's memory, which is read into again
    return this;
  }

  of<Type extends RfbClientEvent["type"]>(type: Type): EventOf<Type>[] {
    return this.events.filter((event): event is EventOf<Type> => event.type === type);
  }

  /** What was sent since the last look. */
  takeSent(): number[] {
    const sent = this.#sent;
    this.#sent = [];
    return sent;
  }
}

/** The RfbError that `run` ends in. */
export function errorOf(run: () => unknown): RfbError {
  try {
    run();
  } catch (error) {
    if (error instanceof RfbError) return error;
    throw error;
  }
  throw new Error("expected an RfbError, got none");
}

/**
 * Plays a stream in pieces of every size and checks that events, pixels and what was sent are those of the stream in
 * one piece.
 */
export function checkChunking(
  test: { fail(message: string): unknown; pass(message: string): unknown },
  stream: Uint8Array,
  options: Partial<RfbClientOptions> = {},
  sizes: Iterable<number> = Array.from({ length: stream.length - 1 }, (_, i) => i + 1),
): Peer {
  const whole = new Peer(options).say(stream);
  const expected = JSON.stringify([whole.events, whole.takeSent()]);
  for (const size of sizes) {
    const peer = new Peer(options);
    for (let at = 0; at < stream.length; at += size) peer.say(stream.subarray(at, at + size));
    if (JSON.stringify([peer.events, peer.takeSent()]) !== expected)
      test.fail(`differs in pieces of ${size}`);
    if (!Buffer.from(peer.client.framebuffer.bytes).equals(Buffer.from(whole.client.framebuffer.bytes))) {
      test.fail(`pixels differ in pieces of ${size}`);
    }
  }
  test.pass(`${stream.length} bytes in pieces of every size`);
  return whole;
}
